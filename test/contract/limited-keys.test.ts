/**
 * Keys limited to one project: records of other projects are indistinguishable from missing ones, and operations on the
 * organization are refused.
 */
import { operation, operationIds, type OperationId } from '@docyard/api';
import { afterAll, describe, expect, it } from 'vitest';
import { startService } from '../service.ts';
import type { Given } from './document.ts';
import type { Answer } from './raw-http.ts';
import { addTheirs, askWith, everyPair, readTheirs, visible } from './other-tenant.ts';
import * as stage from './harness.ts';

const git = await stage.startEndlessGit();
const service = await startService({
  environment: { EGRESS_ALLOW: `source:${git.host}`, EXPORT_CONCURRENCY: '1' },
  sample: false,
});
const own = await addOwn();
const theirs = await addTheirs(service, git.repository);
const theirsBefore = await readTheirs(service, theirs);

afterAll(async () => {
  await service.stop();
  git.stop();
});

async function addOwn() {
  const { client } = service;
  const project = await stage.addProject(service, stage.siteFolder());
  const { jobId } = await stage.runExport(service, project.domain);
  const { id, key } = await client.call('createKey', { body: { name: 'Own', projectId: project.id } });
  return { project, jobId, keyId: id, headers: { Authorization: `Bearer ${key}` } };
}

function ask(id: OperationId, given: Given, headers: Record<string, string> = {}): Promise<Answer> {
  return askWith(service, { ...own.headers, ...headers }, id, given);
}

function askAsAdmin(id: OperationId, given: Given, headers: Record<string, string> = {}): Promise<Answer> {
  return askWith(service, { Authorization: `Bearer ${service.key}`, ...headers }, id, given);
}

/** Removes the id from a response that repeats it. */
function without(id: string, answer: Answer) {
  return JSON.parse(JSON.stringify(visible(answer)).replaceAll(id, '(id)')) as unknown;
}

describe.each(everyPair(theirs, own.project.id))(
  '$id of $what that belongs to another project or to all',
  ({ id, real, random }) => {
    const status = operation(id).organizationWide ? 403 : 404;

    it('answers as for one that does not exist', async () => {
      const answer = visible(await ask(id, { params: real }));
      expect(answer).toEqual(visible(await ask(id, { params: random })));
      expect(answer.status).toBe(status);
    });

    it('the same holds with Prefer, conditional and idempotency headers', async () => {
      const headers = (key: string) => ({ Prefer: 'wait=5', 'If-None-Match': '*', 'Idempotency-Key': key });
      const answer = visible(await ask(id, { params: real }, headers(JSON.stringify([id, real]))));
      expect(answer).toEqual(
        visible(await ask(id, { params: random }, headers(JSON.stringify([id, random])))),
      );
      expect(answer.status).toBe(status);
    });
  },
);

describe('another project named in a request', () => {
  const domains = [theirs.project.domain, stage.freshDomain()] as const;
  const jobIds = [theirs.jobIds[0] ?? '', stage.randomId('se')] as const;
  const projectIds = [theirs.project.id, stage.randomId('pr')] as const;
  const params = { jobId: own.jobId };

  it.each([
    { id: 'startExport', names: domains, given: (domain: string): Given => ({ body: { domain } }) },
    { id: 'openLatestBundle', names: domains, given: (domain: string): Given => ({ query: { domain } }) },
    { id: 'listExports', names: domains, given: (domain: string): Given => ({ query: { domain } }) },
    {
      id: 'updateProject',
      names: domains,
      given: (domain: string): Given => ({ params: { projectId: own.project.id }, body: { domain } }),
    },
    { id: 'createBundle', names: jobIds, given: (since: string): Given => ({ params, body: { since } }) },
    { id: 'openBundle', names: jobIds, given: (since: string): Given => ({ params, query: { since } }) },
    {
      id: 'openLatestBundle',
      names: jobIds,
      given: (since: string): Given => ({ query: { domain: own.project.domain, since } }),
    },
    { id: 'compareExports', names: jobIds, given: (id: string): Given => ({ params, query: { with: id } }) },
    { id: 'readPageChange', names: jobIds, given: (id: string): Given => ({ params, query: { with: id } }) },
    { id: 'compareFindings', names: jobIds, given: (id: string): Given => ({ params, query: { with: id } }) },
    {
      id: 'readInsights',
      names: projectIds,
      given: (projectId: string): Given => ({ query: { projectId } }),
    },
    {
      id: 'createKey',
      names: projectIds,
      given: (projectId: string): Given => ({ body: { name: 'Wider', projectId } }),
    },
  ] as const)('$id answers as for one that does not exist', async ({ id, names, given }) => {
    const [real, random] = names;
    const answer = without(real, await ask(id, given(real)));
    expect(answer).toEqual(without(random, await ask(id, given(random))));
  });
});

