/**
 * The base of the fake forges: an HTTP server with one repository and its pull requests, injected faults, and validation of
 * every request and response.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { commitHash, newConversation, type Conversation } from './conversation.ts';

export interface FakePull {
  number: number;
  title: string;
  body: string;
  state: 'open' | 'closed' | 'merged';
  draft: boolean;
  head: string;
  base: string;
  /** From a branch of the same name in the fork of a stranger. */
  isFork: boolean;
  /** The path of the fork that has the branch; null for the repository itself. */
  from: string | null;
  maintainersMayEdit: boolean;
  version: number;
  labels: string[];
  reviewers: string[];
  teams: string[];
  assignees: string[];
  author: string;
  headCommit: string;
  baseCommit: string;
  /** The fork was deleted. */
  isHeadDeleted: boolean;
  /** Null: not computed yet. */
  isMergeable: boolean | null;
  changes: FakeChange[];
}

export interface FakeChange {
  path: string;
  /** Of a moved file. */
  from?: string;
}

/** The only users that a pull request accepts, with their ids. */
export const fakeUsers: ReadonlyMap<string, number> = new Map([
  ['ada', 11],
  ['grace', 12],
]);
export const fakeTeam = 'writers';
export const fakeLabels = { repository: 'documentation', organization: 'agent' };
export interface FakeFork {
  /** Owner and name. */
  path: string;
  /** How many more checks find it unfinished. */
  pendingChecks: number;
}

export interface Forking {
  forks: FakeFork[];
  /** The account of the token. */
  account: string;
  /** Of forks that are created from now on. */
  pendingChecks: number;
}

export interface Fault {
  status?: number;
  headers?: Record<string, string>;
  /** The default error of the forge when absent. */
  body?: unknown;
  /** The request succeeds; only its response is replaced. */
  afterwards?: boolean;
  /** Never responds. */
  isSilent?: boolean;
  /** Only a request with this method fails. */
  method?: string;
}

export interface FakeOptions {
  /** Owner and name, such as `harbour/docs`. */
  path?: string;
  hasBranch?: (name: string) => boolean;
}

export interface FakeForge {
  origin: string;
  apiBase: string;
  /** The clone address; there is no git server behind it. */
  repository: string;
  /** The only accepted token. */
  token: string;
  pulls: FakePull[];
  conversation: Conversation;
  forking: Forking;
  requests: { method: string; path: string; authorization: string | undefined; body: unknown }[];
  /** Requests and responses that violate the API description. */
  complaints: string[];
  /** Each of the next requests gets one of these faults. */
  fail(...faults: Fault[]): void;
  stop(): Promise<void>;
}

export interface Operation {
  method: string;
  /** Below the base, with names in braces. */
  path: string;
  /** When it is not the base of the API. */
  base?: string;
  query?: Record<string, unknown>;
  body?: Schema;
  answers: Record<number, Schema>;
  handle(call: HandledCall): Answer;
}

export type Schema = object;

export interface HandledCall {
  parameters: Record<string, string>;
  query: URLSearchParams;
  body: Record<string, unknown>;
  authorization: string | undefined;
  state: FakeState;
}

export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface FakeState {
  origin: string;
  path: string;
  pulls: FakePull[];
  conversation: Conversation;
  forking: Forking;
  defaultBranch: string;
  hasBranch(name: string): boolean;
}

export interface FakeDefinition {
  /** The path of the API on the server, such as `/api/v4`. */
  base: string;
  token: string;
  clonePath(path: string): string;
  operations: Operation[];
  isAuthorized(call: Omit<HandledCall, 'state'>, path: string): boolean;
  failure(status: number, sentence: string): unknown;
  /** A document that the schemas refer to. */
  document?: { id: string; schema: Schema };
}

