/** File and folder errors end with one sentence and an exit status, without a stack trace or a hang. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../test/support/test-context.ts';

const program = fileURLToPath(new URL('../../bin/docyard.js', import.meta.url));
const folder = temporaryFolder('files');
const site = join(folder, 'docs');
const locked = join(folder, 'locked');

beforeAll(() => {
  const files = {
    'docs.json': JSON.stringify({ name: 'Site', navigation: { pages: ['index'] } }),
    'index.mdx': '---\ntitle: Home\n---\n\nText.\n',
  };
  writeFiles(site, files);
  writeFiles(locked, files);
  mkdirSync(join(locked, 'drafts'), { mode: 0o000 });
  chmodSync(folder, 0o755);
});

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

function run(
  words: string[],
  { wrapper = [], ...given }: { wrapper?: string[]; uid?: number; path?: string } = {},
): Ended {
  const [command = '', ...args] = [...wrapper, process.execPath, program, ...words];
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 30_000,
    env: { PATH: given.path ?? process.env['PATH'] ?? '', HOME: folder, LOG_LEVEL: 'silent' },
    ...(given.uid === undefined ? {} : { uid: given.uid, gid: given.uid }),
  });
  return { status, stdout, stderr };
}

/** Root ignores the modes of files. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534 } : {};
const readOnly = { wrapper: ['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'] };

const sentence = (text: RegExp): Ended => ({
  status: 1,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^docyard: ${text.source}\\n$`)) as string,
});

describe('a path below /proc, where nothing can be created', () => {
  test.each([
    [
      'build',
      ['build', site, '--out', '/proc/x'],
      /Cannot write to \/proc\/x: [^\n]+ Choose another --out\./,
    ],
    [
      'export',
      ['export', site, '--output', '/proc/x.tar.gz'],
      /Cannot write \/proc\/x\.tar\.gz: [^\n]+ Choose another --output\./,
    ],
    [
      'serve',
      ['serve', '--port', '0', '--data', '/proc/x'],
      /Cannot use the data folder \/proc\/x: [^\n]+ Choose another with --data\./,
    ],
    [
      'site',
      ['site', '--port', '0', '--data', '/proc/x'],
      /Cannot use the folder \/proc\/x: [^\n]+ Choose another with --data\./,
    ],
  ])('is refused by %s at once', (_name, words, text) => {
    expect(run(words)).toEqual(sentence(text));
  });
});

test.each([
  [
    'build',
    ['build', site, '--out', join(folder, 'out')],
    /Cannot write to \S+out: the file system is read-only [^\n]+/,
  ],
  [
    'check',
    ['check', site, '--quiet', '--output', join(folder, 'out')],
    /Cannot open \S+out: the file system is read-only \(EROFS\)\./,
  ],
  [
    'serve',
    ['serve', '--port', '0', '--data', join(folder, 'data')],
    /Cannot use the data folder \S+: the file system is read-only [^\n]+/,
  ],
])('%s names a read-only file system', (_name, words, text) => {
  const ended = run(words, readOnly);
  expect(ended).toMatchObject(sentence(text));
});

test.each(['check', 'build', 'export', 'dev'])('%s names an unreadable folder of the site', (name) => {
  const options: Record<string, string[]> = {
    build: ['--out', 'out'],
    export: ['--output', '/tmp/x.tar.gz'],
    dev: ['--no-open', '--port', '0'],
  };
  const text = /drafts: The folder cannot be read: permission denied \(EACCES\)\. [^\n]+/;
  expect(run([name, locked, ...(options[name] ?? [])], unprivileged)).toEqual(sentence(text));
});

test('serve explains what to install when git is missing', () => {
  const ended = run(['serve', '--port', '0', '--data', join(folder, 'no-git')], { path: '/nonexistent' });
  expect(ended).toEqual(sentence(/git was not found\. Install git 2\.39 or newer, then start again\./));
});

test('dev reports a folder that does not exist or is a file', () => {
  expect(run(['dev', 'nope'])).toEqual(sentence(/Folder not found: \S+nope\. Check the path\./));
  expect(run(['dev', join(site, 'docs.json')])).toEqual(sentence(/\S+docs\.json is a file\. [^\n]+/));
});

test('a stack trace is shown only with --debug', () => {
  const words = ['check', site, '--quiet', '--output', '/proc/x'];
  expect(run(words).stderr).not.toMatch(/^ {4}at /m);
  expect(run([...words, '--debug']).stderr).toMatch(/^ {4}at /m);
  expect(JSON.parse(run(['build', site, '--json', '--out', '/proc/x']).stdout)).toMatchObject({ ok: false });
});

test.each([
  [['serve', '--port', '99999'], '--port 99999: must be at most 65535.'],
  [['serve', '--port', 'http'], '--port http: must be a number.'],
  [['serve', '--role', 'boss'], '--role boss: must be all, api or worker.'],
  [['dev', '--port', '99999'], '--port 99999: must be a number up to 65535.'],
  [['site', '--port', '99999'], '--port 99999: must be at most 65535.'],
])('the wrong option value of %j ends with status 2 and names the option', (words, text) => {
  const { status, stderr } = run(words);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining(`docyard: ${text}`) as string,
  });
});

test.each([
  [['export', 'strat', 'docs.example.com', '--wait'], 'Did you mean docyard export start?'],
  [['export', 'strat'], 'Did you mean docyard export start?'],
  [['site', 'releasse'], 'Did you mean docyard site releases?'],
  [['keys', 'crate'], 'Did you mean docyard keys create?'],
])('the error for the unknown subcommand of %j suggests the nearest one', (words, text) => {
  const { status, stderr } = run(words);
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(text) as string });
});
