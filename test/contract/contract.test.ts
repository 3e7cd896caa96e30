/**
 * Produces every documented response of every operation and validates it against the OpenAPI document. A documented response
 * without a scenario fails.
 */
import { ErrorBody, operation, ProblemBody, type ErrorCode, type OperationId } from '@docyard/api';
import { afterAll, describe, expect, it } from 'vitest';
import { startService, type Service } from '../service.ts';
import { callOf, fetchDocument, type DocumentedOperation, type Given } from './document.ts';
import { freshEmail, invite, owner, password, signIn } from './users.ts';
import { send, type Answer } from './raw-http.ts';
import { bodyBytes, startServices } from './services.ts';
import * as stage from './harness.ts';
import { sendWhileStopping } from './stopping-server.ts';

const { main, sparing, full, github, stop } = await startServices();
const { service, records, keys } = main;
const document = await fetchDocument(service.origin);

afterAll(stop);

const canceled = async (): Promise<Given> => {
  const params = (await queued()).params;
  await service.client.call('cancelExport', { params });
  return { params };
};
const queued = async () => {
  const { jobId } = await service.client.call('startExport', { body: { domain: records.busy.domain } });
  return { params: { jobId } };
};
const someKey = async () => ({
  params: { keyId: (await service.client.call('createKey', { body: { name: 'Short-lived' } })).id },
});
const completed = () => ({ params: { jobId: records.completed.jobId } });
const project = () => ({ params: { projectId: records.project.id } });

const automation = () => ({ params: { projectId: records.project.id, name: records.automation } });
const agentJob = () => ({ params: { projectId: records.project.id, id: records.agentJob } });
/**
 * A fresh job each time. A queued one is not in the queue, so no worker claims it. A stopping one is archived, and its run has not
 * ended.
 */
const agentJobThatIs = (status: 'queued' | 'completed' | 'archived' | 'stopping' | 'purged') => ({
  params: { projectId: records.project.id, id: stage.addAgentJob(service.dataDir, records.project, status) },
});
const isAgentJob = (id: OperationId) => operation(id).tag === 'Agent jobs';

const webhook = () => ({ params: { webhookId: records.webhook.webhookId } });
/** Reused until it has been deleted, because the number is limited. */
const someWebhook = async () => {
  const { data } = await service.client.call('listWebhooks', { query: { limit: 100 } });
  const known = data.find(
    ({ id }) => ![records.webhook.webhookId, records.webhookOff.webhookId].includes(id),
  );
  return { params: { webhookId: known?.id ?? (await stage.addWebhook(service)).webhookId } };
};

/** One session for all tests, because password hashing is slow. */
let session: Record<string, string> | undefined;
const signedIn = async () => (session ??= await signIn(service));
const invitedUser = async () => ({ params: { userId: (await invite(service)).userId } });

const pullRequest = () => ({ params: { pullRequestId: records.pullRequest } });

const deployment = async () => ({
  params: { deploymentId: await stage.addDeployment(service, { name: 'controlled' }) },
});

const projectOnGithub = async () => ({
  params: { projectId: (await stage.addProject(service, github.repository)).id },
});
const confirmedApp = async () => {
  const { params } = await projectOnGithub();
  const { url } = await service.client.call('startGithubApp', { params });
  const { searchParams } = await github.confirm(url);
  return { params, body: { code: searchParams.get('code'), state: searchParams.get('state') } };
};

