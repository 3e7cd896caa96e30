/**
 * The way from a command to a running service: which address, which key, and what to say when either is wrong. Keys come
 * from a file, the environment or `docyard login`; as an argument everybody on the machine could read them.
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

export interface ServerOptions {
  server?: string;
  keyFile?: string;
  /** Older than `keyFile`; still read. */
  key?: string;
  json?: boolean;
}

export function addServerOptions(command: Command): Command {
  return addConnectionOptions(command).option('--json', 'print JSON');
}

/** For a command whose standard streams have a form of their own. */
export function addConnectionOptions(
  command: Command,
  keyFile = 'file with the API key, - for standard input',
): Command {
  return command
    .option('--server <url>', 'address of the service (default: DOCYARD_URL, then that of docyard login)')
    .option('--key-file <file>', `${keyFile} (default: DOCYARD_API_KEY)`)
    .addOption(new Option('--key <key>', 'API key').hideHelp());
}

interface Connection {
  server: string;
  apiKey: string;
  /** Where the key was found, as a person would say it. */
  keyFrom: string;
}

/** The one this process has made, for the sentence after the service refused its key. */
let current: Connection | undefined;

/** Ends with a sentence when there is no key, or nobody at the address. */
export async function connect(options: ServerOptions): Promise<DocyardClient> {
  const connection = await connectionOf(options);
  await reach(connection.server);
  current = connection;
  // Commands that talk to nobody do without: it takes 0.1 s to load.
  const { DocyardClient } = await import('@docyard/api');
  return new DocyardClient({ baseUrl: connection.server, apiKey: connection.apiKey, fetch: peers() });
}

/** Without asking the service anything yet. */
export async function connectionOf(options: ServerOptions): Promise<Connection> {
  const { readLogins } = await import('./logins.ts');
  const logins = await readLogins();
  const server = checkedAddress(serverOf(options, logins));
  return { server, ...(await keyOf(options, server, logins)) };
}

export const usualServer = 'http://127.0.0.1:4400';

function serverOf({ server }: ServerOptions, logins: Logins): string {
  return server ?? (process.env['DOCYARD_URL'] || logins.default || usualServer);
}

/** One spelling for one server, since keys are stored by it. */
export function checkedAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandError(`${address} is no address. Give one such as https://docs.example.com.`, 'usage');
  }
  if (url.username !== '' || url.password !== '') {
    throw new CommandError('The address of a service has no user and no password in it.', 'usage');
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
    process.stderr.write('docyard: --key shows the key to everybody on this machine; use --key-file.\n');
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
    `There is no key for ${server}. Log in with docyard login ${server}, or set DOCYARD_API_KEY.`,
    'denied',
  );
}

/** The first line of a file; `-` is standard input. */
export async function readKey(file: string): Promise<string> {
  const whole = await (file === '-' ? readAll(process.stdin) : readFile(file, 'utf8')).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CommandError(`The key file ${file} cannot be read (${error.code}).`, 'usage');
    },
  );
  const key = whole.trim();
  if (key === '') throw new CommandError(`The key file ${file} is empty.`, 'usage');
  if (/[^\x21-\x7e]/.test(key)) {
    throw new CommandError(`The key file ${file} holds more than a key. It must be one line.`, 'usage');
  }
  return key;
}

/** How commands reach the service that somebody named: with OFFLINE only on this machine. */
export function peers(): ReturnType<typeof peerFetch> {
  return peerFetch(readEgress(process.env));
}

const reachSeconds = 10;

/**
 * Is somebody there at all? The client tries again and again when a connection breaks, which is right for a service that
 * restarts and wrong for an address that was mistyped.
 */
export async function reach(server: string): Promise<void> {
  try {
    const answer = await peers()(`${server}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(reachSeconds * 1000),
    });
    await answer.body?.cancel();
  } catch (error) {
    throw new CommandError(unreachable(server, error));
  }
}

function unreachable(server: string, error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `${server} did not answer within ${reachSeconds} seconds.`;
  }
  if (error instanceof EgressError || error instanceof OfflineError) return error.message;
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  const { host, hostname } = new URL(server);
  switch (cause?.code) {
    case 'ECONNREFUSED':
      return `Nobody listens at ${host}. Is the service running, and is this its address?`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `There is no host ${hostname}. Is the address right?`;
    default: {
      const reason =
        cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
      return `${server} cannot be reached (${reason}).`;
    }
  }
}

/** What is meant when no project is named; `advice` begins the sentence for when there are several. */
export async function onlyProject(client: DocyardClient, advice: string): Promise<Project> {
  const { data } = await client.call('listProjects', { query: { limit: 100 } });
  const [first, second] = data;
  if (first !== undefined && second === undefined) return first;
  if (first === undefined) throw new CommandError('There is no project yet. Create one first.', 'not_found');
  const known = data.map(({ id, domain }) => `${id} (${domain})`).join(', ');
  throw new CommandError(`${advice}: ${known}.`, 'usage');
}

/** A service that was there and is no more, or hangs; undefined for everything that is no failure of the network. */
export function explainSilence(error: unknown): string | undefined {
  if (!(error instanceof Error) || current === undefined) return undefined;
  if (error.name === 'TimeoutError') return `${current.server} did not answer in time.`;
  if (!(error instanceof TypeError) || error.message !== 'fetch failed') return undefined;
  const { code = 'connection lost' } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return `${current.server} does not answer any more (${code}).`;
}

/** What the service says is a sentence already; a refused key also needs to know which key that was, and where it went. */
export function explainRefusal(error: DocyardError): string {
  if (error.status !== 401 || current === undefined) return error.message;
  const { server, keyFrom } = current;
  return (
    `${server} does not accept the key from ${keyFrom}. It may be expired, revoked or of another server. ` +
    `docyard login ${server} stores another.`
  );
}
