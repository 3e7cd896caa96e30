/**
 * Builds the HTTP application from the table of operations. Every operation is handled in the same order:
 * authentication, rate limits, permissions, input, work, response.
 */
import { operation, operationIds, type Operation, type OperationId, type ParsedInput } from '@docyard/api';
import { Hono } from 'hono';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/authenticate.ts';
import { Problem } from '../problem.ts';
import { Callers, requireRights } from './auth.ts';
import { serveBundle } from './blobs.ts';
import { parseBody, parseQuery, readBody } from './body.ts';
import { requireConditions } from './conditions.ts';
import { conditionOf } from './conditional-write.ts';
import { markAuthenticated } from './connections.ts';
import { addDashboard } from './dashboard.ts';
import { respondWithError } from './errors.ts';
import { agentHandlers } from './handlers/agent.ts';
import { analyticsHandlers } from './handlers/analytics.ts';
import { auditHandlers } from './handlers/audit.ts';
import { deploymentHandlers } from './handlers/deployments.ts';
import { exportHandlers, exportStarts } from './handlers/exports.ts';
import { automationHandlers } from './handlers/automations.ts';
import { forgeEventHandlers } from './handlers/forge-events.ts';
import { githubAppHandlers } from './handlers/github-app.ts';
import { healthHandlers } from './handlers/health.ts';
import { userHandlers } from './handlers/users.ts';
import { keyHandlers } from './handlers/keys.ts';
import { projectHandlers } from './handlers/projects.ts';
import { pullRequestHandlers } from './handlers/pull-requests.ts';
import { systemHandlers } from './handlers/system.ts';
import { webhookHandlers } from './handlers/webhooks.ts';
import { addHooks } from './hooks.ts';
import { Idempotency } from './idempotency.ts';
import { EventLoopLag, refuseWork } from './event-loop-lag.ts';
import { RateLimits } from './limits.ts';
import { addGithubAppPage } from './github-app-page.ts';
import { addMetrics } from './metrics.ts';
import { observe } from './request-telemetry.ts';
import { addPages } from './pages.ts';
import { separateHosts } from './preview-host.ts';
import { servePreview } from './previews.ts';
import { ResponseCache } from './response-cache.ts';
import {
  callerAddress,
  originOf,
  rawTarget,
  type Handler,
  type Handlers,
  type ReadCached,
  type Reply,
  type Web,
  type App,
} from './request.ts';
import { operationsByPath, refuseMethod, toHonoPath } from './routes.ts';
import { addSignIn } from './oidc-sign-in.ts';
import { preferredWaitSeconds, readWhenChanged } from './prefer-wait.ts';
import { matchesEtag, requestIdFrom, defaultHeaders, serialize } from './serialized-reply.ts';

/** `stopping` is aborted when the server starts to drain. */
export function buildApp(context: Context, stopping: AbortSignal): App {
  const app = createApp(context);
  addOperations(app, context, stopping, operationIds);
  app.get('/b/*', async (web) => {
    const file = await serveBundle(context, web);
    markAuthenticated(web.env.incoming.socket);
    return web.newResponse(file.body, file);
  });
  app.get('/preview/*', async (web) => {
    const file = await servePreview(context, web);
    return web.newResponse(file.body, file);
  });
  addHooks(app, { context, stopping, limits: new RateLimits(context) });
  addGithubAppPage(app, context);
  addMetrics(app, context);
  addSignIn(app, context);
  addPages(app, context);
  addDashboard(app, context);
  addErrorResponses(app, context, 'See /openapi.json for all operations.');
  return app;
}

/** For a process that only runs jobs: health, readiness and metrics. */
export function buildProbes(context: Context, stopping: AbortSignal): App {
  const probes = ['readHealth', 'readReadiness'] as const;
  const app = createApp(context);
  addOperations(app, context, stopping, probes);
  addMetrics(app, context);
  addErrorResponses(
    app,
    context,
    'This process only runs jobs. Send requests to a process with the role api or all.',
  );
  return app;
}