/** A valid request for each operation. Every scenario below changes one thing about it. */
const valid: Record<OperationId, () => Given | Promise<Given>> = {
  startExport: () => ({ body: { domain: records.project.domain, metadata: { build: '7' } } }),
  listExports: () => ({ query: { domain: records.project.domain, status: 'completed', limit: '1' } }),
  readExport: completed,
  deleteExport: canceled,
  createBundle: () => ({ ...completed(), body: { ttlSeconds: 60 } }),
  openBundle: completed,
  openLatestBundle: () => ({ query: { domain: records.project.domain } }),
  followExport: completed,
  readReport: completed,
  readManifest: completed,
  readSigningKey: () => ({}),
  cancelExport: queued,
  retryExport: () => ({ params: { jobId: records.failed.jobId } }),
  createAgentJob: () => ({ ...project(), body: { prompt: 'Correct the spelling.', dryRun: true } }),
  listAgentJobs: () => ({ ...project(), query: { status: 'completed', archived: 'false', limit: '2' } }),
  listAllAgentJobs: () => ({ query: { ...project().params, status: 'completed', limit: '2' } }),
  followAgentJobs: () => {
    // The list starts with active jobs.
    agentJobThatIs('queued');
    return {};
  },
  readAgentJob: agentJob,
  messageAgentJob: () => ({ ...agentJobThatIs('completed'), body: { prompt: 'Continue.' } }),
  followAgentJob: () => ({ ...agentJob(), query: { after: '0-0', limit: '5' } }),
  readAgentDiff: agentJob,
  readAgentTranscript: () => ({ ...agentJob(), query: { limit: '5' } }),
  cancelAgentJob: () => agentJobThatIs('queued'),
  retryAgentJob: () => agentJobThatIs('completed'),
  archiveAgentJob: () => agentJobThatIs('queued'),
  unarchiveAgentJob: () => agentJobThatIs('archived'),
  listProjects: () => ({ query: { q: 'example', sort: 'name', limit: '2' } }),
  createProject: () => ({
    body: {
      name: 'New',
      domain: stage.freshDomain(),
      source: { repository: 'https://example.com/docs.git' },
    },
  }),
  readProject: project,
  updateProject: () => ({ ...project(), body: { name: 'Renamed' } }),
  readContentKey: project,
  deleteProject: async () => ({
    params: { projectId: (await stage.addProject(service, 'https://example.com/docs.git')).id },
  }),
  listKeys: () => ({ query: { limit: '3' } }),
  createKey: () => ({
    body: { name: 'New', scopes: ['read'], expiresInDays: 7, projectId: records.project.id },
  }),
  rollKey: async () => ({ ...(await someKey()), body: { overlapSeconds: 0 } }),
  revokeKey: someKey,
  listWebhooks: () => ({ query: { limit: '5' } }),
  createWebhook: () => ({ body: { url: 'https://hooks.invalid/', events: ['export.completed'] } }),
  readWebhook: webhook,
  updateWebhook: () => ({ ...webhook(), body: { description: 'Renamed' } }),
  deleteWebhook: someWebhook,
  rotateWebhookSecret: () => ({ ...webhook(), body: { overlapSeconds: 0 } }),
  rotateOrganizationSecret: () => ({ body: { overlapSeconds: 0 } }),
  listWebhookDeliveries: () => ({ ...webhook(), query: { status: 'pending', limit: '5' } }),
  readWebhookDelivery: () => ({ params: records.webhook }),
  redeliverWebhook: () => ({ params: records.webhook }),
  sendWebhookDeliveryNow: async () => {
    await service.client.call('redeliverWebhook', { params: records.webhook });
    return { params: records.webhook };
  },
  testWebhook: webhook,
  readProjectHook: project,
  createHookSecret: () => ({ ...project(), body: { overlapSeconds: 0 } }),
  disableProjectHook: project,
  readProjectPolling: project,
  readGithubApp: project,
  startGithubApp: projectOnGithub,
  finishGithubApp: confirmedApp,
  listForgeEvents: () => ({ query: { state: 'ignored', limit: '5' } }),
  readForgeEvent: () => ({ params: { eventId: records.forgeEvent } }),
  replayForgeEvent: () => ({ params: { eventId: records.forgeEvent } }),
  readAutomations: project,
  refreshAutomations: project,
  runAutomation: () => ({ ...automation(), body: { note: 'Only the guides.' } }),
  pauseAutomation: automation,
  resumeAutomation: automation,
  listAutomationRuns: () => ({ query: { ...project().params, state: 'pending', limit: '5' } }),
  listPullRequests: () => ({ query: { state: 'open', limit: '5' } }),
  readPullRequest: pullRequest,
  approvePullRequest: () => ({ ...pullRequest(), body: { headCommit: stage.pullRequestHead } }),
  rebuildPullRequest: pullRequest,
  listDeployments: () => ({ query: { limit: '5' } }),
  reportDeployment: () => ({ body: stage.siteReport('reporting') }),
  readDeployment: deployment,
  rollbackDeployment: async () => ({ ...(await deployment()), body: { release: 'r1-0a1b2c3d' } }),
  resumeDeployment: deployment,
  cancelInstruction: deployment,
  deleteDeployment: async () => ({ params: { deploymentId: await stage.addDeployment(service) } }),
  reportReadings: async () => {
    await stage.addDeployment(service, { name: 'counting' });
    return { body: stage.siteReadings('counting') };
  },
  readAnalytics: () => ({ query: { days: '7' } }),
  exportAnalytics: () => ({ query: { days: '7' } }),
  deleteAnalytics: deployment,
  checkSource: () => ({ body: { source: { repository: stage.siteFolder() } } }),
  followExports: () => ({}),
  createPreview: completed,
  compareExports: () => ({ ...completed(), query: { with: records.completed.jobId } }),
  readPageChange: () => ({ ...completed(), query: { path: '/', with: records.completed.jobId } }),
  compareFindings: () => ({ ...completed(), query: { with: records.completed.jobId } }),
  readInsights: () => ({ query: { days: '7', projectId: records.project.id } }),
  readSystem: () => ({}),
  readSetup: () => ({}),
  setUp: () => ({ body: { token: full.setupToken, ...owner } }),
  signIn: () => ({ body: { email: owner.email, password } }),
  signOut: () => ({}),
  changePassword: async () => {
    await signedIn();
    return { body: { current: password, next: password } };
  },
  acceptInvitation: async () => ({ body: { token: (await invite(service)).token, name: 'New', password } }),
  listUsers: () => ({ query: { limit: '5' } }),
  inviteUser: () => ({ body: { email: freshEmail(), role: 'viewer' } }),
  updateUser: async () => ({ ...(await invitedUser()), body: { role: 'member' } }),
  removeUser: invitedUser,
  readMe: () => ({}),
  listAuditLog: () => ({ query: { limit: '5' } }),
  exportAuditLog: () => ({ query: { format: 'json', q: 'key' } }),
  readHealth: () => ({}),
  readReadiness: () => ({}),
};

