import type { Measures, Span, Tracer } from '../../ports/telemetry.ts';

const noOp = () => {};

export const noOpMeasures: Measures = {
  requestEnded: noOp,
  jobStarted: noOp,
  jobEnded: noOp,
  phaseEnded: noOp,
  webhookAttempted: noOp,
  signInFailed: noOp,
  s3Requested: noOp,
  cacheMeasured: noOp,
  queryEnded: noOp,
  watchConnections: noOp,
  read: async () => ({ type: 'text/plain; version=0.0.4; charset=utf-8', text: '' }),
};

const noOpSpan: Span = { traceId: undefined, start: () => noOpSpan, end: noOp };

export const noOpTracer: Tracer = { start: () => noOpSpan, close: async () => {} };
