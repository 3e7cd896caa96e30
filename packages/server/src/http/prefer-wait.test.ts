/** `Prefer: wait`: a read that waits for the first change, the timeout or the stop of the server. */
import { describe, expect, test } from 'vitest';
import { InProcessChanges } from '../adapters/changes/in-process.ts';
import type { PostgresChanges } from '../adapters/changes/postgres.ts';
import { claimJob, reportProgress } from '../jobs/store.ts';
import {
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  present,
  serveForTest,
  until,
} from '../../test/support/test-context.ts';
import { preferredWaitSeconds, readWhenChanged } from './prefer-wait.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['wait=10', 10],
  ['wait=0', 0],
  ['respond-async, wait=10', 10],
  ['wait=10; foo', 10],
  ['wait=56', 55],
  ['wait=999999', 55],
  ['wait=-1', undefined],
  ['wait=ten', undefined],
  ['await=10', undefined],
  ['wait=1.5', undefined],
])('the header %j asks for %s seconds', (header, seconds) => {
  expect(preferredWaitSeconds(header)).toBe(seconds);
});

test('a change during the first read is not missed', async () => {
  const changes = new InProcessChanges();
  let value = 'old';
  const read = async () => {
    const reading = value;
    value = 'new';
    changes.notify('a');
    return reading;
  };
  const options = { jobId: 'a', seconds: 20, signal: new AbortController().signal };
  expect(await readWhenChanged(changes, options, read, (reading) => reading === 'old')).toBe('new');
  expect(changes.listenedJobs).toBe(0);
});

describe('a read of a job with Prefer: wait', () => {
  async function setUp() {
    const context = await composeForTest();
    const tenant = await createTenant(context);
    const project = await createTestProject(context, tenant);
    const service = await serveForTest(context);
    const changes = context.changes as InProcessChanges | PostgresChanges;
    const { id } = await createExport(context, tenant, project);
    const claimed = present(await claimJob(context, id));
    const get = (headers: Record<string, string>, jobId = id) =>
      service.request(`/v1/static-export/jobs/${jobId}`, { headers, key: tenant.key.key });
    const timed = async (answer: Promise<Response>) => {
      const before = performance.now();
      const { headers, ...rest } = {
        ...(await answer.then(async (got) => ({
          status: got.status,
          headers: got.headers,
          body: (await got.json()) as { progress: number },
        }))),
      };
      return { ...rest, headers, seconds: (performance.now() - before) / 1000 };
    };
    return { context, tenant, project, service, changes, claimed, get, timed };
  }

  test('the response is sent after the first change', async () => {
    const { context, changes, claimed, get, timed } = await setUp();
    const waiting = timed(get({ prefer: 'wait=20' }));
    await until(() => changes.isListenedTo(claimed.id));
    await reportProgress(context, claimed, { progress: 42 });
    const answer = await waiting;
    expect(answer.body.progress).toBe(42);
    expect(answer.seconds).toBeLessThan(5);
    expect(answer.headers.get('preference-applied')).toBe('wait=20');
    expect(answer.headers.get('retry-after')).toBe('2');
    await until(() => changes.listenedJobs === 0, 5);
  });

  test('the response is sent at the timeout when nothing changes', async () => {
    const { get, timed } = await setUp();
    const answer = await timed(get({ prefer: 'wait=1' }));
    expect(answer.status).toBe(200);
    expect(answer.seconds).toBeGreaterThan(0.9);
  });

  test('a job that differs from the If-None-Match of the caller is returned at once', async () => {
    const { context, claimed, get, timed } = await setUp();
    const etag = (await get({})).headers.get('etag') ?? '';
    await reportProgress(context, claimed, { progress: 42 });
    const answer = await timed(get({ prefer: 'wait=20', 'if-none-match': etag }));
    expect(answer).toMatchObject({ status: 200, body: { progress: 42 } });
    expect(answer.seconds).toBeLessThan(5);
  });

  test('an unchanged job is answered 304 at the timeout', async () => {
    const { get } = await setUp();
    const etag = (await get({})).headers.get('etag') ?? '';
    expect((await get({ prefer: 'wait=1', 'if-none-match': etag })).status).toBe(304);
  });

  test('a finished job is returned at once', async () => {
    const { context, tenant, project, get, timed } = await setUp();
    const { id } = await createCompletedExport(context, tenant, project);
    expect((await timed(get({ prefer: 'wait=20' }, id))).seconds).toBeLessThan(5);
  });

  test('a stop of the server ends the wait', async () => {
    const { service, changes, claimed, get, timed } = await setUp();
    const waiting = timed(get({ prefer: 'wait=20' }));
    await until(() => changes.isListenedTo(claimed.id));
    service.stopping.abort();
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(answer.seconds).toBeLessThan(5);
    await until(() => changes.listenedJobs === 0, 5);
  });

  test('a caller that disconnects ends the wait', async () => {
    const { service, tenant, changes, claimed } = await setUp();
    const abort = new AbortController();
    const init = { headers: { prefer: 'wait=20' }, signal: abort.signal, key: tenant.key.key };
    const request = service.request(`/v1/static-export/jobs/${claimed.id}`, init).catch(() => 'left');
    await until(() => changes.isListenedTo(claimed.id));
    abort.abort();
    expect(await request).toBe('left');
    await until(() => changes.listenedJobs === 0, 5);
  });
});