function createApp(context: Context): App {
  const app: App = new Hono({ getPath: (request) => new URL(request.url).pathname });
  app.use(async (web, next) => {
    web.set('requestId', requestIdFrom(web.req.header('x-request-id')));
    web.header('x-request-id', web.get('requestId'));
    for (const [name, value] of Object.entries(defaultHeaders)) web.header(name, value);
    await next();
  });
  app.use(observe(context));
  app.use(separateHosts(context));
  return app;
}

function addOperations(app: App, context: Context, stopping: AbortSignal, ids: readonly OperationId[]): void {
  const eventLoopLag = new EventLoopLag();
  eventLoopLag.watch(stopping);
  const idempotency = new Idempotency(context);
  const starts = exportStarts(context, idempotency);
  const edge: Edge = {
    context,
    stopping,
    eventLoopLag,
    callers: new Callers(context),
    statuses: new ResponseCache(context.changes),
    limits: new RateLimits(context),
    idempotency,
    handlers: {
      ...exportHandlers(context, stopping, starts),
      ...agentHandlers(stopping),
      ...keyHandlers,
      ...projectHandlers,
      ...analyticsHandlers(stopping),
      ...auditHandlers(stopping),
      ...systemHandlers(context.clock.now(), stopping),
      ...webhookHandlers,
      ...forgeEventHandlers,
      ...githubAppHandlers,
      ...automationHandlers,
      ...pullRequestHandlers,
      ...deploymentHandlers,
      ...userHandlers,
      ...healthHandlers(stopping),
    },
  };
  for (const [path, pathIds] of operationsByPath(ids)) {
    for (const id of pathIds)
      app.on(operation(id).method.toUpperCase(), toHonoPath(path), (web) => serve(edge, id, web));
    app.all(toHonoPath(path), (web) => refuseMethod(web, pathIds));
  }
}

function addErrorResponses(app: App, context: Context, hint: string): void {
  app.notFound((web) =>
    respondWithError(web, new Problem('not_found', `No such path. ${hint}`), context.log),
  );
  app.onError((error, web) => respondWithError(web, error, context.log));
}

interface Edge {
  context: Context;
  stopping: AbortSignal;
  eventLoopLag: EventLoopLag;
  callers: Callers;
  statuses: ResponseCache<Reply<unknown>>;
  limits: RateLimits;
  idempotency: Idempotency;
  handlers: Handlers;
}

const streams: ReadonlySet<OperationId> = new Set<OperationId>([
  'followExport',
  'followExports',
  'followAgentJob',
  'followAgentJobs',
]);

async function serve(edge: Edge, id: OperationId, web: Web): Promise<Response> {
  const { context } = edge;
  const described = operation(id);
  web.set('operation', id);
  const reading = described.method === 'get';
  refuseWork(edge, described);
  const caller = described.scope === null ? undefined : await edge.callers.require(web);
  const refund = caller === undefined ? undefined : await edge.limits.countRequest(web, caller.id);
  if (caller !== undefined) {
    web.set('caller', caller);
    markAuthenticated(web.env.incoming.socket);
    requireRights(caller, described);
    if (streams.has(id)) {
      edge.limits.openStream(web, caller.id);
      edge.callers.watch(web, described);
    }
  }
  const body = reading ? new Uint8Array() : await readBody(web, context.config.limits.bodyBytes);
  const input = {
    params: web.req.param(),
    query: parseQuery(web, described),
    body: parseBody(web, described, body),
  };
  const work = () => run(edge, { id, described, web, caller, input, body });
  const reply = described.waitable ? await waitFor(edge, web, input.params, work) : await work();
  return reply instanceof Response
    ? web.newResponse(reply.body, reply)
    : respond(web, described, reply, refund);
}

interface Call {
  id: OperationId;
  described: Operation;
  web: Web;
  caller: Caller | undefined;
  input: { params: unknown; query: unknown; body: unknown };
  body: Uint8Array;
}

