/** Malformed requests as fast-check arbitraries: almost valid ones, wrong types, broken encodings, unusual paths and headers. */
import fc from 'fast-check';
import { operation, type OperationId } from '@docyard/api';
import type { Call } from './raw-http.ts';

/** Existing records, so that a request passes the first checks. */
export interface Existing {
  key: string;
  /** Ids for each path parameter. */
  ids: Record<string, string[]>;
  domain: string;
}

const oddTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202eabc',
  '\ufeff',
  '💥'.repeat(50),
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  '../../../etc/passwd',
  '%00',
  '%',
  '-0',
  '1e400',
  'NaN',
  'x'.repeat(5000),
];
const repositories = [
  '/tmp',
  'file:///%zz',
  'file:///tmp/%E0%A4',
  'file://host/x',
  'https://user:pw@example.com/x.git',
  'https://[::1]/x.git',
  'http://example.com:99999/',
  'https://example.com/x.git?a#b',
  'javascript:alert(1)',
  'ext::sh -c x',
];
const addresses = [
  '203.0.113.0/24',
  '1.2.3.4/0',
  '1.2.3.4/33',
  '::1/128',
  '::1/999',
  'fe80::1%eth0',
  '::ffff:1.2.3.4',
  '01.2.3.4',
];
const validTexts = [
  ...repositories,
  ...addresses,
  'main',
  '--upload-pack=x',
  'refs/heads/main',
  'a..b',
  '2024-02-30T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  'queued',
  'directory',
  'write',
  '/docs/..',
];

const text = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.constantFrom(...validTexts),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
);

const numbers = fc.constantFrom(0, -1, 1, 7, 60, 1.5, 100, 101, 3600, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308);
const value = fc.oneof(
  text,
  numbers,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue(),
  fc.array(text, { maxLength: 4 }),
);
/** Request fields with values of the right type. */
const fields = {
  domain: text,
  version: text,
  paths: fc.array(text, { maxLength: 3 }),
  ref: text,
  basePath: text,
  urlStyle: text,
  groups: fc.array(text, { maxLength: 3 }),
  airGapped: fc.boolean(),
  customScripts: fc.oneof(fc.constantFrom('include', 'skip'), text),
  exports: fc.record({
    customScripts: fc.oneof(fc.constantFrom('include', 'skip'), text),
    polling: fc.record({ enabled: fc.boolean(), intervalSeconds: numbers }),
  }),
  organization: text,
  returnTo: fc.oneof(fc.constantFrom(...repositories, 'http://127.0.0.1:8123/'), text),
  code: text,
  state: text,
  strict: fc.boolean(),
  failOn: fc.array(text, { maxLength: 3 }),
  metadata: fc.dictionary(text, text, { maxKeys: 3 }),
  name: text,
  source: fc.record(
    { repository: fc.oneof(fc.constantFrom(...repositories), text), ref: text, directory: text },
    { requiredKeys: ['repository'] },
  ),
  scopes: fc.array(text, { maxLength: 3 }),
  expiresInDays: numbers,
  allowedAddresses: fc.array(fc.oneof(fc.constantFrom(...addresses), text), { maxLength: 3 }),
  projectId: text,
  overlapSeconds: numbers,
  ttlSeconds: numbers,
  url: fc.oneof(fc.constantFrom(...repositories, 'https://127.1/', 'http://[::1]/'), text),
  events: fc.array(fc.oneof(fc.constantFrom('export.completed', 'agent.failed'), text), { maxLength: 3 }),
  enabled: fc.boolean(),
  description: text,
  webhookUrl: fc.oneof(fc.constantFrom(...repositories), text),
  email: text,
  role: text,
  token: text,
  password: text,
  disabled: fc.boolean(),
  prompt: text,
  model: text,
  draft: fc.boolean(),
  dryRun: fc.boolean(),
  scope: fc.record({ paths: fc.array(text, { maxLength: 3 }) }),
  limits: fc.dictionary(fc.constantFrom('steps', 'minutes', 'files', '__proto__'), numbers, { maxKeys: 3 }),
  agent: fc.record(
    {
      engine: text,
      model: fc.record({ provider: text, url: text, name: text, key: text }),
      forge: fc.record({ kind: text, apiBase: text, fork: text, credential: value }),
      protectedPaths: fc.array(text, { maxLength: 3 }),
      allowedPaths: fc.array(text, { maxLength: 3 }),
      allowedConfigKeys: fc.array(text, { maxLength: 3 }),
      instructions: text,
      contextRepositories: fc.array(
        fc.record({ name: text, repository: text, ref: text, paths: fc.array(text, { maxLength: 3 }) }),
        { maxLength: 3 },
      ),
      requireEvidence: value,
    },
    { requiredKeys: [] },
  ),
};

