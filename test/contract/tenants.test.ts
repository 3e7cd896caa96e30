/**
 * Two organizations in one service: whatever belongs to the other one answers exactly as if it did not exist, byte
 * for byte, so that not even its existence can be learnt.
 */
import { join } from 'node:path';
import { operation, operationIds, type OperationId, type System } from '@docyard/api';
import { afterAll, describe, expect, it } from 'vitest';
import { startService, temporaryFolder } from '../service.ts';
import { callOf, type Given } from './document.ts';
import { addOwner, invite, password, signIn } from './people.ts';
import { send, type Answer } from './raw.ts';
import * as stage from './stage.ts';

const git = await stage.startEndlessGit();
const service = await startService({
  environment: { EGRESS_ALLOW: git.host, EXPORT_CONCURRENCY: '1' },
  sample: false,
});
const theirs = await addTheirs();
const ours = await addOurs();
const theirsBefore = await readTheirs();

afterAll(async () => {
  await service.stop();
  git.stop();
});

/** What the first organization has: a record of every kind, and a job in every state. */
async function addTheirs() {
  const { client } = service;
  const project = await stage.addProject(service, stage.siteFolder());
  const completed = await stage.runExport(service, project.domain);
  const broken = await stage.addProject(service, join(temporaryFolder('empty'), 'missing'));
  const failed = await stage.runExport(service, broken.domain);
  const busy = await stage.addProject(service, git.repository);
  const running = await client.call('startExport', { body: { domain: busy.domain } });
  await stage.waitFor(service, running.jobId, ({ status }) => status === 'running');
  const queued = await client.call('startExport', { body: { domain: busy.domain } });
  return {
    project,
    jobIds: [completed, failed, running, queued].map(({ jobId }) => jobId),
    agentJobId: stage.addAgentJob(service.dataDir, project),
    keyId: (await client.call('createKey', { body: { name: 'Theirs' } })).id,
    webhook: await stage.addWebhook(service),
    ownerId: await addOwner(service),
    personId: (await invite(service)).personId,
  };
}

async function addOurs() {
  const { key, organizationId } = stage.addOrganization(service.dataDir, 'enterprise');
  const email = 'ours@example.com';
  stage.addPerson(service.dataDir, { organizationId, email, password });
  const domain = stage.freshDomain();
  const body = { name: 'Ours', domain, source: { repository: 'https://example.com/docs.git' } };
  const created = await asUs('createProject', { body });
  const { id: projectId } = JSON.parse(created.body) as { id: string };
  return { key, session: await signIn(service, email), domain, projectId };

  function asUs(id: OperationId, given: Given): Promise<Answer> {
    return send(service.origin, callOf(id, given, { Authorization: `Bearer ${key}` }));
  }
}

/** The same request id each time, so that equal answers are equal to the last byte. */
async function ask(id: OperationId, given: Given, headers: Record<string, string> = {}): Promise<Answer> {
  const body = bodies[id];
  return send(
    service.origin,
    callOf(id, body === undefined ? given : { ...given, body }, {
      Authorization: `Bearer ${ours.key}`,
      'X-Request-Id': 'the-same-for-both',
      ...headers,
    }),
  );
}

async function askSignedIn(id: OperationId, given: Given): Promise<Answer> {
  const body = bodies[id];
  const headers = { ...ours.session, 'X-Request-Id': 'the-same-for-both' };
  return send(service.origin, callOf(id, body === undefined ? given : { ...given, body }, headers));
}

const bodies: Partial<Record<OperationId, unknown>> = {
  updateProject: { name: 'Taken over' },
  createBundle: { ttlSeconds: 60 },
  rollKey: { overlapSeconds: 0 },
  createAgentJob: { prompt: 'Take over.' },
  messageAgentJob: { prompt: 'Take over.' },
  updateWebhook: { url: 'https://elsewhere.invalid/' },
  rotateWebhookSecret: { overlapSeconds: 0 },
  updatePerson: { disabled: true },
};

/** What a caller can tell apart: all but the time and the count of requests. */
function visible({ status, headers, body }: Answer) {
  const passing = ['date', 'ratelimit'];
  return { status, body, headers: [...headers].filter(([name]) => !passing.includes(name)) };
}

interface Pair {
  id: OperationId;
  what: string;
  real: Record<string, string>;
  random: Record<string, string>;
}

/** Every operation that names a record, with each record of the other organization that it could name. */
function pairsOf(id: OperationId): Pair[] {
  const names = Object.keys(operation(id).params?.shape ?? {});
  switch (names.join()) {
    case 'jobId':
      return theirs.jobIds.map((jobId, index) => ({
        id,
        what: `a job that is ${['completed', 'failed', 'running', 'queued'][index]}`,
        real: { jobId },
        random: { jobId: stage.randomId('se') },
      }));
    case 'projectId':
      return [
        {
          id,
          what: 'a project',
          real: { projectId: theirs.project.id },
          random: { projectId: stage.randomId('pr') },
        },
      ];
    case 'personId':
      return [theirs.ownerId, theirs.personId].map((personId) => ({
        id,
        what: personId === theirs.ownerId ? 'an owner' : 'a person',
        real: { personId },
        random: { personId: stage.randomId('pe') },
      }));
    case 'keyId':
      return [{ id, what: 'a key', real: { keyId: theirs.keyId }, random: { keyId: stage.randomId('key') } }];
    case 'webhookId':
    case 'webhookId,deliveryId': {
      const random = { webhookId: stage.randomId('wh'), deliveryId: stage.randomId('whd') };
      return [{ id, what: 'a webhook', real: theirs.webhook, random }];
    }
    case 'projectId,id':
      return [theirs.project.id, ours.projectId].map((projectId) => ({
        id,
        what: projectId === ours.projectId ? 'an agent job under our project' : 'an agent job',
        real: { projectId, id: theirs.agentJobId },
        random: {
          projectId: projectId === ours.projectId ? projectId : stage.randomId('pr'),
          id: stage.randomId('aj'),
        },
      }));
    default:
      throw new Error(`There are no records for ${names.join(' and ')} of ${id}. Add some to \`pairsOf\`.`);
  }
}

