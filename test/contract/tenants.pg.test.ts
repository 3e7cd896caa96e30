/** Two organizations in one service: records of the other one are indistinguishable from missing ones. */
import type { OperationId, System } from '@docyard/api';
import { afterAll, describe, expect, it } from 'vitest';
import { startService } from '../service.ts';
import { callOf, type Given } from './document.ts';
import { password, signIn } from './users.ts';
import { send, type Answer } from './raw-http.ts';
import { addTheirs, askWith, everyPair, readTheirs, visible } from './other-tenant.ts';
import * as stage from './harness.ts';

const git = await stage.startEndlessGit();
const service = await startService({
  environment: { EGRESS_ALLOW: `source:${git.host}`, EXPORT_CONCURRENCY: '1' },
  sample: false,
});
const theirs = await addTheirs(service, git.repository);
const ours = await addOurs();
const theirsBefore = await readTheirs(service, theirs);

afterAll(async () => {
  await service.stop();
  git.stop();
});

async function addOurs() {
  const { key, organizationId } = stage.addOrganization(service.dataDir, 'enterprise');
  const email = 'ours@example.com';
  stage.addUser(service.dataDir, { organizationId, email, password });
  const domain = stage.freshDomain();
  const body = { name: 'Ours', domain, source: { repository: 'https://example.com/docs.git' } };
  const created = await asUs('createProject', { body });
  const { id: projectId } = JSON.parse(created.body) as { id: string };
  return { key, session: await signIn(service, email), domain, projectId };

  function asUs(id: OperationId, given: Given): Promise<Answer> {
    return send(service.origin, callOf(id, given, { Authorization: `Bearer ${key}` }));
  }
}

function ask(id: OperationId, given: Given, headers: Record<string, string> = {}): Promise<Answer> {
  return askWith(service, { Authorization: `Bearer ${ours.key}`, ...headers }, id, given);
}

function askSignedIn(id: OperationId, given: Given): Promise<Answer> {
  return askWith(service, ours.session, id, given);
}

describe.each(everyPair(theirs, ours.projectId))('$id of $what of another tenant', ({ id, real, random }) => {
  it('answers as for one that does not exist', async () => {
    const answer = visible(await ask(id, { params: real }));
    expect(answer).toEqual(visible(await ask(id, { params: random })));
    expect(answer.status).toBe(404);
  });

  it('also answers so to a user with a session', async () => {
    const answer = visible(await askSignedIn(id, { params: real }));
    expect(answer).toEqual(visible(await askSignedIn(id, { params: random })));
    expect(answer.status).toBe(404);
  });

  it('the same holds with Prefer, conditional and idempotency headers', async () => {
    const headers = (key: string) => ({ Prefer: 'wait=5', 'If-None-Match': '*', 'Idempotency-Key': key });
    const answer = visible(await ask(id, { params: real }, headers(JSON.stringify([id, real]))));
    expect(answer).toEqual(visible(await ask(id, { params: random }, headers(JSON.stringify([id, random])))));
    expect(answer.status).toBe(404);
  });
});

describe('the domain of another tenant', () => {
  const both = [theirs.project.domain, stage.freshDomain()] as const;

  it.each([
    { id: 'startExport', given: (domain: string): Given => ({ body: { domain } }) },
    { id: 'openLatestBundle', given: (domain: string): Given => ({ query: { domain } }) },
    { id: 'listExports', given: (domain: string): Given => ({ query: { domain } }) },
  ] as const)('$id answers as for an unknown domain', async ({ id, given }) => {
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
  it.each([
    ...(['listExports', 'listAllAgentJobs', 'listProjects', 'listKeys'] as const),
    ...(['listWebhooks', 'listUsers', 'listAuditLog', 'listDeployments'] as const),
    ...(['listForgeEvents', 'listAutomationRuns', 'listPullRequests'] as const),
  ])('%s shows no records of another tenant', async (id) => {
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
      theirs.deploymentId,
      theirs.forgeEventId,
      theirs.pullRequestId,
    ];
    expect(secrets.filter((secret) => body.includes(secret))).toEqual([]);
  });
});

describe('search', () => {
  const searches: [OperationId, Record<string, string>][] = [
    ['listProjects', { q: theirs.project.domain }],
    ['listProjects', { ids: theirs.project.id }],
    ['listProjects', { domain: theirs.project.domain }],
    ['listExports', { q: theirs.jobIds[0] ?? '' }],
    ['listExports', { projectId: theirs.project.id }],
    ['listForgeEvents', { projectId: theirs.project.id }],
    ['listAutomationRuns', { projectId: theirs.project.id }],
    ['listPullRequests', { projectId: theirs.project.id }],
    ['listKeys', { q: theirs.keyId }],
    ['listUsers', { q: theirs.ownerId }],
    ['listAuditLog', { q: theirs.keyId }],
  ];

  it.each(searches)('%s finds nothing of another organization by %j', async (id, query) => {
    const { status, body } = await ask(id, { query });
    expect(status).toBe(200);
    const secrets = [...theirs.jobIds, theirs.project.id, theirs.keyId, theirs.ownerId];
    expect(secrets.filter((secret) => body.includes(secret))).toEqual([]);
  });

  it.each(['readAnalytics', 'exportAnalytics'] as const)(
    '%s returns nothing that readers of another organization did',
    async (id) => {
      for (const query of [{}, { deploymentId: theirs.deploymentId }, { projectId: theirs.project.id }]) {
        const { status, body } = await ask(id, { query: { days: '7', ...query } });
        expect(status).toBe(200);
        expect(body).not.toMatch(/theirs|tides/);
      }
    },
  );

  it('the download of the audit log holds nothing of another organization', async () => {
    const { status, body } = await ask('exportAuditLog', { query: { format: 'json' } });
    expect(status).toBe(200);
    expect([theirs.keyId, theirs.project.id].filter((secret) => body.includes(secret))).toEqual([]);
  });
});

describe('operations on many records', () => {
  it('listAllAgentJobs treats a project of another tenant as unknown', async () => {
    const listed = (projectId: string) => ask('listAllAgentJobs', { query: { projectId } });
    const [real, random] = [await listed(theirs.project.id), await listed(stage.randomId('pr'))];
    expect(visible(real)).toEqual(visible(random));
  });

  it.each(['followExports', 'followAgentJobs'] as const)(
    '%s starts without jobs of another tenant',
    async (id) => {
      const { status, body } = await ask(id, {});
      expect(status).toBe(200);
      expect(body).toMatch(/^id: \d+$/m);
      expect(body).not.toContain('event: job');
    },
  );

  it('readSystem does not count records of another tenant', async () => {
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
    expect(await readTheirs(service, theirs)).toEqual(theirsBefore);
  });
});
