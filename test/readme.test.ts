/**
 * A newcomer with the README: its own code blocks, in their order, in a folder that has nothing but the repository. Four things
 * are put in place of what stands there, and nothing else: free ports, the key of the first start, no installation of packages
 * (`npm test` has done it), and a folder of docs as `./my-docs`.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { endWithTest } from './leftovers.ts';
import { temporaryFolder } from './service.ts';
import { root } from './deploy/dockerfile.ts';

interface Block {
  language: string;
  /** Blocks with a name are files. */
  file: string;
  text: string;
}

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map(
  ([, language = '', file = '', text = '']): Block => ({ language, file, text }),
);

/** They run until somebody stops them; each says Ctrl-C when it is ready. */
const isServer = ({ text }: Block) => /^(npm start|npx docyard (serve|site --config|dev))\b/.test(text);

const folder = temporaryFolder('readme');
const ports = new Map<string, number>();
const servers: ChildProcess[] = [];

beforeAll(async () => {
  for (const name of ['packages', 'docs', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
  cpSync(join(root, 'packages/server/sample'), join(folder, 'my-docs'), { recursive: true });
  for (const [port] of readme.matchAll(/\b44\d\d\b/g)) ports.set(port, ports.get(port) ?? (await freePort()));
});

afterAll(() => {
  for (const { pid } of servers) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
});

const replaced = (text: string) =>
  text.replaceAll(/\b44\d\d\b/g, (port) => String(ports.get(port))).replaceAll('docyard_...', firstKey());

/** Without a terminal the first start writes it here instead of printing it. */
function firstKey(): string {
  const file = join(folder, 'data/admin-key');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '?';
}

const environment = (more: Record<string, string>) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  // No browser, and no folder of whoever runs this test.
  XDG_CACHE_HOME: join(folder, '.cache'),
  XDG_CONFIG_HOME: join(folder, '.config'),
  // What another process has compiled, each of a dozen need not.
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
  npm_config_ignore_scripts: 'true',
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
  ...more,
});

async function start(block: Block): Promise<void> {
  const text = replaced(block.text);
  const port = ports.get(/\b44\d\d\b/.exec(block.text)?.[0] ?? '') ?? 0;
  const child = spawn('bash', ['-c', text], {
    cwd: folder,
    env: environment({ PORT: String(port) }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  servers.push(child);
  endWithTest(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => (output += piece));
  }
  await expect.poll(() => output, { timeout: 60_000, message: text }).toContain('Ctrl-C');
}

/** One terminal after the other would be the same to a reader: what a block sets, the next one sees. */
function run(text: string): void {
  const state = join(folder, '.terminal');
  const script = `set -ea\n[ ! -e ${state} ] || . ${state}\n${text}\nexport -p >${state}\n`;
  const env = environment({ DOCYARD_URL: `http://127.0.0.1:${ports.get('4400')}` });
  const ended = spawnSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8', timeout: 100_000 });
  expect(ended.status, `${text}\n${ended.stdout}${ended.stderr}`).toBe(0);
}

test('its blocks, one after the other, do what it says', { timeout: 240_000 }, async () => {
  for (const block of blocks) {
    const text = replaced(block.text);
    if (block.file !== '') writeFileSync(join(folder, block.file), text);
    // It would run this test again.
    else if (/^npm test\b/.test(text)) continue;
    else if (isServer(block)) await start(block);
    else if (block.language === 'bash') run(text);
    else expect.unreachable(`A block of the README is neither run nor written: ${block.text}`);
  }
  const made = ['bundle.tar.gz', 'newest.tar.gz', 'from-typescript.tar.gz', 'my-docs.tar.gz', 'admin-key'];
  const pages = ['site/index.html', 'my-site/index.html', 'data/docyard.db'];
  for (const file of [...made, ...pages]) expect(existsSync(join(folder, file)), file).toBe(true);
  const served = await fetch(`http://127.0.0.1:${ports.get('4480')}/`);
  expect(await served.text()).toContain('Tern');
});

test('it names both commands, and they are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['start', 'test']) {
    expect(scripts).toHaveProperty(name);
    expect(blocks.filter(({ text }) => text.startsWith(`npm ${name} `))).toHaveLength(1);
  }
});
