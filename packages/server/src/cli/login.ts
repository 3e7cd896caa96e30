/**
 * `docyard login`, `logout` and `whoami`: the known services and their keys. A key is stored only after the service
 * has accepted it.
 */
import { DocyardClient, DocyardError, type Me } from '@docyard/api';
import type { Command } from 'commander';
import {
  addServerOptions,
  checkedAddress,
  connect,
  connectionOf,
  requireReachable,
  readKey,
  defaultServer,
  type ServerOptions,
  peers,
} from './connection.ts';
import { CommandError } from './errors.ts';
import { loginsFile, readLogins, writeLogins } from './logins.ts';
import { showFacts } from './print.ts';
import { promptSecret } from './secret-prompt.ts';

const loginExamples = `
Examples:
  docyard login https://docyard.example.com
  docyard login https://docyard.example.com --key-file - < admin-key
`;

export function describeLogin(command: Command): void {
  command
    .description('Store the URL and key of a service for later commands.')
    .argument('[url]', `URL of the service (default: DOCYARD_URL, then ${defaultServer})`)
    .option('--key-file <file>', 'file with the API key, - for standard input (default: prompt)')
    .option('--json', 'print JSON')
    .addHelpText('after', loginExamples)
    .action(login);
}

export function describeLogout(command: Command): void {
  command
    .description('Delete the stored key of a service. The key stays valid until it is revoked.')
    .argument('[url]', 'URL of the service (default: the default service)')
    .option('--all', 'delete the keys of all services')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  docyard logout https://docyard.example.com')
    .action(logout);
}

export function describeWhoami(command: Command): void {
  addServerOptions(command)
    .description('Show the service, the key and the permissions that commands use.')
    .addHelpText('after', '\nExample:\n  docyard whoami --json')
    .action(whoami);
}

async function login(url: string | undefined, options: { keyFile?: string; json?: boolean }): Promise<void> {
  const server = checkedAddress(url ?? (process.env['DOCYARD_URL'] || defaultServer));
  await requireReachable(server);
  const key = options.keyFile === undefined ? await askForKey(server) : await readKey(options.keyFile);
  const me = await verifyKey(server, key);
  const logins = await readLogins();
  await writeLogins({ default: server, servers: { ...logins.servers, [server]: { key } } });
  if (options.json) process.stdout.write(`${JSON.stringify({ server, ...me }, null, 2)}\n`);
  else {
    process.stdout.write(`Logged in to ${server}: ${me.key.name} of ${me.organization.name}.\n`);
    process.stderr.write(`The key is in ${loginsFile()}, readable only by you.\n`);
  }
}

/** A caller with a key always receives its record. */
type MeOfKey = Me & { key: NonNullable<Me['key']> };

async function verifyKey(server: string, apiKey: string): Promise<MeOfKey> {
  try {
    return (await new DocyardClient({ baseUrl: server, apiKey, fetch: peers() }).call('readMe')) as MeOfKey;
  } catch (error) {
    if (!(error instanceof DocyardError) || error.status !== 401) throw error;
    const message = `${server} does not accept this key. Check that it is complete and belongs to this server.`;
    throw new CommandError(message, 'denied');
  }
}

async function askForKey(server: string): Promise<string> {
  const alternative = 'Pass the key with --key-file FILE, or --key-file - for standard input.';
  const key = (await promptSecret(`API key for ${server}`, alternative)).trim();
  if (key === '') throw new CommandError('No key given. Nothing was stored.', 'usage');
  return key;
}

async function logout(url: string | undefined, options: { all?: boolean; json?: boolean }): Promise<void> {
  const logins = await readLogins();
  const known = Object.keys(logins.servers);
  const chosen = url === undefined ? logins.default : checkedAddress(url);
  const removed = options.all ? known : known.filter((server) => server === chosen);
  if (removed.length === 0) {
    const list = known.length === 0 ? '' : ` Known: ${known.join(', ')}.`;
    throw new CommandError(`No stored login${chosen === null ? '' : ` for ${chosen}`}.${list}`, 'not_found');
  }
  const servers = Object.fromEntries(
    Object.entries(logins.servers).filter(([server]) => !removed.includes(server)),
  );
  const next = logins.default !== null && Object.hasOwn(servers, logins.default) ? logins.default : null;
  await writeLogins({ default: next ?? Object.keys(servers)[0] ?? null, servers });
  if (options.json) process.stdout.write(`${JSON.stringify({ removed })}\n`);
  else process.stdout.write(`Deleted the key of ${removed.join(', ')}.\n`);
}

async function whoami(options: ServerOptions): Promise<void> {
  const { server, keyFrom } = await connectionOf(options);
  const me = (await (await connect(options)).call('readMe')) as MeOfKey;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ server, keyFrom, ...me }, null, 2)}\n`);
    return;
  }
  showFacts([
    ['server', server],
    ['organization', `${me.organization.name} (${me.organization.id}), ${me.organization.plan}`],
    ['key', `${me.key.name} (${me.key.id}), from ${keyFrom}`],
    ['may', me.key.scopes.join(' ')],
    ['projects', me.key.projectId ?? 'all'],
    ['expires', me.key.expiresAt ?? 'never'],
  ]);
}
