/**
 * Snapshots of the help of every command and of the errors for invalid calls. A new command gets its snapshot
 * automatically; review it before you commit it.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../main.ts';
import { temporaryFolder } from '../../test/support/test-context.ts';
import { version } from '../version.ts';
import { aliases } from './aliases.ts';
import { docyard } from '../../test/support/run-command.ts';

const folder = join(import.meta.dirname, 'help');
mkdirSync(folder, { recursive: true });
const columns = 80;

interface Named {
  path: string;
  command: Command;
}

function everyCommand(command: Command, above: string[] = []): Named[] {
  const path = [...above, command.name()];
  return [
    { path: path.join(' '), command },
    ...command.commands.flatMap((subcommand) => everyCommand(subcommand, path)),
  ];
}

const commands = everyCommand(await buildProgram());

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ getOutHelpWidth: () => columns, writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

const fileOf = (path: string) => `${path.replaceAll(' ', '-')}.txt`;

describe('the help', () => {
  test.each(commands)('of $path', async ({ path, command }) => {
    const help = helpOf(command);
    await expect(help).toMatchFileSnapshot(join(folder, fileOf(path)));
    expect(help).toContain(`Usage: ${path}`);
    expect(command.description()).toMatch(/^[A-Z].*\.$/);
  });

  test('of every command or of its parent contains an example', () => {
    const without = commands
      .filter(({ command }) => command.commands.length === 0)
      .filter(({ command }) => !/^Examples?:$/m.test(helpOf(command) + helpOf(command.parent ?? command)));
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  test('has no snapshot without a command', () => {
    const expected = [...commands.map(({ path }) => fileOf(path)), 'wrong-calls.txt', 'overview.txt'];
    expect(readdirSync(folder).filter((file) => !expected.includes(file))).toEqual([]);
  });

  test('of a command is the same when only that command is loaded', async () => {
    for (const name of ['export', 'check']) {
      const alone = (await buildProgram(name)).commands.find((command) => command.name() === name);
      const among = commands.find(({ path }) => path === `docyard ${name}`);
      expect(alone && helpOf(alone)).toBe(among && helpOf(among.command));
    }
  });
});

const run = (line: string) => docyard(...line.split(' ').filter((word) => word !== ''));

let unused: string;
let home: string;
const before = { folder: process.cwd(), environment: { ...process.env } };

beforeAll(async () => {
  home = temporaryFolder('home');
  process.chdir(home);
  for (const name of Object.keys(process.env)) if (/^DOCYARD_|^SIGNING_/.test(name)) delete process.env[name];
  process.env['XDG_CONFIG_HOME'] = home;
  unused = await unusedAddress();
});

afterAll(() => {
  process.chdir(before.folder);
  process.env = before.environment;
});

async function unusedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const wrongCalls = [
  'sevre',
  'nothing',
  'sevre --json',
  'serve --prot 1',
  'keys crate',
  'keys create',
  'keys create --name x --scope root',
  'keys create --name x --expires 31',
  'keys roll key_1 --overlap soon',
  'keys list --data nowhere',
  'keys list --data nowhere --json',
  'orgs create --name x --plan gold',
  'projects create --name x --domain https://x --repository y',
  'projects update pr_1 --ref x',
  'serve --port 99999999',
  'serve --log-format xml',
  'serve --role boss',
  'serve extra',
  'serve --data key',
  'init site',
  'init key',
  'build key',
  'build site --ot out',
  'build site --out site --force',
  'build site --out . --force',
  'build site --out key',
  'build site --out',
  'build site other',
  'build site --origin example.com',
  'build site --base-path docs/',
  'build nowhere --out site',
  'build . --out site --url-style pretty',
  'dev site --port http',
  'dev site --host 192.0.2.1 --no-open',
  'dev key',
  'check nowhere',
  'check site --output site --quiet',
  'check site --base site',
  'check . --format pdf',
  'check . --fail-on nonsense',
  'check . --base nowhere.json',
  'export nowhere',
  'export strat',
  'export . --output site.zip',
  'export . --output nowhere/site.tar.gz',
  'export . --output - --json',
  'export site --output key/site.tar.gz',
  'export site --base-path ../x',
  'export start a.example.com --project pr_1 --server UNUSED --key-file key',
  'export start a.example.com --metadata x',
  'export start a.example.com --url-style pretty',
  'export status se_1',
  'export status se_1 --json',
  'export status',
  'export status se_1 --server nowhere',
  'export status se_1 --server https://me:secret@docs.example.com',
  'export status se_1 --key-file nowhere',
  'export status se_1 --key-file key --server UNUSED',
  'export status se_1 --key-file key --server UNUSED --json',
  'export wait se_1 --timeout soon',
  'export download',
  'export download se_1 --latest docs.example.com',
  'export download se_1 --output - --json',
  'export download se_1 --since se_2 --verify',
  'export list --limit many',
  'export list --status done',
  'export list --since yesterday',
  'agent run',
  'agent run @nowhere --project pr_1 --key-file key --server UNUSED',
  'agent rnu hello',
  'verify nowhere',
  'verify site',
  'verify key',
  'diff site',
  'diff nowhere site',
  'signing-key create --out key',
  'signing-key create --out nowhere/key',
  'signing-key show nowhere',
  'bundle import nowhere',
  'bundle import site',
  'bundle apply nowhere nowhere --output out',
  'bundle aply',
  'site --config nowhere',
  'site --config key',
  'site --port http',
  'site --log-level loud',
  'site --host 192.0.2.1 --data deployment',
  'site statsu',
  'site status --data nowhere',
  'deployments lst',
  'events lst',
  'events show',
  'events list --state lost',
  'events polling --enable --disable --server http://127.0.0.1:1',
  'events polling --interval 5 --server http://127.0.0.1:1',
  'pull-requests lst',
  'pull-requests approve pul_1',
  'users create --email x --role owner --data nowhere',
  'users invite x --role boss',
  'webhooks create --url x',
  'secrets rotat',
  'backup out.tar --data nowhere',
  'restore nowhere --data new',
  'migrate --data nowhere',
  'migrate-data',
  'mcp --server nowhere',
  'login ftp://docs.example.com',
  'login nowhere',
  'login UNUSED',
  'logout',
  'whoami',
  'open nowhere',
  'open . --latest docs.example.com',
  'open',
  'completion',
  'completion tcsh',
  'openapi-check nowhere.yaml',
  'report nowhere',
  'help nothing',
];

test('invalid calls explain what to do and exit with a documented status', async () => {
  writeFileSync('key', 'docyard_key\n');
  await run('init site');
  const answers: string[] = [];
  for (const call of wrongCalls) {
    const { status, stdout, stderr } = await run(call.replace('UNUSED', unused));
    expect(status, call).not.toBe(0);
    expect(stderr, call).not.toMatch(/^ {4}at /m);
    if (call.includes('--json')) expect(JSON.parse(stdout)).toMatchObject({ ok: false });
    else expect(stdout, call).toBe('');
    answers.push(`$ docyard ${call}\n${stdout}${stderr}= ${status}\n`);
  }
  const text = answers
    .join('\n')
    .replaceAll(unused, 'UNUSED')
    .replaceAll(unused.slice('http://'.length), 'UNUSED')
    .replaceAll(home, 'HERE');
  await expect(text).toMatchFileSnapshot(join(folder, 'wrong-calls.txt'));
});

test('the program without a command prints how to start', async () => {
  const { status, stdout, stderr } = await run('');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  await expect(stdout.replace(version, 'VERSION')).toMatchFileSnapshot(join(folder, 'overview.txt'));
});

test('help is available as a command and as an option', async () => {
  const asked = await run('export start --help');
  expect(asked).toMatchObject({ status: 0, stderr: '' });
  expect(await run('help export start')).toEqual(asked);
  expect((await run('--help')).stdout).toContain('Usage: docyard <command>');
  expect(await run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

describe('names of other tools', () => {
  const checks = Object.keys(aliases).filter((name) => aliases[name]?.words[0] === 'check');

  test.each(checks)('%s runs a check', async (name) => {
    const { status, stdout } = await run(`${name} --help`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: (await run('check --help')).stdout });
  });

  test('the deprecated command people runs users', async () => {
    const { stdout } = await run('users invite --help');
    expect(await run('people invite --help')).toEqual({ status: 0, stdout, stderr: '' });
    expect(await run('help people invite')).toEqual({ status: 0, stdout, stderr: '' });
  });

  test('version prints the version', async () => {
    expect(await run('version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });
});