type Field = [name: string, value: unknown];

/** Valid bodies; generated requests replace, add or repeat their fields. */
function rightFields(id: OperationId, { domain }: Existing): Field[] {
  const repository = 'https://example.com/docs.git';
  const bodies: Partial<Record<OperationId, object>> = {
    startExport: { domain, strict: true, metadata: { build: '7' } },
    createBundle: { ttlSeconds: 60 },
    createProject: { name: 'Fuzzed', domain: 'fuzzed.example.com', source: { repository } },
    updateProject: {
      name: 'Fuzzed',
      source: { repository, directory: 'docs' },
      agent: { instructions: 'Be brief.' },
    },
    createKey: { name: 'Fuzzed', scopes: ['read'], allowedAddresses: ['203.0.113.0/24'] },
    rollKey: { overlapSeconds: 60 },
    createWebhook: { url: 'https://hooks.invalid/', events: ['export.completed'], enabled: true },
    updateWebhook: { url: 'https://hooks.invalid/', description: 'Fuzzed' },
    rotateWebhookSecret: { overlapSeconds: 60 },
    rotateOrganizationSecret: { overlapSeconds: 60 },
    createHookSecret: { overlapSeconds: 60 },
    startGithubApp: { organization: 'harbour', returnTo: 'http://127.0.0.1:8123/' },
    finishGithubApp: { code: 'a1b2c3', state: 'x'.repeat(43) },
    setUp: { token: 'x'.repeat(43), email: 'ada@example.com', name: 'Ada', password: 'a lighthouse keeper' },
    signIn: { email: 'ada@example.com', password: 'a lighthouse keeper' },
    changePassword: { current: 'a lighthouse keeper', next: 'two lighthouse keepers' },
    acceptInvitation: { token: 'x'.repeat(43), name: 'Ada', password: 'a lighthouse keeper' },
    inviteUser: { email: 'fuzzed@example.com', role: 'viewer' },
    updateUser: { role: 'member', disabled: true },
    createAgentJob: { prompt: 'Correct the spelling.', dryRun: true, metadata: { build: '7' } },
    messageAgentJob: { prompt: 'Continue.' },
  };
  return Object.entries(bodies[id] ?? {});
}

/** Serialized by hand, because an object cannot contain a field twice. */
function jsonOf(fields: Field[]): string {
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

function nearlyRightBody(id: OperationId, existing: Existing): fc.Arbitrary<string> {
  const right = rightFields(id, existing);
  const own = right.map(([name]) => name);
  const field = (name: string, of: fc.Arbitrary<unknown>) => of.map((given): Field => [name, given]);
  const change = fc.oneof(
    ...Object.entries(fields).map(([name, of]) => ({
      weight: own.includes(name) ? 12 : 1,
      arbitrary: field(name, of),
    })),
    ...[...Object.keys(fields), '__proto__', 'constructor', 'toJSON'].map((name) => field(name, value)),
    fc.tuple(text, value),
  );
  return fc
    .tuple(
      fc.oneof({ weight: 3, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: fc.subarray(right) }),
      fc.array(change, { maxLength: 2 }),
    )
    .map(([kept, changes]) => jsonOf([...kept, ...changes]));
}

const brokenBodies = [
  '',
  ' ',
  'null',
  '[]',
  '"text"',
  '{"a":1}{"b":2}',
  '{"name":"\ud800"}',
  '\ufeff{}',
  "{'name':'x'}",
  '{"name":"x",}',
  '{"ttlSeconds":1e999}',
  '{"a":'.repeat(2000),
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
  `{"name":"${'x'.repeat(60_000)}"}`,
  `{"name":"${'x'.repeat(200_000)}"}`,
  `{${Array.from({ length: 2000 }, (_, index) => `"field${index}":1`).join(',')}}`,
];

function bodyOf(id: OperationId, existing: Existing): fc.Arbitrary<Uint8Array | string | undefined> {
  const nearlyRight = nearlyRightBody(id, existing);
  const withBadBytes = nearlyRight.map((json) =>
    Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.of(0xff, 0xc0)]),
  );
  const cutShort = fc.tuple(nearlyRight, fc.nat(200)).map(([json, length]) => json.slice(0, length));
  const weighted = [
    { weight: 6, arbitrary: nearlyRight },
    { weight: 1, arbitrary: cutShort },
    { weight: 1, arbitrary: withBadBytes },
    { weight: 1, arbitrary: fc.constantFrom(...brokenBodies) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ];
  return fc.oneof(...weighted);
}