/** For each error code, the change to the request or its circumstances. It applies to every operation. */
const failures: Partial<Record<ErrorCode, (id: OperationId, given: Given) => Promise<Answer>>> = {
  unauthorized: (id, given) => ask(id, given, { key: null }),
  key_in_query: (id, given) => ask(id, { ...given, query: { ...given.query, key: service.key } }),
  address_refused: (id, given) => ask(id, given, { key: keys.otherAddress }),
  scope_missing: (id, given) => {
    const { scope } = operation(id);
    const key = scope === 'any' ? keys.ofProject : scope === 'audit:read' ? keys.projects : keys.audit;
    return ask(id, given, { key });
  },
  plan_required: (id, given) => ask(id, given, { key: keys.free }),
  rate_limited: async (id, given) => {
    if (operation(id).scope === null) return tryTooOften(id, given);
    const spend: OperationId = operation(id).method === 'get' ? 'readMe' : 'createKey';
    await ask(spend, await valid[spend](), { to: sparing });
    return ask(id, given, { to: sparing });
  },
  invalid_request: (id, given) => {
    const { body, query } = operation(id);
    if (body !== undefined) return ask(id, { ...given, body: { ...(given.body as object), colour: 'red' } });
    if (query !== undefined) return ask(id, { ...given, query: { ...given.query, colour: 'red' } });
    return ask(id, given, { headers: { 'Idempotency-Key': 'x'.repeat(256) } });
  },
  precondition_failed: (id, given) => ask(id, given, { headers: { 'If-Match': '"another"' } }),
  version_conflict: (id, given) => {
    const outdated = id === 'approvePullRequest' ? { headCommit: 'b'.repeat(40) } : { version: 1_000_000 };
    return ask(id, { ...given, body: { ...(given.body as object), ...outdated } });
  },
  malformed_json: (id, given) => ask(id, given, { text: '{"name": ' }),
  unsupported_media_type: (id, given) =>
    ask(id, given, { text: 'name=x', headers: { 'Content-Type': 'text/plain' } }),
  payload_too_large: (id, given) => ask(id, given, { text: JSON.stringify({ name: 'x'.repeat(bodyBytes) }) }),
  idempotency_key_reused: async (id, given) => {
    const headers = { 'Idempotency-Key': `used-for-${id}` };
    await ask('createKey', { body: { name: 'The first use' } }, { headers });
    return ask(id, given, { headers });
  },
  idempotency_in_progress: async (id, given) => {
    const slow = { ...given, body: { ...(given.body as object), paths: ['index'] } };
    const twice = { headers: { 'Idempotency-Key': 'at-the-same-time' } };
    const answers = await Promise.all([ask(id, slow, twice), ask(id, slow, twice)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
    return answers.find(({ status }) => status === 409) as Answer;
  },
  not_found: (id, given) => {
    const params = {
      projectId: stage.randomId('pr'),
      jobId: stage.randomId('se'),
      id: stage.randomId('aj'),
      keyId: stage.randomId('key'),
      webhookId: stage.randomId('wh'),
      deliveryId: stage.randomId('whd'),
      userId: stage.randomId('pe'),
      deploymentId: stage.randomId('dp'),
      eventId: stage.randomId('fe'),
    };
    // This installation already has a user.
    if (id === 'setUp') return ask(id, given, { to: service });
    if (id === 'reportReadings') return ask(id, { body: stage.siteReadings('without-a-report') });
    if (given.params !== undefined) return ask(id, { ...given, params });
    if (id === 'createKey' || id === 'checkSource')
      return ask(id, { body: { ...(given.body as object), projectId: params.projectId } });
    if (id === 'readInsights') return ask(id, { query: { projectId: params.projectId } });
    const domain = { domain: stage.freshDomain() };
    return ask(id, given.query === undefined ? { ...given, body: domain } : { ...given, query: domain });
  },
  job_not_completed: async (id, given) => ask(id, await withJob(id, given, 'queued')),
  job_not_finished: (id, given) =>
    ask(id, {
      ...given,
      ...(id === 'unarchiveAgentJob'
        ? agentJobThatIs('stopping')
        : isAgentJob(id)
          ? agentJobThatIs('queued')
          : { params: { jobId: records.queued.jobId } }),
    }),
  job_archived: (id, given) => ask(id, { ...given, ...agentJobThatIs('archived') }),
  job_purged: (id, given) => ask(id, { ...given, ...agentJobThatIs('purged') }),
  agent_not_configured: (id, given) => {
    const { projectId, id: jobId } = full.agentWithoutModel;
    const names = Object.keys(operation(id).params?.shape ?? {});
    const params = names.includes('id') ? { projectId, id: jobId } : { projectId };
    return ask(id, { ...given, params }, { to: full.service });
  },
  job_failed: async (id, given) => ask(id, await withJob(id, given, 'failed')),
  job_finished: (id, given) =>
    ask(id, { ...given, ...(isAgentJob(id) ? agentJob() : { params: { jobId: records.failed.jobId } }) }),
  bundle_purged: async (id, given) => ask(id, await withJob(id, given, 'purged')),
  forge_failed: (id, given) => {
    github.failConversion = { status: 503 };
    return ask(id, given);
  },
  domain_taken: (id, given) =>
    ask(id, { ...given, body: { ...(given.body as object), domain: records.busy.domain } }),
  project_busy: (id, given) => ask(id, { ...given, params: { projectId: records.busy.id } }),
  queue_full: (id, given) => {
    const { projectId, id: agentId } = full.agent;
    const exportBody = operation(id).body === undefined ? {} : { body: { domain: full.domain } };
    const names = Object.keys(operation(id).params?.shape ?? {});
    const inFull = isAgentJob(id)
      ? { ...given, params: names.includes('id') ? { projectId, id: agentId } : { projectId } }
      : { params: { jobId: full.endedJobId }, ...exportBody };
    return ask(id, inFull, { to: full.service });
  },
  delivery_finished: (id, given) => {
    const { deliveryId } = records.webhook;
    stage.write(
      service.dataDir,
      `UPDATE webhook_deliveries SET status = 'failed' WHERE id = '${deliveryId}'`,
    );
    return ask(id, given);
  },
  webhook_disabled: (id, given) => ask(id, { ...given, params: records.webhookOff }),
  webhook_limit: (id, given) => ask(id, given, { to: full.service }),
  deployment_limit: (id, given) => ask(id, given, { to: full.service }),
  deployment_uncontrolled: async (id) => {
    const options = { name: 'uncontrolled', acceptsInstructions: false };
    return ask(id, { params: { deploymentId: await stage.addDeployment(service, options) } });
  },
  draining: (id) => whileItStops(id),
  origin_refused: async (id, given) => {
    const headers = { ...(await signedIn()), Origin: 'https://other.example' };
    return ask(id, given, { key: null, headers });
  },
  token_invalid: (id, given) => ask(id, wrongSecret(given), id === 'setUp' ? { to: sparing } : {}),
  sign_in_failed: (id, given) => ask(id, wrongSecret(given)),
  session_required: (id, given) => ask(id, given, { key: service.key }),
  owner_required: (id, given) =>
    id === 'inviteUser'
      ? ask(id, { body: { email: freshEmail(), role: 'owner' } })
      : ask(id, { ...given, params: { userId: main.ownerId } }),
  last_owner: async (id, given) =>
    ask(id, { ...given, params: { userId: main.ownerId } }, { key: null, headers: await signedIn() }),
  person_exists: (id) => ask(id, { body: { email: owner.email, role: 'viewer' } }),
};

function wrongSecret(given: Given): Given {
  const body = given.body as Record<string, string>;
  const names = ['token', 'password', 'current'];
  const [name = ''] = 'token' in body ? ['token'] : names.filter((each) => each in body);
  return { ...given, body: { ...body, [name]: 'not the right one' } };
}

/** Ten wrong passwords or tokens per address are allowed. */
async function tryTooOften(id: OperationId, given: Given): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    const answer = await ask(id, wrongSecret(given), { to: sparing });
    if (answer.status === 429 || tries === 20) return answer;
  }
}

