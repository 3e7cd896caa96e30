/**
 * Traces over OTLP. An unreachable collector loses spans and never blocks work. The libraries load slowly:
 * import this file only where tracing is configured. They read the standard OTEL_* variables themselves.
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

const maxClosingMs = 2000;

export interface TracingOptions {
  /** Without `/v1/traces`. */
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

  /** The exporter retries for longer than a stopping process may wait. */
  async close(): Promise<void> {
    const sent = this.#provider.shutdown().catch(() => {});
    await Promise.race([sent, pause(maxClosingMs, undefined, { ref: false })]);
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

/** W3C Trace Context. An invalid `traceparent` starts a new trace. */
function parentOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? [''];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** The exporter reads only the attributes, so the resources package is not a dependency. */
function resourceOf(attributes: Record<string, string>): NonNullable<NodeTracerConfig['resource']> {
  const resource = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  } as NonNullable<NodeTracerConfig['resource']>;
  return resource;
}
