/**
 * Every request once: a line in the log, a number, and a span when traces are wanted. A line names the request, the
 * key or person and the job by their ids and holds nothing that a caller has sent but the path.
 */
import type { MiddlewareHandler } from 'hono';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/authenticate.ts';
import type { Surroundings, Web } from './request.ts';

interface Ended {
  operation: string;
  status: number;
  requestId: string;
  path: string;
  problem?: string | undefined;
  caller?: Caller | undefined;
  jobId?: string | undefined;
}

export function observe(context: Context): MiddlewareHandler<Surroundings> {
  const begin = observed(context);
  return async (web, next) => {
    const end = begin(web.req.method, web.req.header('traceparent'));
    await next();
    end({
      operation: operationOf(web),
      status: web.res.status,
      requestId: web.get('requestId'),
      path: loggedPath(web),
      problem: web.get('problem'),
      caller: web.get('caller'),
      jobId: jobOf(web),
    });
  };
}

type Begin = (method: string, traceparent: string | undefined) => (ended: Ended) => void;

/** What it returns is called when a request arrives; and what that returns, when the answer begins. */
function observed({ tracer, measures, log }: Pick<Context, 'tracer' | 'measures' | 'log'>): Begin {
  // These lines have no objects in them in which names of secrets would have to be looked for: 5 µs instead of 14.
  const lines = log.child({}, { redact: [] });
  return (method, parent) => {
    const beganMs = performance.now();
    const span = tracer.start(method, { kind: 'request', parent });
    return ({ operation, status, requestId, path, problem, caller, jobId }) => {
      const ms = performance.now() - beganMs;
      measures.requestEnded({ operation, status, seconds: ms / 1000, problem });
      span.end({
        name: `${method} ${operation}`,
        attributes: {
          'http.request.method': method,
          'http.response.status_code': status,
          'docyard.request.id': requestId,
          ...(jobId === undefined ? {} : { 'docyard.job.id': jobId }),
        },
        ...(status >= 500 ? { failure: problem ?? String(status) } : {}),
      });
      const level = levelOf(operation, status);
      if (!lines.isLevelEnabled(level)) return;
      lines[level](
        {
          requestId,
          traceId: span.traceId,
          method,
          path,
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
  };
}

export function loggedPath(web: Web): string {
  return withoutSignature(web.req.path).slice(0, 300);
}

/** Everyone who has the path of a preview can read the site. */
function withoutSignature(path: string): string {
  return path.replace(/^(\/preview\/[^/]*\.)[^/.]*/, '$1…');
}

export function operationOf(web: Web): string {
  const operation = web.get('operation');
  if (operation !== undefined) return operation;
  if (web.req.path.startsWith('/b/')) return 'bundle';
  if (web.req.path.startsWith('/preview/')) return 'preview';
  if (web.req.path === '/metrics') return 'metrics';
  return web.res.status < 400 ? 'page' : 'other';
}

/** Asked every few seconds by machines. */
const polls: ReadonlySet<string> = new Set([
  'readHealth',
  'readReadiness',
  'metrics',
  'readExport',
  'readAgentJob',
]);

function levelOf(operation: string, status: number): 'debug' | 'info' | 'error' {
  if (status === 500) return 'error';
  return polls.has(operation) && status < 400 ? 'debug' : 'info';
}

/** The one that was started, else the one that was asked for. */
function jobOf(web: Web): string | undefined {
  const started = web.req.method === 'POST' ? (web.res.headers.get('location') ?? '') : '';
  return /(?:se|aj)_[0-9a-f]{16}/.exec(`${started} ${web.req.path}`)?.[0];
}