/** Puts the job into the path, or into the body as the caller's bundle, which must be of the same project. */
async function withJob(
  id: OperationId,
  given: Given,
  status: 'queued' | 'failed' | 'purged',
): Promise<Given> {
  if (operation(id).params !== undefined) return { ...given, params: { jobId: records[status].jobId } };
  return { ...given, query: { ...given.query, since: await jobOfProject(status) } };
}

async function jobOfProject(status: 'queued' | 'failed' | 'purged'): Promise<string> {
  if (status === 'purged') return records.purged.jobId;
  const { jobId } = await service.client.call('startExport', { body: { domain: records.project.domain } });
  if (status === 'failed') await service.client.call('cancelExport', { params: { jobId } });
  return jobId;
}

interface Circumstances {
  /** Another key, or none. */
  key?: string | null;
  headers?: Record<string, string>;
  /** Replaces the body. */
  text?: string;
  to?: Service;
}

let requests = 0;

/** Validates every response, also those of preparations. */
async function ask(id: OperationId, given: Given, circumstances: Circumstances = {}): Promise<Answer> {
  // The owner account can be created only in an installation without users.
  const { key, headers, text, to = id === 'setUp' ? full.service : service } = circumstances;
  requests += 1;
  const requestId = `walk-${requests}`;
  const call = callOf(id, given, {
    'X-Request-Id': requestId,
    ...(key === null ? {} : authorizationOf(id, to, key)),
    ...headers,
  });
  const answer = await send(to.origin, text === undefined ? call : { ...call, body: text });
  expectPromisesKept(id, answer, requestId);
  // A password change replaces the session.
  if (id === 'changePassword' && answer.status < 300) session = undefined;
  return answer;
}

