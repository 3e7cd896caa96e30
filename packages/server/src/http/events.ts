/**
 * Server-sent events of one job, or of all jobs of a kind. Events come from the database, so a client that comes back with Last-Event-ID misses
 * nothing, whichever process it comes back to; the process only learns from `changes` when to look again.
 */
import { currentStatus, readAgentEvents, resumableId } from '../agent/events.ts';
import { describeAgentJobs, type JobPlace } from '../agent/read.ts';
import type { Context } from '../context.ts';
import { readEvents } from '../exports/read.ts';
import { viewExport } from '../exports/view.ts';
import { FollowedJobs, type Followed } from '../jobs/follow.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { hasEvent, readJob, type Job } from '../jobs/store.ts';
import { jobsOf } from '../jobs/transitions.ts';
import type { Reach } from '../reach.ts';
import type { Web } from './request.ts';

export interface Pace {
  /** Proxies close a connection on which nothing is said. */
  keepAliveSeconds: number;
  /** A client that takes nothing for so long is cut off; it may come back and go on. */
  slowestReadSeconds: number;
}

export interface StreamOptions {
  stopping: AbortSignal;
  /** Closes the connection at once. */
  cut(): void;
  pace?: Pace;
}

const usualPace: Pace = { keepAliveSeconds: 15, slowestReadSeconds: 30 };
const eventsAtOnce = 100;
const opening = 'retry: 2000\n\n';
const keepAlive = ': still here\n\n';

export function streamExportEvents(
  context: Context,
  input: StreamOptions & { job: Job; afterSequence: number },
): Response {
  return stream(context, input, (signal, pace) =>
    exportFrames(context, input.job, input.afterSequence, signal, pace),
  );
}

interface Following extends StreamOptions {
  reach: Reach;
  after: number;
}

/** Goes on until the client leaves. */
export function streamAllExports(context: Context, input: Following): Response {
  const describe = async (jobs: Job[]) => jobs.map(viewExport);
  return stream(context, input, (signal, pace) =>
    allFrames(context, { ...input, kind: 'export', describe }, signal, pace),
  );
}

/** Likewise. A step of a job is no change of its record. */
export function streamAllAgentJobs(context: Context, input: Following): Response {
  const describe = (jobs: Job[]) => describeAgentJobs(context, jobs);
  return stream(context, input, (signal, pace) =>
    allFrames(context, { ...input, kind: 'agent', describe }, signal, pace),
  );
}

/** Where a client that comes back to one of them has been; 0 for a new one. */
export function lastSequence(web: Web): number {
  const lastEventId = web.req.header('last-event-id') ?? '';
  return /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0;
}

/** Ends when the job is no longer active and everything has been told. */
export function streamAgentEvents(
  context: Context,
  input: StreamOptions & { place: JobPlace; after: string },
): Response {
  return stream(context, input, (signal, pace) =>
    agentFrames(context, input.place, input.after, signal, pace),
  );
}

function stream(
  { log }: Pick<Context, 'log'>,
  { stopping, cut, pace = usualPace }: StreamOptions,
  framesUntil: (signal: AbortSignal, pace: Pace) => AsyncGenerator<string>,
): Response {
  const over = new AbortController();
  const frames = framesUntil(AbortSignal.any([stopping, over.signal]), pace);
  const encoder = new TextEncoder();
  let unread: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      clearTimeout(unread);
      // The client comes back by itself and goes on, so that a database that is away for a moment costs nothing.
      const { done, value } = await frames.next().catch((error: unknown) => {
        log.warn({ err: error }, 'a stream of events was broken off');
        return { done: true, value: '' };
      });
      if (done) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(value));
      if ((controller.desiredSize ?? 0) <= 0) unread = setTimeout(cut, pace.slowestReadSeconds * 1000);
    },
    cancel() {
      clearTimeout(unread);
      over.abort();
      // One that waits for its reader would never end by itself.
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
  { keepAliveSeconds }: Pace,
): AsyncGenerator<string> {
  yield opening;
  const isKept = afterSequence > 0 && (await hasEvent(context, { jobId: id, sequence: afterSequence }));
  let last = isKept ? afterSequence : 0;
  while (!signal.aborted) {
    const change = context.changes.next(id, { seconds: keepAliveSeconds, signal });
    try {
      // The row first: when it is final, the events read after it are the last ones.
      const job = await readJob(context, { id, reach: { organizationId, projectId }, kind: 'export' });
      if (job === undefined) return;
      const events = await readEvents(context, { job, afterSequence: last, most: eventsAtOnce });
      for (const { sequence, record } of events) {
        yield `id: ${sequence}\n${frameOf(record)}`;
        last = sequence;
        if (isFinal(record.status)) return;
      }
      if (events.length === eventsAtOnce) continue;
      if (isFinal(job.status)) {
        // Its events are past their time: the record as it is now. With any other position the client has seen it.
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
  given: Followed & { after: number; describe: (jobs: Job[]) => Promise<unknown[]> },
  signal: AbortSignal,
  { keepAliveSeconds }: Pace,
): AsyncGenerator<string> {
  yield opening;
  const { reach, kind, after, describe } = given;
  const { followed, first } = await FollowedJobs.begin(context, { reach, kind, after });
  // Also without an event the client knows where to go on.
  yield `id: ${followed.position}\n\n`;
  for (const record of await describe(first)) yield frameOf(record);
  while (!signal.aborted) {
    const change = context.changes.next(jobsOf(reach.organizationId), { seconds: keepAliveSeconds, signal });
    try {
      const news = await describe(await followed.news());
      for (const record of news) yield `id: ${followed.position}\n${frameOf(record)}`;
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
  { keepAliveSeconds }: Pace,
): AsyncGenerator<string> {
  yield opening;
  let last = await resumableId(context, id, after);
  let knowsStatus = !last.startsWith('0-');
  while (!signal.aborted) {
    const change = context.changes.next(id, { seconds: keepAliveSeconds, signal });
    try {
      const job = await readJob(context, { id, reach, kind: 'agent' });
      if (job === undefined) return;
      const read = { jobId: id, projectId, after: last, most: eventsAtOnce };
      const { data, lastEventId } = await readAgentEvents(context, read);
      for (const event of data) yield agentFrameOf(event);
      last = lastEventId;
      knowsStatus ||= data.some(({ type }) => type === 'status');
      if (data.length === eventsAtOnce) continue;
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