/** Ids are dynamic here, so the types of the operation's handler are asserted. */
async function run(edge: Edge, call: Call): Promise<Reply<unknown> | Response> {
  const { context } = edge;
  const { web, caller, described } = call;
  const handler = edge.handlers[call.id] as unknown as Handler<'readMe'>;
  const request = {
    context,
    web,
    input: call.input as ParsedInput<'readMe'>,
    caller: caller as Caller,
    actor: {
      organizationId: caller?.organizationId ?? '',
      projectId: caller?.projectId ?? null,
      name: caller?.key?.id ?? caller?.user?.email ?? 'anonymous',
      address: callerAddress(context, web),
      requestId: web.get('requestId'),
    },
    origin: originOf(context, web),
    cached: cacheFor(edge, call),
  };
  return edge.idempotency.run(
    {
      reach: request.actor,
      key: storesReply(described) ? web.req.header('idempotency-key') : undefined,
      method: web.req.method,
      target: rawTarget(web),
      body: call.body,
      successStatus: described.success.status,
    },
    async (commit, record) => {
      const condition = conditionOf({
        web,
        described,
        caller,
        params: call.input.params as Record<string, string>,
        read: (inside, id, input) => {
          const reader = edge.handlers[id] as unknown as Handler<'readMe'>;
          const read = { input: input as ParsedInput<'readMe'>, cached: uncached };
          return reader({ ...request, ...read, context: inside, commit, record, condition: undefined });
        },
      });
      await condition?.require(context);
      return handler({ ...request, commit: condition?.guard(commit) ?? commit, record, condition });
    },
  );
}

const uncached: ReadCached = (_jobId, read) => read();

function storesReply({ method, keepsNoAnswer }: Operation): boolean {
  return method === 'post' && !keepsNoAnswer;
}

/** A cached reply is only shown to callers with the same access scope. */
function cacheFor(edge: Edge, { id, caller, input }: Call): ReadCached {
  const params = Object.values(input.params as object).map((value) => encodeURIComponent(String(value)));
  const key = [id, caller?.organizationId ?? '', caller?.projectId ?? '', ...params].join('/');
  return (jobId, read) => edge.statuses.read(key, jobId, read) as ReturnType<typeof read>;
}

async function waitFor(
  edge: Edge,
  web: Web,
  params: Record<string, string>,
  work: () => Promise<Reply<unknown> | Response>,
): Promise<Reply<unknown> | Response> {
  const seconds = preferredWaitSeconds(web.req.header('prefer'));
  if (seconds === undefined) return work();
  web.header('preference-applied', `wait=${seconds}`);
  const known = web.req.header('if-none-match');
  let first: string | undefined;
  const jobId = params['jobId'] ?? params['id'] ?? '';
  const signal = AbortSignal.any([edge.stopping, web.req.raw.signal]);
  return readWhenChanged(edge.context.changes, { jobId, seconds, signal }, work, (reply) => {
    if (reply instanceof Response || reply.retryAfterSeconds === undefined) return false;
    const { etag } = serialize(reply);
    first ??= etag;
    return known === undefined ? etag === first : matchesEtag(known, etag);
  });
}

function respond(
  web: Web,
  described: Operation,
  reply: Reply<unknown>,
  refund: (() => void) | undefined,
): Response {
  for (const [name, value] of Object.entries(reply.headers ?? {})) web.header(name, value);
  const status = reply.status ?? described.success.status;
  if (described.success.kind !== 'json') return web.body(null, status as 204);
  const { type, content } = reply.text ?? { type: 'application/json', content: serialize(reply).json };
  if (described.method === 'get' && status === 200) {
    const { etag } = serialize(reply);
    web.header('etag', etag);
    requireConditions(web, etag, { isRead: true });
    if (matchesEtag(web.req.header('if-none-match') ?? '', etag)) {
      refund?.();
      return web.body(null, 304);
    }
  }
  return web.body(content, status as 200, { 'content-type': type });
}
