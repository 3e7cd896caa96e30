/**
 * Connects commands to a running service: URL, key, and error messages for both. Keys are read from a file, the
 * environment or `docyard login`, because other users of the machine can read arguments.
 */
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { DocyardClient, DocyardError, Project } from '@docyard/api';
import { Option, type Command } from 'commander';
import { readEgress } from '../egress/environment.ts';
import { EgressError } from '../egress/addresses.ts';
import { OfflineError, peerFetch } from '@docyard/site/network';
import { CommandError } from './errors.ts';
import type { Logins } from './logins.ts';
import { fileErrorReason } from '@docyard/site/disk';

export interface ServerOptions {
  server?: string;
  keyFile?: string;
  /** Deprecated in favor of `keyFile`. */
  key?: string;
  json?: boolean;
}

export function addServerOptions(command: Command): Command {
  return addConnectionOptions(command).option('--json', 'print JSON');
}

/** For a command that uses its standard streams for a protocol. */
export function addConnectionOptions(
  command: Command,
  keyFile = 'file with the API key, - for standard input',
): Command {
  return command
    .option('--server <url>', 'URL of the service (default: DOCYARD_URL, then the URL of docyard login)')
    .option('--key-file <file>', `${keyFile} (default: DOCYARD_API_KEY)`)
    .addOption(new Option('--key <key>', 'API key').hideHelp());
}

interface Connection {
  server: string;
  apiKey: string;
  /** Where the key was found, for messages. */
  keyFrom: string;
}

/** The connection of this process, for the message about a rejected key. */
let current: Connection | undefined;

/** Throws a CommandError without a key or when the service cannot be reached. */
export async function connect(options: ServerOptions): Promise<DocyardClient> {
  const connection = await connectionOf(options);
  await requireReachable(connection.server);
  current = connection;
  // Loaded on demand, because it is slow and many commands need no service.
  const { DocyardClient } = await import('@docyard/api/client');
  return new DocyardClient({ baseUrl: connection.server, apiKey: connection.apiKey, fetch: peers() });
}

/** Does not contact the service. */
export async function connectionOf(options: ServerOptions): Promise<Connection> {
  const { readLogins } = await import('./logins.ts');
  const logins = await readLogins();
  const server = checkedAddress(serverOf(options, logins));
  return { server, ...(await keyOf(options, server, logins)) };
}

export const defaultServer = 'http://127.0.0.1:4400';

function serverOf({ server }: ServerOptions, logins: Logins): string {
  return server ?? (process.env['DOCYARD_URL'] || logins.default || defaultServer);
}

/** Normalizes the URL, because keys are stored by it. */
export function checkedAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandError(
      `${address} is not an http or https URL. Use one such as https://docs.example.com.`,
      'usage',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new CommandError('The URL of a service must not contain a user name or password.', 'usage');
  }
  return (url.origin + url.pathname).replace(/(?<!\/)\/+$/, '');
}

async function keyOf(
  options: ServerOptions,
  server: string,
  logins: Logins,
): Promise<Pick<Connection, 'apiKey' | 'keyFrom'>> {
  const { keyFile, key } = options;
  if (keyFile !== undefined) return { apiKey: await readKey(keyFile), keyFrom: keyFile };
  if (key !== undefined) {
    process.stderr.write('docyard: --key exposes the key to other users of this machine; use --key-file.\n');
    return { apiKey: key, keyFrom: '--key' };
  }
  // DOCYARD_KEY is the deprecated name.
  for (const name of ['DOCYARD_API_KEY', 'DOCYARD_KEY']) {
    const value = process.env[name];
    if (value !== undefined && value !== '') return { apiKey: value, keyFrom: name };
  }
  const stored = Object.hasOwn(logins.servers, server) ? logins.servers[server] : undefined;
  if (stored !== undefined) return { apiKey: stored.key, keyFrom: 'docyard login' };
  throw new CommandError(
    `No key for ${server}. Run docyard login ${server}, or set DOCYARD_API_KEY.`,
    'denied',
  );
}

/** `-` is standard input. */
export async function readKey(file: string): Promise<string> {
  const text = await (file === '-' ? readAll(process.stdin) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      throw new CommandError(`Cannot read the key file ${file}: ${fileErrorReason(error)}.`);
    },
  );
  const key = text.trim();
  if (key === '') throw new CommandError(`The key file ${file} is empty.`, 'usage');
  if (/[^\x21-\x7e]/.test(key)) {
    throw new CommandError(`The key file ${file} contains more than a key. It must be one line.`, 'usage');
  }
  return key;
}

/** With OFFLINE only services on this machine are reachable. */
export function peers(): ReturnType<typeof peerFetch> {
  return peerFetch(readEgress(process.env));
}

const connectTimeoutSeconds = 10;

/**
 * Checks the connection once. The client retries failed connections, which is right for a restarting service and
 * wrong for a mistyped URL.
 */
export async function requireReachable(server: string): Promise<void> {
  try {
    const answer = await peers()(`${server}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(connectTimeoutSeconds * 1000),
    });
    await answer.body?.cancel();
  } catch (error) {
    throw new CommandError(unreachable(server, error));
  }
}

function unreachable(server: string, error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `${server} did not answer within ${connectTimeoutSeconds} seconds.`;
  }
  if (error instanceof EgressError || error instanceof OfflineError) return error.message;
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  const { host, hostname } = new URL(server);
  switch (cause?.code) {
    case 'ECONNREFUSED':
      return `Cannot connect to ${host}. Check that the service is running and that the URL is right.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `Host not found: ${hostname}. Check the URL.`;
    default: {
      const reason =
        cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
      return `Cannot reach ${server} (${reason}).`;
    }
  }
}

/** The project when none is named; `advice` starts the message when there are several. */
export async function onlyProject(client: DocyardClient, advice: string): Promise<Project> {
  const { data } = await client.call('listProjects', { query: { limit: 100 } });
  const [first, second] = data;
  if (first !== undefined && second === undefined) return first;
  if (first === undefined) throw new CommandError('There are no projects. Create one first.', 'not_found');
  const known = data.map(({ id, domain }) => `${id} (${domain})`).join(', ');
  throw new CommandError(`${advice}: ${known}.`, 'usage');
}

/** Explains a lost connection or a timeout; undefined for other errors. */
export function explainLostConnection(error: unknown): string | undefined {
  if (!(error instanceof Error) || current === undefined) return undefined;
  if (error.name === 'TimeoutError') return `${current.server} did not answer in time.`;
  if (!(error instanceof TypeError) || error.message !== 'fetch failed') return undefined;
  const { code = 'connection lost' } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return `Lost the connection to ${current.server} (${code}).`;
}

/** For a rejected key, the message names the key's source and the server. */
export function explainRefusal(error: DocyardError): string {
  if (error.status !== 401 || current === undefined) return error.message;
  const { server, keyFrom } = current;
  return (
    `${server} does not accept the key from ${keyFrom}. It may be expired, revoked or from another server. ` +
    `Run docyard login ${server} to store another key.`
  );
}
