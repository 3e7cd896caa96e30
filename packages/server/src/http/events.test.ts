/** Server-sent events: order of changes, resumption by Last-Event-ID, and the end of a stream. */
import { connect } from 'node:net';
import { ExportJob } from '@docyard/api';
import { Hono } from 'hono';
import { beforeEach, describe, expect, test } from 'vitest';
import type { InProcessChanges } from '../adapters/changes/in-process.ts';
import { claimJob, completeJob, deleteJob, reportProgress, type Job } from '../jobs/store.ts';
import {
  cleanUp,
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  present,
  serveForTest,
  until,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import { streamExportEvents, type StreamTimeouts } from './events.ts';
import type { App } from './request.ts';
import { listen } from './server.ts';

let context: TestContext;
let service: TestService;
let key: string;
let newJob: (request?: { paths?: string[] }) => Promise<Job>;
let newCompleted: () => Promise<Job>;

beforeEach(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  key = tenant.key.key;
  newJob = (request) => createExport(context, tenant, project, request);
  newCompleted = () => createCompletedExport(context, tenant, project);
});

const follow = (id: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  service.request(`/v1/static-export/jobs/${id}/events`, {
    key,
    headers,
    ...(signal === undefined ? {} : { signal }),
  });

interface Frame {
  id: string | undefined;
  record: ExportJob;
}

function framesIn(text: string): Frame[] {
  return text
    .split('\n\n')
    .filter((frame) => frame.includes('event: job'))
    .map((frame) => ({
      id: /^id: (\d+)$/m.exec(frame)?.[1],
      record: ExportJob.parse(JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '')),
    }));
}

const statesOf = (frames: Frame[]) => frames.map(({ record }) => [record.status, record.progress]);

async function run(job: Job): Promise<void> {
  const claimed = present(await claimJob(context, job.id));
  for (const progress of [10, 20, 30]) await reportProgress(context, claimed, { progress });
  const result = {
    bundle: { sizeBytes: 1, sha256: 'a'.repeat(64), fileCount: 1 },
    warnings: 0,
    errors: 0,
    attempt: 1,
  };
  await completeJob(context, claimed, { result, pageCount: 1 });
}

const allStates = [
  ['queued', 0],
  ['running', 0],
  ['running', 10],
  ['running', 20],
  ['running', 30],
  ['completed', 100],
];

test('a stream sends every change of a job in order and then ends', async () => {
  const job = await newJob();
  const answer = await follow(job.id);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const body = answer.text();
  await run(job);
  const text = await body;
  expect(text.startsWith('retry: 2000\n\n')).toBe(true);
  expect(statesOf(framesIn(text))).toEqual(allStates);
  await until(() => (context.changes as InProcessChanges).listenedJobs === 0, 5);
});