const bytesBetween = (min: number, max: number) =>
  fc.string({ unit: fc.integer({ min, max }).map((code) => String.fromCharCode(code)), maxLength: 60 });

/** Node refuses control characters, so they are rare. */
const headerText = fc.oneof(
  { weight: 4, arbitrary: bytesBetween(0x20, 0x7e) },
  { weight: 4, arbitrary: bytesBetween(0x80, 0xff) },
  { weight: 4, arbitrary: fc.constantFrom('', '\t', ','.repeat(500), '"'.repeat(99), 'x'.repeat(4000)) },
  { weight: 1, arbitrary: fc.constantFrom('\x01', '\0') },
);

function header(...valid: [string, ...string[]]): fc.Arbitrary<string> {
  return fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...valid) }, { weight: 1, arbitrary: headerText });
}

function headersOf({ key }: Existing): fc.Arbitrary<Record<string, string>> {
  const authorization = fc.oneof(
    { weight: 12, arbitrary: fc.constant(`Bearer ${key}`) },
    {
      weight: 1,
      arbitrary: header(`bearer  ${key}`, `Basic ${key}`, 'Bearer', `Bearer ${key}x`, `Bearer ${key} x`),
    },
  );
  const more = {
    Accept: header(
      '*/*',
      'text/html',
      'application/problem+json',
      'application/problem+json;q=0',
      'text/event-stream',
    ),
    'Accept-Encoding': header('gzip', 'br;q=1.0, *;q=0'),
    'Content-Type': header(
      'application/json',
      'application/json; charset=utf-16',
      'application/merge-patch+json',
      'multipart/form-data; boundary=x',
      'text/plain',
    ),
    Prefer: header(
      'wait=0',
      'wait=1',
      'wait=-1',
      'WAIT=1',
      'respond-async, wait=1',
      'wait=99999999999',
      'wait=',
    ),
    'If-None-Match': header('*', 'W/"x"', '"a", "b"', '"'),
    'If-Range': header('"x"', 'Wed, 21 Oct 2015 07:28:00 GMT'),
    'Idempotency-Key': header('same', 'x'.repeat(255), 'x'.repeat(256)),
    Range: header('bytes=0-', 'bytes=-1', 'bytes=5-2', 'bytes=0-0,2-2', 'bytes=99999999999999999999-'),
    'Last-Event-ID': header('0', '1', '-1', '999999999999999', '9999999999999999999'),
    'X-Request-Id': header('mine', 'x'.repeat(129), 'a b'),
    'X-Forwarded-For': header('1.2.3.4', 'unknown', '::1, 2.3.4.5'),
    Host: header(
      'localhost',
      'docs.example.com:80',
      'EXAMPLE.com',
      '[::1]:1',
      'a b',
      'x/y',
      'user@host',
      'xn--\u00e4',
    ),
    Origin: header('null', 'https://example.com'),
    Cookie: header('a=b', '='),
  };
  const one = fc.oneof(
    ...Object.entries(more).map(([name, value]) => value.map((text) => [name, text] as const)),
  );
  return fc
    .tuple(authorization, fc.array(one, { maxLength: 3 }))
    .map(([given, some]) => ({ Authorization: given, ...Object.fromEntries(some) }));
}

const oddSegments = [
  '',
  '.',
  '..',
  '%2e%2e',
  '%',
  '%zz',
  '%00',
  '%C3',
  '%F0%9F%92%A5',
  'a%2fb',
  'a;b=c',
  '*',
  ':jobId',
  '{jobId}',
  '__proto__',
  'constructor',
  '~',
  'x'.repeat(65),
  'x'.repeat(3000),
];

