/** The operations of an API description, found by the method and the URL of an example. */

export type Json = { readonly [name: string]: unknown };

export interface Operation {
  document: Json;
  method: string;
  path: string;
  pathItem: Json;
  operation: Json;
}

export type Match =
  | { operation: Operation; query: string[] }
  /** The host is a server of the API. */
  | { problem: string }
  | undefined;

interface Server {
  host: string | null;
  path: string;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const maxReferences = 10;

export interface DescribedApi {
  operations: Operation[];
  servers: Server[];
}

export function describeApi(document: Json): DescribedApi {
  const operations = Object.entries(objectIn(document['paths'])).flatMap(([path, item]) => {
    const pathItem = objectIn(resolve(document, item));
    return methods
      .filter((method) => isObject(pathItem[method]))
      .map((method) => ({
        document,
        method: method.toUpperCase(),
        path,
        pathItem,
        operation: objectIn(pathItem[method]),
      }));
  });
  const servers = listIn(document['servers']).map(serverOf);
  return { operations, servers: servers.length > 0 ? servers : [{ host: null, path: '' }] };
}

/** Undefined if the example is about something else. */
export function matchRequest({ operations, servers }: DescribedApi, method: string, url: string): Match {
  const { host, path, query } = splitUrl(url);
  const bases = servers.filter((server) => host === null || server.host === null || server.host === host);
  const isOfApi = host !== null && servers.some((server) => server.host === host);
  // An unknown host may be a mirror or a test server.
  const candidates = bases.length > 0 ? bases : servers;
  const named = candidates.flatMap((server) => operationsAt(operations, server, path));
  const [found] = named.filter((one) => one.method === method).toSorted(byVariables);
  if (found !== undefined) return { operation: found, query };
  if (!isOfApi) return undefined;
  const others = [...new Set(named.map((one) => one.method))];
  const advice = others.length === 0 ? '' : ` It describes ${others.join(', ')} for this path.`;
  return { problem: `The API description has no ${method} ${path}.${advice}` };
}

function byVariables(one: Operation, other: Operation): number {
  return one.path.split('{').length - other.path.split('{').length;
}

function operationsAt(operations: readonly Operation[], server: Server, path: string): Operation[] {
  if (!path.startsWith(server.path)) return [];
  const segments = path.slice(server.path.length).replace(/\/$/, '').split('/');
  return operations.filter((operation) => fits(operation.path.replace(/\/$/, '').split('/'), segments));
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => part.includes('{') || part === segments[index])
  );
}

/** A variable such as `$BASE` or `{base}` stands for an unknown host. */
function splitUrl(url: string): { host: string | null; path: string; query: string[] } {
  const [address = ''] = url.split('#', 1);
  const [before = '', queryText = ''] = address.split('?', 2);
  const [, authority] = /^https?:\/\/([^/]{1,300})/.exec(before) ?? [];
  const rest = authority === undefined ? before : before.slice(before.indexOf(authority) + authority.length);
  const path = rest.slice(Math.max(0, rest.indexOf('/')));
  const isKnown = authority !== undefined && !/[${}]/.test(authority);
  const query = queryText
    .split('&')
    .map((pair) => (pair.split('=', 1)[0] ?? '').replace(/(?:\[|%5B).*$/is, ''))
    .filter((name) => /^[\w.-]+$/.test(name));
  return { host: isKnown ? authority.toLowerCase() : null, path: path.startsWith('/') ? path : '', query };
}

function serverOf(server: unknown): Server {
  const { url, variables } = objectIn(server);
  let text = typeof url === 'string' ? url : '';
  for (const [name, variable] of Object.entries(objectIn(variables))) {
    const initial = objectIn(variable)['default'];
    if (typeof initial === 'string') text = text.replaceAll(`{${name}}`, () => initial);
  }
  const parsed = URL.parse(text, 'relative://server');
  const isRelative = parsed === null || parsed.protocol === 'relative:';
  const path = (parsed?.pathname ?? '').replace(/\/$/, '');
  return { host: isRelative ? null : parsed.host, path };
}

/** Follows references within the document. */
export function resolve(document: Json, value: unknown): unknown {
  let current = value;
  for (let step = 0; step < maxReferences; step += 1) {
    const reference = isObject(current) ? current['$ref'] : undefined;
    if (typeof reference !== 'string') return current;
    current = valueAt(document, reference);
  }
  return undefined;
}

function valueAt(document: Json, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let current: unknown = document;
  for (const part of reference.slice(2).split('/')) {
    const key = part
      .replaceAll('%7B', '{')
      .replaceAll('%7D', '}')
      .replaceAll('~1', '/')
      .replaceAll('~0', '~');
    if (!isObject(current) && !Array.isArray(current)) return undefined;
    if (!Object.hasOwn(current, key)) return undefined;
    current = (current as Json)[key];
  }
  return current;
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