async function readTheirs(): Promise<unknown> {
  const { client } = service;
  return {
    exports: await client.call('listExports', { query: { limit: 100 } }),
    projects: await client.call('listProjects', { query: { limit: 100 } }),
    agentJobs: await client.call('listAgentJobs', { params: { projectId: theirs.project.id } }),
    keys: (await client.call('listKeys', { query: { limit: 100 } })).data.map(
      ({ id, revokedAt, expiresAt }) => ({
        id,
        revokedAt,
        expiresAt,
      }),
    ),
    people: (await client.call('listPeople')).data.map(({ id, role, status }) => ({ id, role, status })),
    // Attempts in vain are ours, not those of whoever asks.
    webhooks: (await client.call('listWebhooks')).data.map(({ failingSince: _since, ...webhook }) => webhook),
  };
}

const withId = operationIds.filter((id) => operation(id).path.includes('{'));

describe.each(withId.flatMap(pairsOf))(
  '$id of $what that belongs to somebody else',
  ({ id, real, random }) => {
    it('answers as for one that does not exist', async () => {
      const answer = visible(await ask(id, { params: real }));
      expect(answer).toEqual(visible(await ask(id, { params: random })));
      expect(answer.status).toBe(404);
    });

    it('answers so to a person with a session, too', async () => {
      const answer = visible(await askSignedIn(id, { params: real }));
      expect(answer).toEqual(visible(await askSignedIn(id, { params: random })));
      expect(answer.status).toBe(404);
    });

    it('does so also when asked to wait, to compare and to remember', async () => {
      const headers = (key: string) => ({ Prefer: 'wait=5', 'If-None-Match': '*', 'Idempotency-Key': key });
      const answer = visible(await ask(id, { params: real }, headers(JSON.stringify([id, real]))));
      expect(answer).toEqual(
        visible(await ask(id, { params: random }, headers(JSON.stringify([id, random])))),
      );
      expect(answer.status).toBe(404);
    });
  },
);

describe('the domain of somebody else', () => {
  const both = [theirs.project.domain, stage.freshDomain()] as const;

  it.each([
    { id: 'startExport', given: (domain: string): Given => ({ body: { domain } }) },
    { id: 'openLatestBundle', given: (domain: string): Given => ({ query: { domain } }) },
    { id: 'listExports', given: (domain: string): Given => ({ query: { domain } }) },
  ] as const)('$id answers as for one that nobody has', async ({ id, given }) => {
    const [real, unknown] = await Promise.all(both.map((domain) => ask(id, given(domain))));
    expect(visible(real as Answer)).toEqual(visible(unknown as Answer));
  });

  it('can be used for a project of our own', async () => {
    const [taken, free] = await Promise.all(
      both.map((domain) =>
        ask('createProject', {
          body: { name: 'Ours', domain, source: { repository: 'https://example.com/d.git' } },
        }),
      ),
    );
    expect([taken?.status, free?.status]).toEqual([201, 201]);
  });
});

describe('lists', () => {
  it.each(['listExports', 'listProjects', 'listKeys', 'listWebhooks', 'listPeople', 'listAuditLog'] as const)(
    '%s shows nothing of anybody else',
    async (id) => {
      const { status, body } = await ask(id, { query: { limit: '100' } });
      expect(status).toBe(200);
      const { webhookId } = theirs.webhook;
      const secrets = [
        ...theirs.jobIds,
        theirs.project.id,
        theirs.keyId,
        theirs.agentJobId,
        theirs.ownerId,
        webhookId,
      ];
      expect(secrets.filter((secret) => body.includes(secret))).toEqual([]);
    },
  );
});

describe('what tells of many records', () => {
  it('followExports begins without the jobs of anybody else', async () => {
    const { status, body } = await ask('followExports', {});
    expect(status).toBe(200);
    expect(body).toMatch(/^id: \d+$/m);
    expect(body).not.toContain('event: job');
  });

  it('readSystem counts nothing of anybody else', async () => {
    const { body } = await ask('readSystem', {});
    const { queue, storage } = JSON.parse(body) as System;
    expect({ queue, bundles: storage.bundles }).toEqual({
      queue: { exports: { queued: 0, running: 0 }, agentJobs: { queued: 0, running: 0 } },
      bundles: { count: 0, bytes: 0 },
    });
  });
});

describe('after all of this', () => {
  it('nothing of theirs has changed', async () => {
    expect(await readTheirs()).toEqual(theirsBefore);
  });
});