describe('the stream of all exports', () => {
  /** Reads until `isEnough` holds, then disconnects. */
  async function readUntil(
    isEnough: (frames: Frame[]) => boolean,
    headers: Record<string, string> = {},
    meanwhile: () => Promise<unknown> = async () => {},
  ): Promise<{ frames: Frame[]; text: string }> {
    const abort = new AbortController();
    const answer = await service.request('/v1/static-export/events', {
      key,
      headers,
      signal: abort.signal,
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const decoder = new TextDecoder();
    const pending = meanwhile();
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (isEnough(framesIn(text))) break;
    }
    abort.abort();
    await pending;
    return { frames: framesIn(text), text };
  }

  const isDone = (id: string) => (frames: Frame[]) =>
    frames.some(({ record }) => record.jobId === id && record.status === 'completed');

  test('the stream begins with the unfinished jobs and includes jobs that are started later', async () => {
    const waiting = await newJob();
    let later: Job | undefined;
    const { frames } = await readUntil(
      (all) => later !== undefined && isDone(later.id)(all),
      {},
      async () => {
        later = await newJob();
        await run(later);
      },
    );
    expect(frames[0]).toMatchObject({ record: { jobId: waiting.id, status: 'queued' } });
    expect(frames.at(-1)?.record.jobId).toBe(later?.id);
    await until(() => (context.changes as InProcessChanges).listenedJobs === 0, 5);
  });

  test('the stream resumes at the Last-Event-ID of the client', async () => {
    const job = await newJob();
    const { text } = await readUntil((frames) => frames.length > 0);
    const position = /^id: (\d+)$/m.exec(text)?.[1] ?? '';
    await run(job);
    const { frames } = await readUntil(isDone(job.id), { 'last-event-id': position });
    expect(Number(frames.at(-1)?.id)).toBeGreaterThan(Number(position));
  });
});

describe('Last-Event-ID', () => {
  test('the stream resumes after the event with this id', async () => {
    const job = await newJob();
    await run(job);
    const all = framesIn(await (await follow(job.id)).text());
    expect(statesOf(all)).toEqual(allStates);
    for (const [index, { id }] of all.entries()) {
      const rest = framesIn(await (await follow(job.id, { 'last-event-id': id ?? '' })).text());
      expect(rest).toEqual(all.slice(index + 1));
    }
  });

  test.each(['', 'abc', '-1', '1e3', '9'.repeat(20)])('the invalid id %j is ignored', async (id) => {
    const job = await newCompleted();
    const frames = framesIn(await (await follow(job.id, { 'last-event-id': id })).text());
    expect(statesOf(frames)[0]).toEqual(['queued', 0]);
  });

  test('the id of a deleted event resumes with all remaining events', async () => {
    const job = await newJob();
    await run(job);
    const all = framesIn(await (await follow(job.id)).text());
    const resume = async (index: number) =>
      framesIn(await (await follow(job.id, { 'last-event-id': all[index]?.id ?? '' })).text());
    await context.database.deleteFrom('job_events').where('sequence', '<=', Number(all[2]?.id)).execute();
    expect(await resume(1)).toEqual(all.slice(3));
    await context.database.deleteFrom('job_events').execute();
    expect(statesOf(await resume(1))).toEqual([['completed', 100]]);
  });

  test('the id of an event of another job is ignored', async () => {
    const job = await newCompleted();
    const other = framesIn(await (await follow((await newCompleted()).id)).text());
    const last = { 'last-event-id': other.at(-1)?.id ?? '' };
    expect(statesOf(framesIn(await (await follow(job.id, last)).text()))[0]).toEqual(['queued', 0]);
  });

  test('a client that reconnects misses no event', async () => {
    const job = await newJob();
    const claimed = present(await claimJob(context, job.id));
    const abort = new AbortController();
    const answer = await follow(job.id, {}, abort.signal);
    const reader = present(answer.body).getReader();
    let seen = '';
    while (framesIn(seen).length < 2) seen += Buffer.from(present((await reader.read()).value)).toString();
    abort.abort();
    await until(() => (context.changes as InProcessChanges).listenedJobs === 0, 5);
    await reportProgress(context, claimed, { progress: 50 });
    const result = {
      bundle: { sizeBytes: 1, sha256: 'a'.repeat(64), fileCount: 1 },
      warnings: 0,
      errors: 0,
      attempt: 1,
    };
    await completeJob(context, claimed, { result, pageCount: 1 });
    const last = framesIn(seen).at(-1)?.id ?? '';
    const rest = framesIn(await (await follow(job.id, { 'last-event-id': last })).text());
    expect([...statesOf(framesIn(seen)), ...statesOf(rest)]).toEqual([
      ['queued', 0],
      ['running', 0],
      ['running', 50],
      ['completed', 100],
    ]);
  });
});

test('a finished job without stored events sends its record once', async () => {
  const job = await newCompleted();
  await context.database.deleteFrom('job_events').execute();
  const frames = framesIn(await (await follow(job.id)).text());
  expect(statesOf(frames)).toEqual([['completed', 100]]);
});

test('a stream sends more events than one query reads', async () => {
  const job = await newJob();
  const claimed = present(await claimJob(context, job.id));
  for (let step = 1; step <= 250; step += 1) await reportProgress(context, claimed, { pageCount: step });
  const result = {
    bundle: { sizeBytes: 1, sha256: 'a'.repeat(64), fileCount: 1 },
    warnings: 0,
    errors: 0,
    attempt: 1,
  };
  await completeJob(context, claimed, { result, pageCount: 250 });
  const frames = framesIn(await (await follow(job.id)).text());
  expect(frames).toHaveLength(253);
  expect(frames.map(({ id }) => Number(id))).toEqual(
    frames.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
  );
});

test('a stream ends when the server stops', async () => {
  const job = await newJob();
  const body = (await follow(job.id)).text();
  await until(() => (context.changes as InProcessChanges).isListenedTo(job.id));
  service.stopping.abort();
  expect(statesOf(framesIn(await body))).toEqual([['queued', 0]]);
});

test('a stream ends when its job is deleted', async () => {
  const job = await newJob();
  let seen = '';
  for await (const part of present((await follow(job.id)).body)) {
    seen += Buffer.from(part).toString();
    if (framesIn(seen).length === 1) await deleteJob(context, job.id);
  }
  expect(statesOf(framesIn(seen))).toEqual([['queued', 0]]);
});

describe('timeouts of a stream', () => {
  const quick: StreamTimeouts = { keepAliveSeconds: 0.02, maxReadPauseSeconds: 0.1 };

  /** Serves the stream of one job with short timeouts. */
  async function serveStream(job: Job, timeouts: StreamTimeouts): Promise<number> {
    const app: App = new Hono();
    app.get('/', (web) => {
      const disconnect = () => web.env.outgoing.destroy();
      const { signal: stopping } = service.stopping;
      return streamExportEvents(context, { job, afterSequence: 0, stopping, disconnect, timeouts });
    });
    const server = await listen(app, { host: '127.0.0.1', port: 0 });
    cleanUp(() => server.close(0));
    return server.port;
  }

  test('the stream sends keep-alive comments while nothing changes', async () => {
    const port = await serveStream(await newJob(), quick);
    const abort = new AbortController();
    const { body } = await fetch(`http://127.0.0.1:${port}/`, { signal: abort.signal });
    let seen = '';
    for await (const part of present(body)) {
      seen += Buffer.from(part).toString();
      if (seen.split(': still here').length > 5) break;
    }
    expect(statesOf(framesIn(seen))).toEqual([['queued', 0]]);
  });

  test('a client that does not read is disconnected and its listener is removed', async () => {
    const job = await newJob({ paths: Array.from({ length: 9000 }, () => 'x'.repeat(100)) });
    const claimed = present(await claimJob(context, job.id));
    for (let step = 1; step <= 30; step += 1) await reportProgress(context, claimed, { pageCount: step });
    const socket = connect(await serveStream(job, { ...quick, keepAliveSeconds: 15 }), '127.0.0.1').pause();
    let closed = false;
    socket.on('close', () => (closed = true)).on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => (context.changes as InProcessChanges).isListenedTo(job.id));
    await until(() => !(context.changes as InProcessChanges).isListenedTo(job.id));
    socket.resume();
    await until(() => closed);
  });
});

test('a job of another organization cannot be followed', async () => {
  const job = await newJob();
  const other = await createTenant(context, { name: 'Other' });
  const answer = await service.request(`/v1/static-export/jobs/${job.id}/events`, { key: other.key.key });
  expect(answer.status).toBe(404);
});