/** A key has no password. */
function authorizationOf(id: OperationId, to: Service, key: string | undefined): Record<string, string> {
  if (id === 'changePassword' && to === service && key === undefined) return session ?? {};
  return { Authorization: `Bearer ${key ?? to.key}` };
}

function expectPromisesKept(id: OperationId, answer: Answer, requestId: string): void {
  const { status, headers, body } = answer;
  expect(document.complaints(id, answer), `${id} ${status} ${body.slice(0, 500)}`).toEqual([]);
  expect(headers.get('x-request-id')).toBe(requestId);
  expect(headers.get('cache-control')).toBe('no-store');
  if (status === 401) expect(headers.get('www-authenticate')).toBe('Bearer');
  if (status === 429 || status === 503) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  if (status === 201 || status === 202) expect(headers.get('location')).toMatch(/^\/v\d\/[\w/-]+$/);
  if (status === 302) expect(headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/b\//);
  const { success, method, alsoStatus } = operation(id);
  if (method === 'get' && success.kind === 'json' && status < 400) {
    expect(headers.get('etag')).toMatch(/^"[\w-]+"$/);
  }
  if (status === success.status || status === alsoStatus) expectRecord(id, answer);
  else if (status >= 400) expectErrorBody(answer, requestId);
}

/** The schema drops unknown fields, so equality means that no field is undocumented. */
function expectRecord(id: OperationId, { body }: Answer): void {
  const { success } = operation(id);
  if (success.kind === 'json') expect(success.schema.parse(JSON.parse(body))).toEqual(JSON.parse(body));
  if (success.kind !== 'events') return;
  const records = [...body.matchAll(/^event: job\ndata: (.*)$/gm)].map(
    ([, data]) => JSON.parse(data ?? '') as unknown,
  );
  expect(records.length).toBeGreaterThan(0);
  for (const record of records) expect(success.schema.parse(record)).toEqual(record);
}

function expectErrorBody({ status, headers, body }: Answer, requestId: string): void {
  if (headers.get('content-type') === 'application/problem+json') {
    expect(ProblemBody.strict().parse(JSON.parse(body))).toMatchObject({ status, requestId });
  } else {
    expect(ErrorBody.strict().parse(JSON.parse(body)).requestId).toBe(requestId);
  }
}

function codeOf({ headers, body }: Answer): unknown {
  return headers.get('content-type')?.endsWith('json')
    ? (JSON.parse(body) as { code?: unknown }).code
    : undefined;
}

let whileStopping: Promise<Map<OperationId, Answer>> | undefined;

/** All operations at once, because a server stops only once. */
function answersWhileStopping(): Promise<Map<OperationId, Answer>> {
  whileStopping ??= (async () => {
    const stopping = await startService({ sample: false });
    const ids = document.operations.map(({ id }) => id);
    const calls = await Promise.all(
      ids.map(async (id) =>
        callOf(id, await valid[id](), {
          'X-Request-Id': `stopping-${id}`,
          Authorization: `Bearer ${stopping.key}`,
        }),
      ),
    );
    const { answers, exitCode } = await sendWhileStopping(stopping, calls);
    expect(exitCode).toBe(0);
    return new Map(ids.map((id, index) => [id, answers[index] as Answer]));
  })();
  return whileStopping;
}

async function whileItStops(id: OperationId): Promise<Answer> {
  const answer = (await answersWhileStopping()).get(id) as Answer;
  expectPromisesKept(id, answer, `stopping-${id}`);
  return answer;
}

/** Each takes as long as the server waits for a lock, so only one is tested, below. */
const shownOnce: ErrorCode = 'storage_unavailable';
/** Needs an overloaded server: `packages/server/src/http/event-loop-lag.slow.test.ts`. */
const shownElsewhere: ErrorCode = 'overloaded';
/** Only this operation is slow enough that a concurrent repetition is certain. */
const slowPost = { id: 'startExport', code: 'idempotency_in_progress' } as const;

describe.each(document.operations)('$id', ({ id, outcomes }) => {
  const walked = outcomes
    .filter(({ code }) => code !== shownOnce && code !== shownElsewhere)
    .filter(({ code }) => code !== slowPost.code || id === slowPost.id)
    .map(({ status, code }) => ({
      status,
      code,
      name: code === undefined ? `${status}` : `${status} ${code}`,
    }));

  it.each(walked)('answers $name', async ({ status, code }) => {
    const answer = await bringAbout(id, status, code);
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status, code });
  });
});

