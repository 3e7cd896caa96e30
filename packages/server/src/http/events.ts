/**
 * Server-sent events of one export. Events come from the database, so a client that comes back with Last-Event-ID
 * misses nothing; the process only learns from `changes` when to look again.
 */
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
  const over = new AbortController();
  const signal = AbortSignal.any([input.signal, over.signal]);
  const frames = framesOf(context, input.job, input.afterSequence, signal);
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await frames.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => over.abort(),
  });
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}

async function* framesOf(
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

function frameOf(record: unknown): string {
  return `event: job\ndata: ${JSON.stringify(record)}\n\n`;
}
