/**
 * Server-sent events of one job. Events come from the database, so a client that comes back with Last-Event-ID
 * misses nothing; the process only learns from `changes` when to look again.
 */
import { readAgentEvents } from '../agent/events.ts';
import { findAgentJob, type JobPlace } from '../agent/read.ts';
import type { Context } from '../context.ts';
import { readEvents } from '../exports/read.ts';
import { viewExport } from '../exports/view.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import type { Job } from '../jobs/store.ts';

const keepAliveSeconds = 15;
const eventsAtOnce = 100;

export function streamExportEvents(
  context: Context,
  input: { job: Job; afterSequence: number; signal: AbortSignal },
): Response {
  return stream(input.signal, (signal) => exportFrames(context, input.job, input.afterSequence, signal));
}

/** Ends when the job is no longer active and everything has been told. */
export function streamAgentEvents(
  context: Context,
  input: { place: JobPlace; after: string; signal: AbortSignal },
): Response {
  return stream(input.signal, (signal) => agentFrames(context, input.place, input.after, signal));
}

function stream(
  stopping: AbortSignal,
  framesUntil: (signal: AbortSignal) => AsyncGenerator<string>,
): Response {
  const over = new AbortController();
  const frames = framesUntil(AbortSignal.any([stopping, over.signal]));
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await frames.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => over.abort(),
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}

async function* exportFrames(
  context: Context,
  job: Job,
  afterSequence: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield 'retry: 2000\n\n';
  let last = afterSequence;
  while (!signal.aborted) {
    const change = context.changes.next(job.id, { seconds: keepAliveSeconds, signal });
    try {
      const events = await readEvents(context, { job, afterSequence: last, most: eventsAtOnce });
      for (const { sequence, record } of events) {
        yield `id: ${sequence}\n${frameOf(record)}`;
        last = sequence;
        if (isFinal(record.status)) return;
      }
      if (events.length === eventsAtOnce) continue;
      if (isFinal(job.status)) {
        // Its events are past their time, or the client has seen them all: the record as it is now, and the end.
        if (events.length === 0 && last === 0) yield frameOf(viewExport(job));
        return;
      }
      if ((await change.happened) === 'quiet') yield ': still here\n\n';
    } finally {
      change.stop();
    }
  }
}

async function* agentFrames(
  context: Context,
  place: JobPlace,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield 'retry: 2000\n\n';
  let last = after;
  while (!signal.aborted) {
    const change = context.changes.next(place.id, { seconds: keepAliveSeconds, signal });
    try {
      // The row first: when it is final, the events read after it are the last ones.
      const job = await findAgentJob(context, place);
      const { data, lastEventId } = await readAgentEvents(context, {
        jobId: place.id,
        projectId: place.projectId,
        after: last,
        most: eventsAtOnce,
      });
      for (const event of data) {
        yield `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      }
      last = lastEventId;
      if (data.length === eventsAtOnce) continue;
      if (isFinal(job.status)) return;
      if ((await change.happened) === 'quiet') yield ': still here\n\n';
    } finally {
      change.stop();
    }
  }
}

function frameOf(record: unknown): string {
  return `event: job\ndata: ${JSON.stringify(record)}\n\n`;
}