describe('what concerns the whole organization', () => {
  const ofAll = operationIds.filter((id) => operation(id).organizationWide);

  it.each(ofAll.filter((id) => !operation(id).path.includes('{')))('%s is refused', async (id) => {
    const { status, body } = await ask(id, {});
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({ code: 'scope_missing' });
    expect(body).toContain(`limited to the project ${own.project.id}`);
  });
});

describe('lists', () => {
  it.each([
    ['listProjects', 'id', () => own.project.id],
    ['listExports', 'jobId', () => own.jobId],
    ['listKeys', 'id', () => own.keyId],
  ] as const)('%s shows what is of the project, and nothing else', async (id, name, expected) => {
    const { body } = await ask(id, { query: { limit: '100' } });
    const { data, nextCursor } = JSON.parse(body) as { data: Record<string, string>[]; nextCursor: unknown };
    expect({ ids: data.map((each) => each[name]), nextCursor }).toEqual({
      ids: [expected()],
      nextCursor: null,
    });
  });

  it('listAllAgentJobs shows nothing of another project, whether it is named or not', async () => {
    const listed = (query: Record<string, string>) => ask('listAllAgentJobs', { query });
    const answers = [
      await listed({}),
      await listed({ projectId: theirs.project.id }),
      await listed({ projectId: stage.randomId('pr') }),
    ];
    for (const { body } of answers) expect(JSON.parse(body)).toEqual({ data: [], nextCursor: null });
  });

  it.each(['followExports', 'followAgentJobs'] as const)(
    '%s begins without the jobs of other projects',
    async (id) => {
      const { status, body } = await ask(id, {});
      expect(status).toBe(200);
      expect(body).toMatch(/^id: \d+$/m);
      expect(body).not.toContain('event: job');
    },
  );
});

describe('what the service keeps for a while', () => {
  const jobId = theirs.jobIds[0] ?? '';

  it('a response that was just cached for a wider key is not shown', async () => {
    const shown = await askAsAdmin('readExport', { params: { jobId } });
    expect(shown.status).toBe(200);
    const etag = shown.headers.get('etag') ?? '';
    const [, limited] = await Promise.all([
      askAsAdmin('readExport', { params: { jobId } }),
      ask('readExport', { params: { jobId } }, { 'If-None-Match': etag }),
    ]);
    const random = await ask('readExport', { params: { jobId: stage.randomId('se') } });
    expect(visible(limited)).toEqual(visible(random));
  });

  it('is not given to a repeat of the request, nor is the key of the request taken', async () => {
    const given = { params: { jobId }, body: { ttlSeconds: 60 } };
    const first = await askAsAdmin('createBundle', given, { 'Idempotency-Key': 'shared' });
    expect(first.status).toBe(200);
    const answer = await ask('createBundle', given, { 'Idempotency-Key': 'shared' });
    const random = { ...given, params: { jobId: stage.randomId('se') } };
    expect(visible(answer)).toEqual(visible(await ask('createBundle', random, { 'Idempotency-Key': 'r' })));
    const ofOwn = { ...given, params: { jobId: own.jobId } };
    expect((await ask('createBundle', ofOwn, { 'Idempotency-Key': 'shared' })).status).toBe(200);
  });
});

describe('after all of this', () => {
  it('nothing has changed', async () => {
    expect(await readTheirs(service, theirs)).toEqual(theirsBefore);
  });
});

describe('its own project', () => {
  it('is read, changed and exported', async () => {
    const params = { projectId: own.project.id };
    expect((await ask('updateProject', { params, body: { name: 'Renamed' } })).status).toBe(200);
    expect(JSON.parse((await ask('readProject', { params })).body)).toMatchObject({ name: 'Renamed' });
    const started = await ask('startExport', { body: { domain: own.project.domain } });
    expect(started.status).toBe(202);
    const { jobId } = JSON.parse(started.body) as { jobId: string };
    expect((await ask('cancelExport', { params: { jobId } })).status).toBe(202);
    expect((await ask('createBundle', { params: { jobId: own.jobId } })).status).toBe(200);
  });

  it('is named by readMe', async () => {
    const { body } = await ask('readMe', {});
    expect(JSON.parse(body)).toMatchObject({ key: { id: own.keyId, projectId: own.project.id } });
  });

  it('takes its keys along when it is deleted', async () => {
    const { client } = service;
    const project = await stage.addProject(service, stage.siteFolder());
    const { key } = await client.call('createKey', { body: { name: 'Short', projectId: project.id } });
    const headers = { Authorization: `Bearer ${key}` };
    expect((await askWith(service, headers, 'readMe', {})).status).toBe(200);
    await client.call('deleteProject', { params: { projectId: project.id } });
    expect((await askWith(service, headers, 'readMe', {})).status).toBe(401);
  });
});