async function bringAbout(id: OperationId, status: number, code: ErrorCode | undefined): Promise<Answer> {
  const given = await valid[id]?.();
  if (given === undefined) throw new Error(`There is no request for ${id}. Add one to \`valid\`.`);
  if (code !== undefined) {
    const failure = failures[code];
    if (failure === undefined)
      throw new Error(`There is no scenario for ${code} of ${id}. Add one to \`failures\`.`);
    return failure(id, given);
  }
  if (status === 503) return whileItStops(id);
  let answer = await ask(id, given);
  if (status !== 304) return answer;
  // A record, such as a delivery in progress, may change between the two requests.
  for (let tries = 0; tries < 20 && answer.status !== 304; tries += 1)
    answer = await ask(id, given, { headers: { 'If-None-Match': answer.headers.get('etag') ?? '' } });
  return answer;
}

describe('every operation with a key', () => {
  const keyed = document.operations.filter(({ id }) => operation(id).scope !== null);

  it.each(keyed)('$id returns its errors as application/problem+json on request', async ({ id }) => {
    const headers = { Accept: 'application/problem+json' };
    const answer = await ask(id, await valid[id](), { key: null, headers });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(codeOf(answer)).toBe('unauthorized');
  });
});

describe('every operation that reads', () => {
  const reads = document.operations.filter(({ method }) => method === 'get');

  it.each(reads)('$id answers HEAD as it answers GET, without the body', async ({ id }) => {
    const call = callOf(id, await valid[id](), { Authorization: `Bearer ${service.key}` });
    const answer = await send(service.origin, { ...call, method: 'HEAD' });
    expect(answer).toMatchObject({ status: operation(id).success.status, body: '' });
  });
});