export async function startFake(definition: FakeDefinition, options: FakeOptions = {}): Promise<FakeForge> {
  const { path = 'harbour/docs', hasBranch = (name) => !name.startsWith('missing') } = options;
  const check = schemaChecks(definition);
  const faults: Fault[] = [];
  const fake: FakeForge = {
    origin: '',
    apiBase: '',
    repository: '',
    token: definition.token,
    pulls: [],
    conversation: newConversation(),
    forking: { forks: [], account: 'docs-bot', pendingChecks: 0 },
    requests: [],
    complaints: [],
    fail: (...more) => void faults.push(...more),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    void answerRequest(request, response).catch((error: unknown) => {
      fake.complaints.push(String(error));
      response.destroy();
    });
  });

  async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? '';
    const url = new URL(request.url ?? '/', fake.origin);
    const { authorization } = request.headers;
    const body = await readJson(request);
    fake.requests.push({ method, path: url.pathname + url.search, authorization, body });
    const fault = takeFault(faults, method);
    if (fault?.isSilent === true && fault.afterwards !== true) return;
    const found = findOperation(definition, method, url.pathname);
    const { origin, pulls, conversation, forking } = fake;
    const state = { origin, path, pulls, conversation, forking, defaultBranch: 'main', hasBranch };
    const work = (): Answer => {
      const missing = { status: 404, body: definition.failure(404, 'Not Found') };
      if (found === undefined) return missing;
      const call = { parameters: found.parameters, query: url.searchParams, body, authorization };
      if (!definition.isAuthorized(call, found.operation.path)) {
        return { status: 401, body: definition.failure(401, 'Unauthorized') };
      }
      fake.complaints.push(...check.request(found.operation, url.searchParams, body));
      const answer = found.operation.handle({ ...call, state });
      fake.complaints.push(...check.answer(found.operation, answer));
      return answer;
    };
    if (fault === undefined) return send(response, work());
    if (fault.afterwards === true) work();
    if (fault.isSilent === true) return;
    const status = fault.status ?? 500;
    send(response, {
      status,
      headers: fault.headers ?? {},
      body: fault.body ?? definition.failure(status, 'A fault'),
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  fake.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fake.apiBase = fake.origin + definition.base;
  fake.repository = `${fake.origin}/${definition.clonePath(path)}`;
  return fake;
}

export function openPull(
  state: Pick<FakeState, 'pulls' | 'forking'>,
  given: Pick<FakePull, 'title' | 'body' | 'draft' | 'head' | 'base'> &
    Partial<Pick<FakePull, 'from' | 'maintainersMayEdit'>>,
): FakePull {
  const number = Math.max(0, ...state.pulls.map((pull) => pull.number)) + 1;
  const pull: FakePull = {
    from: null,
    maintainersMayEdit: false,
    ...given,
    number,
    state: 'open',
    isFork: false,
    version: 0,
    labels: [],
    reviewers: [],
    teams: [],
    assignees: [],
    author: state.forking.account,
    headCommit: commitHash(`head ${number}`),
    baseCommit: commitHash('base'),
    isHeadDeleted: false,
    isMergeable: true,
    changes: [],
  };
  state.pulls.push(pull);
  return pull;
}

/** What a list becomes when names are added to it. */
export function joined(list: readonly string[], names: readonly string[]): string[] {
  return [...new Set([...list, ...names])];
}

/** Every forge allows only one open request between the same branches. */
export function duplicateOf(
  state: FakeState,
  head: string,
  base: string,
  from: string | null = null,
): FakePull | undefined {
  return state.pulls.find(
    (pull) =>
      pull.state === 'open' && !pull.isFork && pull.head === head && pull.base === base && pull.from === from,
  );
}

/** The path of the repository that has the branch. */
export function sourceOf(state: FakeState, pull: FakePull): string {
  return pull.isFork ? 'stranger/docs' : (pull.from ?? state.path);
}

/** The fork in the account of the token; created if it is missing. */
export function forkInto(state: FakeState): FakeFork {
  const path = `${state.forking.account}/${state.path.split('/').at(-1)}`;
  const known = state.forking.forks.find((fork) => fork.path === path);
  if (known !== undefined) return known;
  const fork = { path, pendingChecks: state.forking.pendingChecks };
  state.forking.forks.push(fork);
  return fork;
}

/** Whether the fork is finished; every call brings it closer. */
export function isFinished(fork: FakeFork): boolean {
  fork.pendingChecks -= 1;
  return fork.pendingChecks < 0;
}

function takeFault(faults: Fault[], method: string): Fault | undefined {
  const index = faults.findIndex((fault) => fault.method === undefined || fault.method === method);
  return index === -1 ? undefined : faults.splice(index, 1)[0];
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = Buffer.concat((await request.toArray()) as Buffer[]).toString();
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (status === 204) return void response.writeHead(status, headers).end();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

function findOperation(definition: FakeDefinition, method: string, pathname: string) {
  for (const operation of definition.operations) {
    const pattern = operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const match = new RegExp(`^${operation.base ?? definition.base}${pattern}$`).exec(pathname);
    if (match === null || operation.method !== method) continue;
    const named = Object.entries(match.groups ?? {});
    return {
      operation,
      parameters: Object.fromEntries(named.map(([name, value]) => [name, decodeURIComponent(value)])),
    };
  }
  return undefined;
}

const compiled = new WeakMap<object, ValidateFunction>();
const compilers = new Map<string, Ajv>();

function schemaChecks({ document }: FakeDefinition) {
  const ajv = compilers.get(document?.id ?? '') ?? newCompiler(document);
  const errorsOf = (what: string, key: object, schema: () => Schema, value: unknown): string[] => {
    const validate = compiled.get(key) ?? ajv.compile(schema());
    compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  };
  return {
    request: ({ method, path, query, body }: Operation, given: URLSearchParams, sent: unknown): string[] => {
      const what = `${method} ${path}`;
      const values = Object.fromEntries([...given].map(([name, value]) => [name, asNumber(value)]));
      if (query === undefined && given.size > 0) return [`${what} takes no query`];
      const names = () => ({ type: 'object', properties: query, additionalProperties: false });
      return [
        ...(query === undefined ? [] : errorsOf(`${what} query`, query, names, values)),
        ...(body === undefined ? [] : errorsOf(`${what} body`, body, () => body, sent)),
      ];
    },
    answer: ({ method, path, answers }: Operation, { status, body }: Answer): string[] => {
      const schema = answers[status];
      const what = `${method} ${path} ${status}`;
      return schema === undefined ? [`${what} is not described`] : errorsOf(what, schema, () => schema, body);
    },
  };
}

function newCompiler(document: FakeDefinition['document']): Ajv {
  // Unknown formats are ignored.
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  addFormats.default(ajv);
  if (document !== undefined) ajv.addSchema(document.schema, document.id);
  compilers.set(document?.id ?? '', ajv);
  return ajv;
}

function asNumber(value: string): string | number {
  return /^\d+$/.test(value) ? Number(value) : value;
}
