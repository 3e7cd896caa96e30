/**
 * Log line, metric and trace span of every request. Log lines identify the request, the caller and the job by id; the
 * path is the only value sent by the caller.
 */
import type { MiddlewareHandler } from 'hono';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/authenticate.ts';
import type { HonoEnvironment, Web } from './request.ts';

interface RequestOutcome {
  operation: string;
  status: number;
  requestId: string;
  path: string;
  problem?: string | undefined;
  caller?: Caller | undefined;
  jobId?: string | undefined;
}

export function observe(context: Context): MiddlewareHandler<HonoEnvironment> {
  const begin = requestObserver(context);
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

type RequestObserver = (method: string, traceparent: string | undefined) => (outcome: RequestOutcome) => void;

/** Called when a request arrives; the returned function is called when the response starts. */
function requestObserver({
  tracer,
  measures,
  log,
}: Pick<Context, 'tracer' | 'measures' | 'log'>): RequestObserver {
  // These lines contain no objects with secrets, and skipping redaction is much faster.
  const requestLog = log.child({}, { redact: [] });
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
      if (!requestLog.isLevelEnabled(level)) return;
      requestLog[level](
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
          personId: caller?.user?.id,
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

/** The path of a preview grants access to the site. */
function withoutSignature(path: string): string {
  return path
    .replace(/^(\/preview\/pull-requests\/)[^/.]*/, '$1…')
    .replace(/^(\/preview\/[^/]*\.)[^/.]*/, '$1…');
}

export function operationOf(web: Web): string {
  const operation = web.get('operation');
  if (operation !== undefined) return operation;
  if (web.req.path.startsWith('/b/')) return 'bundle';
  if (web.req.path.startsWith('/preview/')) return 'preview';
  if (web.req.path === '/metrics') return 'metrics';
  return web.res.status < 400 ? 'page' : 'other';
}

/** Polled by machines every few seconds. */
const polledOperations: ReadonlySet<string> = new Set([
  'readHealth',
  'readReadiness',
  'metrics',
  'readExport',
  'readAgentJob',
]);

function levelOf(operation: string, status: number): 'debug' | 'info' | 'error' {
  if (status === 500) return 'error';
  return polledOperations.has(operation) && status < 400 ? 'debug' : 'info';
}

/** The started job, else the job of the path. */
function jobOf(web: Web): string | undefined {
  const started = web.req.method === 'POST' ? (web.res.headers.get('location') ?? '') : '';
  return /(?:se|aj)_[0-9a-f]{16}/.exec(`${started} ${web.req.path}`)?.[0];
}
