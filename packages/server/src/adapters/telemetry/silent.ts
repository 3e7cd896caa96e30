/** For commands and tests that nobody monitors: nothing is counted and nothing is traced. */
import type { Measures, Span, Tracer } from '../../ports/telemetry.ts';

const nothing = () => {};

export const silentMeasures: Measures = {
  requestEnded: nothing,
  jobStarted: nothing,
  jobEnded: nothing,
  phaseEnded: nothing,
  webhookAttempted: nothing,
  signInFailed: nothing,
  s3Requested: nothing,
  cacheMeasured: nothing,
  queryEnded: nothing,
  watchConnections: nothing,
  read: async () => ({ type: 'text/plain; version=0.0.4; charset=utf-8', text: '' }),
};

const silentSpan: Span = { traceId: undefined, start: () => silentSpan, end: nothing };

export const silentTracer: Tracer = { start: () => silentSpan, close: async () => {} };
