/**
 * Server-sent events of one job, or of all jobs of a kind. Events are read from the database, so a client that
 * reconnects to any process with Last-Event-ID misses nothing; announcements only trigger the next read.
 */
import { currentStatus, readAgentEvents, resumableId } from '../agent/events.ts';
import { describeAgentJobs, type JobPlace } from '../agent/read.ts';
import type { Context } from '../context.ts';
import { readEvents } from '../exports/read.ts';
import { viewExport } from '../exports/view.ts';
import { JobFeed, type JobFilter } from '../jobs/job-feed.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { hasEvent, readJob, type Job } from '../jobs/store.ts';
import { jobsOf } from '../jobs/transitions.ts';
import type { AccessScope } from '../access-scope.ts';
import type { Web } from './request.ts';

export interface StreamTimeouts {
  /** Proxies close silent connections. */
  keepAliveSeconds: number;
  /** A client that reads nothing for this long is disconnected; it may reconnect and resume. */
  maxReadPauseSeconds: number;
}

export interface StreamOptions {
  stopping: AbortSignal;
  disconnect(): void;
  timeouts?: StreamTimeouts;
}

const defaultTimeouts: StreamTimeouts = { keepAliveSeconds: 15, maxReadPauseSeconds: 30 };
const batchSize = 100;
const opening = 'retry: 2000\n\n';
const keepAlive = ': still here\n\n';

export function streamExportEvents(
  context: Context,
  input: StreamOptions & { job: Job; afterSequence: number },
): Response {
  return stream(context, input, (signal, timeouts) =>
    exportFrames(context, input.job, input.afterSequence, signal, timeouts),
  );
}

interface FollowOptions extends StreamOptions {
  reach: AccessScope;
  after: number;
}

/** Ends when the client disconnects. */
export function streamAllExports(context: Context, input: FollowOptions): Response {
  const describe = async (jobs: Job[]) => jobs.map(viewExport);
  return stream(context, input, (signal, timeouts) =>
    allFrames(context, { ...input, kind: 'export', describe }, signal, timeouts),
  );
}

/** Ends when the client disconnects. A new step of a job sends no event. */
export function streamAllAgentJobs(context: Context, input: FollowOptions): Response {
  const describe = (jobs: Job[]) => describeAgentJobs(context, jobs);
  return stream(context, input, (signal, timeouts) =>
    allFrames(context, { ...input, kind: 'agent', describe }, signal, timeouts),
  );
}

/** 0 for a new client. */
export function lastSequence(web: Web): number {
  const lastEventId = web.req.header('last-event-id') ?? '';
  return /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0;
}

/** Ends when the job is no longer active and all events are sent. */
export function streamAgentEvents(
  context: Context,
  input: StreamOptions & { place: JobPlace; after: string },
): Response {
  return stream(context, input, (signal, timeouts) =>
    agentFrames(context, input.place, input.after, signal, timeouts),
  );
}

function stream(
  { log }: Pick<Context, 'log'>,
  { stopping, disconnect, timeouts = defaultTimeouts }: StreamOptions,
  framesUntil: (signal: AbortSignal, timeouts: StreamTimeouts) => AsyncGenerator<string>,
): Response {
  const canceled = new AbortController();
  const frames = framesUntil(AbortSignal.any([stopping, canceled.signal]), timeouts);
  const encoder = new TextEncoder();
  let readTimer: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      clearTimeout(readTimer);
      // The client reconnects and resumes, so a database error only ends the stream.
      const { done, value } = await frames.next().catch((error: unknown) => {
        log.warn({ err: error }, 'event stream interrupted');
        return { done: true, value: '' };
      });
      if (done) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(value));
      if ((controller.desiredSize ?? 0) <= 0)
        readTimer = setTimeout(disconnect, timeouts.maxReadPauseSeconds * 1000);
    },
    cancel() {
      clearTimeout(readTimer);
      canceled.abort();
      // A generator that waits for its reader would never end.
      void frames.return(undefined);
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}

async function* exportFrames(
  context: Context,
  { id, organization_id: organizationId, project_id: projectId }: Job,
  afterSequence: number,
  signal: AbortSignal,
  { keepAliveSeconds }: StreamTimeouts,
): AsyncGenerator<string> {
  yield opening;
  const isStored = afterSequence > 0 && (await hasEvent(context, { jobId: id, sequence: afterSequence }));
  let last = isStored ? afterSequence : 0;
  while (!signal.aborted) {
    const change = context.changes.next(id, { seconds: keepAliveSeconds, signal });
    try {
      // The row is read first: when it is final, the events read after it are the last ones.
      const job = await readJob(context, { id, reach: { organizationId, projectId }, kind: 'export' });
      if (job === undefined) return;
      const events = await readEvents(context, { job, afterSequence: last, maxEvents: batchSize });
      for (const { sequence, record } of events) {
        yield `id: ${sequence}\n${frameOf(record)}`;
        last = sequence;
        if (isFinal(record.status)) return;
      }
      if (events.length === batchSize) continue;
      if (isFinal(job.status)) {
        // The events were removed, so send the current record, unless the client has a position and thus has seen it.
        if (last === 0) yield frameOf(viewExport(job));
        return;
      }
      if ((await change.happened) === 'quiet') yield keepAlive;
    } finally {
      change.stop();
    }
  }
}

async function* allFrames(
  context: Context,
  given: JobFilter & { after: number; describe: (jobs: Job[]) => Promise<unknown[]> },
  signal: AbortSignal,
  { keepAliveSeconds }: StreamTimeouts,
): AsyncGenerator<string> {
  yield opening;
  const { reach, kind, after, describe } = given;
  const { feed, first } = await JobFeed.open(context, { reach, kind, after });
  // An id without an event sets the position from which the client resumes.
  yield `id: ${feed.position}\n\n`;
  for (const record of await describe(first)) yield frameOf(record);
  while (!signal.aborted) {
    const change = context.changes.next(jobsOf(reach.organizationId), { seconds: keepAliveSeconds, signal });
    try {
      const news = await describe(await feed.changedJobs());
      for (const record of news) yield `id: ${feed.position}\n${frameOf(record)}`;
      if (news.length > 0) continue;
      if ((await change.happened) === 'quiet') yield keepAlive;
    } finally {
      change.stop();
    }
  }
}

async function* agentFrames(
  context: Context,
  { id, projectId, reach }: JobPlace,
  after: string,
  signal: AbortSignal,
  { keepAliveSeconds }: StreamTimeouts,
): AsyncGenerator<string> {
  yield opening;
  let last = await resumableId(context, id, after);
  let knowsStatus = !last.startsWith('0-');
  while (!signal.aborted) {
    const change = context.changes.next(id, { seconds: keepAliveSeconds, signal });
    try {
      const job = await readJob(context, { id, reach, kind: 'agent' });
      if (job === undefined) return;
      const read = { jobId: id, projectId, after: last, limit: batchSize };
      const { data, lastEventId } = await readAgentEvents(context, read);
      for (const event of data) yield agentFrameOf(event);
      last = lastEventId;
      knowsStatus ||= data.some(({ type }) => type === 'status');
      if (data.length === batchSize) continue;
      if (isFinal(job.status)) {
        if (!knowsStatus) yield agentFrameOf(currentStatus(job, last));
        return;
      }
      if ((await change.happened) === 'quiet') yield keepAlive;
    } finally {
      change.stop();
    }
  }
}

function frameOf(record: unknown): string {
  return `event: job\ndata: ${JSON.stringify(record)}\n\n`;
}

function agentFrameOf(event: { id: string; type: string }): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