/** Like `encodeURIComponent`, which throws for a lone surrogate. */
function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

function pathOf(id: OperationId, { ids }: Existing): fc.Arbitrary<string> {
  const steps = operation(id)
    .path.split('/')
    .slice(1)
    .map((step) => {
      const name = /^\{(\w+)\}$/.exec(step)?.[1];
      if (name === undefined) return fc.constant(step);
      const known = (ids[name] ?? []).map((known) => ({ weight: 3, arbitrary: fc.constant(known) }));
      return fc.oneof(
        ...known,
        { weight: 1, arbitrary: fc.constantFrom(...oddSegments) },
        { weight: 1, arbitrary: text.map(encoded) },
      );
    });
  return fc.tuple(...steps).map((parts) => `/${parts.join('/')}`);
}

function queryOf({ domain }: Existing): fc.Arbitrary<string> {
  const names = fc.oneof(
    fc.constantFrom(
      'limit',
      'cursor',
      'domain',
      'status',
      'since',
      'archived',
      'after',
      '__proto__',
      'constructor',
      'key',
    ),
    text,
  );
  const values = fc.oneof(fc.constantFrom('1', '100', '0', '1e2', '0x10', domain, 'YmVmb3JlOjE'), text);
  const pair = fc.tuple(names, values).map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const raw = fc.constantFrom(
    '?',
    '%',
    '%zz=%zz',
    '&&==&',
    'a[]=1&a[b]=2',
    'limit=1&limit=2',
    'x'.repeat(3000),
    '%00=%00',
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    {
      weight: 4,
      arbitrary: fc.array(pair, { minLength: 1, maxLength: 4 }).map((pairs) => `?${pairs.join('&')}`),
    },
    { weight: 1, arbitrary: raw.map((query) => `?${query}`) },
  );
}

const detours: ((target: string) => string)[] = [
  (target) => `/${target}`,
  (target) => `${target}/`,
  (target) => target.replaceAll('/', '//'),
  (target) => `/x/..${target}`,
  (target) => `/%2e%2e${target}`,
  (target) => `${target}%`,
  (target) => `${target}#part`,
  (target) => target.replaceAll('/', '\\'),
  (target) => target.toUpperCase(),
  (target) => target.slice(1),
  (target) => `http://other.example${target}`,
  (target) => `${target}/${'x'.repeat(20_000)}`,
  (target) => `${target}\u00e4`,
  (target) => `${target}"<>^\`{|}`,
  () => '*',
  () => '/b/se_0000000000000000/bundle.tar.gz',
  () => '/docs/%2e%2e/%2e%2e/package.json',
  () => '/docs/%zz',
];

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'BREW'];

export interface FuzzedCall extends Call {
  /** Method and path are those of the operation, so the response must be documented. */
  straight: boolean;
}

function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

export function fuzzedDownload(target: string, existing: Existing): fc.Arbitrary<Call> {
  const changed = fc
    .tuple(fc.nat(target.length - 1), fc.constantFrom('0', 'x', '%', '&', '/', '\u00e4'))
    .map(([at, character]) => target.slice(0, at) + character + target.slice(at + 1));
  return fc.record({
    method: fc.constantFrom('GET', 'HEAD'),
    target: fc.oneof({ weight: 3, arbitrary: fc.constant(target) }, { weight: 1, arbitrary: changed }),
    headers: headersOf(existing),
  });
}

export function fuzzedCall(id: OperationId, existing: Existing): fc.Arbitrary<FuzzedCall> {
  const method = operation(id).method.toUpperCase();
  return fc
    .record({
      path: pathOf(id, existing),
      query: queryOf(existing),
      headers: headersOf(existing),
      body: method === 'GET' ? fc.constant(undefined) : bodyOf(id, existing),
      otherMethod: seldom(fc.constantFrom(...otherMethods)),
      detour: seldom(fc.constantFrom(...detours)),
    })
    .map(({ path, query, headers, body, otherMethod, detour }) => ({
      method: otherMethod ?? method,
      target: (detour ?? ((target: string) => target))(path + query),
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? Buffer.from(body) : body }),
      straight: (otherMethod ?? method) === method && detour === undefined && /^[\w/-]+$/.test(path),
    }));
}
