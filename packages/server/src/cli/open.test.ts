/** `docyard open`: the page it opens, the bundles it keeps and the inputs it refuses. */
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Archive, manifestBytes, secretKeyText } from '@docyard/bundle';
import { groupBundle, signingKey } from '../../../site/test/support/group-site.ts';
import { contentKeyOf } from '../projects/content-key.ts';
import {
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  serveForTest,
  temporaryFolder,
  writeFiles,
} from '../../test/support/test-context.ts';
import { docyard } from '../../test/support/run-command.ts';

let cache: string;

beforeEach(() => {
  cache = temporaryFolder('cache');
  vi.stubEnv('XDG_CACHE_HOME', cache);
  for (const name of ['BROWSER', 'DISPLAY', 'WAYLAND_DISPLAY']) vi.stubEnv(name, '');
});

afterEach(() => vi.unstubAllEnvs());

async function bundle(text: string, listed = text): Promise<string> {
  const folder = temporaryFolder('bundle');
  const archive = new Archive(join(folder, 'spool'));
  archive.add('index.html', Buffer.from(text));
  const file = { path: 'index.html', sizeBytes: listed.length, sha256: hash('sha256', listed) };
  const facts = { engineVersion: '0', version: null, commit: null, committedAt: null, pages: 1 };
  archive.add('manifest.json', manifestBytes({ ...facts, files: [file] }));
  const path = join(folder, 'bundle.tar.gz');
  const output = openSync(path, 'w');
  await archive.pack(output);
  closeSync(output);
  archive.close();
  return path;
}

test('without a desktop, the command prints the path of the first page, which is stable per bundle', async () => {
  const file = await bundle('hello');
  const first = await docyard('open', file);
  expect(first).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(first.stdout.trim(), 'utf8')).toBe('hello');
  expect(await docyard('open', file)).toEqual(first);
  expect(readdirSync(join(cache, 'docyard', 'open'))).toHaveLength(1);
});

test('the browser opens the URL of the page', async () => {
  const folder = temporaryFolder('site');
  writeFiles(folder, { 'index.html': 'hello' });
  const browser = join(temporaryFolder('browser'), 'browser');
  const asked = join(dirname(browser), 'asked');
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${asked}'\n`);
  chmodSync(browser, 0o755);
  vi.stubEnv('BROWSER', browser);
  const page = join(folder, 'index.html');
  expect(await docyard('open', folder)).toEqual({ status: 0, stdout: `Opened ${page}\n`, stderr: '' });
  await expect.poll(() => existsSync(asked) && readFileSync(asked, 'utf8')).toBe(pathToFileURL(page).href);
});

test('the last five bundles are kept', async () => {
  for (let number = 1; number <= 7; number += 1) {
    expect((await docyard('open', await bundle(`site ${number}`), '--print')).status).toBe(0);
  }
  expect(readdirSync(join(cache, 'docyard', 'open'))).toHaveLength(5);
});

test('a bundle that does not match its manifest is refused and removed', async () => {
  const { status, stdout, stderr } = await docyard('open', await bundle('evil', 'good'));
  expect({ status, stdout }).toEqual({ status: 7, stdout: '' });
  expect(stderr).toContain('[file_changed]');
  expect(readdirSync(join(cache, 'docyard', 'open'))).toEqual([]);
});

test('the error for a source folder points to docyard dev', async () => {
  const folder = temporaryFolder('source');
  mkdirSync(folder, { recursive: true });
  writeFiles(folder, { 'docs.json': '{}' });
  expect(await docyard('open', folder)).toMatchObject({
    status: 2,
    stderr: `docyard: ${folder} contains the source of a site. Preview it with docyard dev ${folder}.\n`,
  });
});

test('an audience is shown in a preview of the service', async () => {
  const context = await composeForTest({ SIGNING_KEY: secretKeyText(signingKey) });
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  const audiences = [{ groups: ['partners'], files: { 'index.html': 'for partners' } }];
  const key = await contentKeyOf(context, project.id);
  const packed = await groupBundle({ root: { 'index.html': 'for everyone' }, audiences, key });
  const { id } = await createCompletedExport(context, tenant, project, packed);
  vi.stubEnv('DOCYARD_URL', (await serveForTest(context)).origin);
  vi.stubEnv('DOCYARD_API_KEY', tenant.key.key);

  const opened = await docyard('open', id, '--audience', 'partners');
  expect(opened).toMatchObject({ status: 0, stderr: '' });
  expect(await (await fetch(opened.stdout.trim())).text()).toBe('for partners');
  const latest = await docyard('open', '--latest', project.domain, '--json', '--audience', 'partners');
  const { previewUrl } = JSON.parse(latest.stdout) as { previewUrl: string };
  expect(await (await fetch(previewUrl)).text()).toBe('for partners');

  const unknown = await docyard('open', id, '--audience', 'guests');
  expect(unknown.status).not.toBe(0);
  expect(unknown.stderr).toContain('Choose one of its audiences: no group; "partners".');
});

test.each([
  [['site.tar.gz', '--audience', 'partners'], '--audience needs the id of an export, or --latest.'],
  [['--audience', 'partners'], '--audience needs the id of an export, or --latest.'],
  [['se_3f9a2c1b8e7d4a06', '--audience', 'partners', '--public-key', 'RWQ'], 'Pass either --audience or'],
])('the arguments %j are refused', async (args, message) => {
  const { status, stderr } = await docyard('open', ...args);
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});
