/**
 * Every request once: a line in the log, a number, and a span when traces are wanted. A line names the request, the
 * key or person and the job by their ids and holds nothing that a caller has sent but the path.
 */
import type { MiddlewareHandler } from 'hono';
import type { Context } from '../context.ts';
import type { Surroundings, Web } from './request.ts';

export function observe(context: Context): MiddlewareHandler<Surroundings> {
  return async (web, next) => {
    const beganMs = performance.now();
    const parent = web.req.header('traceparent');
    const span = context.tracer.start(web.req.method, { kind: 'request', parent });
    await next();
    const ms = performance.now() - beganMs;
    const { status } = web.res;
    const operation = operationOf(web);
    const problem = web.get('problem');
    const caller = web.get('caller');
    const jobId = jobOf(web);
    context.measures.requestEnded({ operation, status, seconds: ms / 1000, problem });
    span.end({
      name: `${web.req.method} ${operation}`,
      attributes: {
        'http.request.method': web.req.method,
        'http.response.status_code': status,
        'docyard.request.id': web.get('requestId'),
        ...(jobId === undefined ? {} : { 'docyard.job.id': jobId }),
      },
      ...(status >= 500 ? { failure: problem ?? String(status) } : {}),
    });
    // What is asked every few seconds by machines, and went well, would hide the rest.
    const level = isProbe(operation) && status < 400 ? 'debug' : 'info';
    if (!context.log.isLevelEnabled(level)) return;
    context.log[level](
      {
        requestId: web.get('requestId'),
        traceId: span.traceId,
        method: web.req.method,
        path: withoutSignature(web.req.path).slice(0, 300),
        operation,
        status,
        problem,
        ms: Math.round(ms * 10) / 10,
        keyId: caller?.key?.id,
        personId: caller?.person?.id,
        organizationId: caller?.organizationId,
        jobId,
      },
      'request',
    );
  };
}

/** Whoever has the path of a preview can read the site. */
function withoutSignature(path: string): string {
  return path.replace(/^(\/preview\/[^/]*\.)[^/.]*/, '$1…');
}

function operationOf(web: Web): string {
  const operation = web.get('operation');
  if (operation !== undefined) return operation;
  if (web.req.path.startsWith('/b/')) return 'bundle';
  if (web.req.path.startsWith('/preview/')) return 'preview';
  if (web.req.path === '/metrics') return 'metrics';
  return web.res.status < 400 ? 'page' : 'other';
}

function isProbe(operation: string): boolean {
  return operation === 'readHealth' || operation === 'readReadiness' || operation === 'metrics';
}

/** The one that was started, else the one that was asked for. */
function jobOf(web: Web): string | undefined {
  const started = web.req.method === 'POST' ? (web.res.headers.get('location') ?? '') : '';
  return /(?:se|aj)_[0-9a-f]{16}/.exec(`${started} ${web.req.path}`)?.[0];
}