describe.each(pathsOf(document.operations))('$path', ({ path, methods }) => {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).toSorted();
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
    (method) => !methods.includes(method),
  );

  it.each(others)(`answers %s with 405 and allows ${allowed.join(', ')}`, async (method) => {
    const target = path.replaceAll(/\{\w+\}/g, 'some-id');
    const headers = { 'X-Request-Id': 'other-method', Authorization: `Bearer ${service.key}` };
    const answer = await send(service.origin, { method, target, headers });
    expect({ status: answer.status, code: codeOf(answer) }).toEqual({
      status: 405,
      code: 'method_not_allowed',
    });
    expect(answer.headers.get('allow')).toBe(allowed.join(', '));
    expectErrorBody(answer, 'other-method');
  });
});

function pathsOf(operations: DocumentedOperation[]): { path: string; methods: string[] }[] {
  return [...Map.groupBy(operations, ({ path }) => path)].map(([path, group]) => ({
    path,
    methods: group.map(({ method }) => method.toUpperCase()),
  }));
}

describe('a database that cannot be written', () => {
  /** Other writers of the process delay a read while the lock is held. */
  const patience = { timeout: 30_000 };

  it('a write is answered with 503 storage_unavailable, and reads succeed', async () => {
    const given = await valid.createProject();
    const allowWrites = stage.refuseWrites(service.dataDir);
    try {
      const answer = await ask('createProject', given);
      expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status: 503, code: shownOnce });
      await expect.poll(async () => (await ask('readProject', project())).status, patience).toBe(200);
    } finally {
      allowWrites();
    }
    await expect.poll(async () => (await ask('createProject', given)).status, patience).toBe(201);
  });
});

describe('an unfinished job', () => {
  it('a status has Retry-After, and Prefer: wait delays the response', async () => {
    const given = { params: { jobId: records.queued.jobId } };
    const first = await ask('readExport', given);
    expect(first.headers.get('retry-after')).toBe('2');
    const began = performance.now();
    const held = await ask('readExport', given, { headers: { Prefer: 'wait=1' } });
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(held.headers.get('preference-applied')).toBe('wait=1');
    expect(held.body).toBe(first.body);
  });
});

describe('a repeated POST', () => {
  it('gets the first answer again, marked as such', async () => {
    const given = await valid.createProject();
    const repeat = { headers: { 'Idempotency-Key': 'sent-twice' } };
    const first = await ask('createProject', given, repeat);
    const second = await ask('createProject', given, repeat);
    expect(second).toMatchObject({ status: first.status, body: first.body });
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });
});
