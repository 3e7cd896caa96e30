/**
 * Traces over OTLP, sent in the background; a collector that is away costs spans, never work. The libraries take
 * 200 ms to load: import this file only where tracing is configured. Headers, sampling and batching follow the usual
 * OTEL_* variables, which the libraries read themselves.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider, type NodeTracerConfig } from '@opentelemetry/sdk-trace-node';
import type { Span, SpanEnd, Tracer } from '../../ports/telemetry.ts';

const longestClosingMs = 2000;

export interface TracingOptions {
  /** The address of the collector, without `/v1/traces`. */
  endpoint: string;
  service: string;
  version: string;
  role: string;
}

export class OpenTelemetryTracer implements Tracer {
  readonly #provider: NodeTracerProvider;
  readonly #tracer: OtelTracer;

  constructor({ endpoint, service, version, role }: TracingOptions) {
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces` });
    this.#provider = new NodeTracerProvider({
      resource: resourceOf({ 'service.name': service, 'service.version': version, 'docyard.role': role }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    this.#tracer = this.#provider.getTracer('docyard', version);
  }

  start(name: string, { kind, parent }: Parameters<Tracer['start']>[1]): Span {
    const inside = parentOf(parent);
    const otelKind = kind === 'request' ? SpanKind.SERVER : SpanKind.CONSUMER;
    return new TracedSpan(this.#tracer, this.#tracer.startSpan(name, { kind: otelKind }, inside));
  }

  /** The exporter tries for 10 s and more to reach a collector; a process that stops does not wait for that. */
  async close(): Promise<void> {
    const sent = this.#provider.shutdown().catch(() => {});
    await Promise.race([sent, pause(longestClosingMs, undefined, { ref: false })]);
  }
}

class TracedSpan implements Span {
  readonly #tracer: OtelTracer;
  readonly #span: OtelSpan;

  constructor(tracer: OtelTracer, span: OtelSpan) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  start(name: string): Span {
    const inside = trace.setSpan(ROOT_CONTEXT, this.#span);
    return new TracedSpan(this.#tracer, this.#tracer.startSpan(name, {}, inside));
  }

  end({ name, attributes, failure }: SpanEnd = {}): void {
    if (name !== undefined) this.#span.updateName(name);
    if (attributes !== undefined) this.#span.setAttributes(attributes);
    if (failure !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    this.#span.end();
  }
}

/** As W3C Trace Context has it. What makes no sense begins a trace of its own. */
function parentOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? [''];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** The package that makes these is none of ours; the exporter reads the attributes and nothing else. */
function resourceOf(attributes: Record<string, string>): NonNullable<NodeTracerConfig['resource']> {
  const resource = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  } as NonNullable<NodeTracerConfig['resource']>;
  return resource;
}
