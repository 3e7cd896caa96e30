/** The published `@docyard/site`: what it installs, and that its program serves a bundle. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { packAll } from '../scripts/pack.ts';
import { bundle, siteOf } from './deployment/site.ts';
import { endWithTest, temporaryFolder } from './temporary-resources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = temporaryFolder('site-user');
const program = join(folder, 'node_modules/.bin/docyard-site');

beforeAll(async () => {
  const tarballs = join(folder, 'tarballs');
  const own = await packAll(tarballs, ['api', 'bundle', 'site']);
  const others = libraryFolders(
    ['packages/api', 'packages/bundle', 'packages/site'].map((path) => join(root, path)),
  );
  const packed = run('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    tarballs,
    ...others,
  ]);
  const names = (JSON.parse(packed) as { filename: string }[]).map(({ filename }) =>
    join(tarballs, filename),
  );
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...own, ...names]);
}, 120_000);

/** The folders of all direct and transitive dependencies. */
function libraryFolders(packages: readonly string[]): string[] {
  const found = new Set<string>();
  const waiting = [...packages];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { dependencies = {} } = manifestOf(at);
    for (const name of Object.keys(dependencies).filter((each) => !each.startsWith('@docyard/'))) {
      const paths = createRequire(join(at, 'package.json')).resolve.paths(name) ?? [];
      const place = paths
        .map((path) => join(path, name))
        .find((path) => existsSync(join(path, 'package.json')));
      if (place === undefined) throw new Error(`${name} of ${at} is not installed.`);
      if (!found.has(place)) waiting.push(place);
      found.add(place);
    }
  }
  return [...found];
}

function manifestOf(path: string): { dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as object;
}

function run(command: string, args: string[]): string {
  const ended = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(`${command} ${args.join(' ')}\n${ended.stdout}${ended.stderr}`);
  return ended.stdout;
}

async function writeBundle(name: string): Promise<string> {
  const file = join(folder, 'bundles', `${name}.tar.gz`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await bundle(siteOf(name)));
  return file;
}

/** The address of the site, once the program prints it. */
async function serve(data: string, environment: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [program, '--data', data, '--port', '0'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithTest(child);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`docyard-site ended with ${code}: ${log}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const [, origin] = /served at (\S+)/.exec(text) ?? [];
      if (origin !== undefined) resolve(origin);
    });
  });
}

test('the package installs without the libraries of the service', () => {
  const installed = readdirSync(join(folder, 'node_modules')).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(folder, 'node_modules', name)).map((each) => `${name}/${each}`)
      : [name],
  );
  const ofService =
    /^(ai|docyard|hono|kysely|pg|pg-boss|prom-client|react|@(ai-sdk|aws-sdk|hono|opentelemetry|smithy)\/.*|@docyard\/(render|dashboard))$/;
  expect(installed.filter((name) => ofService.test(name))).toEqual([]);
  expect(installed).toEqual(expect.arrayContaining(['@docyard/api', '@docyard/bundle', '@docyard/site']));
});

test('the installed docyard-site serves a bundle and the next one that appears', async () => {
  const file = await writeBundle('first');
  const origin = await serve(join(folder, 'data'), { STATIC_EXPORT_BUNDLE_URL: dirname(file) });
  const page = async () => (await fetch(`${origin}/guides/page-1`)).text();
  await expect.poll(page, { timeout: 30_000 }).toContain('release first');
  await writeBundle('second');
  await expect.poll(page, { timeout: 30_000 }).toContain('release second');
});

test('the installed docyard-site imports a bundle and lists its releases', async () => {
  const data = join(folder, 'imported');
  const imported = run(process.execPath, [
    program,
    'import',
    await writeBundle('third'),
    '--data',
    data,
    '--json',
  ]);
  expect(JSON.parse(imported)).toMatchObject({ outcome: 'switched', isServed: false });
  const releases = run(process.execPath, [program, 'releases', '--data', data, '--json']);
  expect(JSON.parse(releases)).toMatchObject([
    { served: true, origin: expect.stringContaining('third') as string },
  ]);
});

test('a bucket without the S3 library is answered with the command that installs it', async () => {
  const data = join(folder, 'bucket');
  const origin = await serve(data, {
    STATIC_EXPORT_BUNDLE_URL: 's3://bundles/docs?endpoint=http://127.0.0.1:9',
  });
  const detail = async () =>
    ((await (await fetch(`${origin}/readyz`)).json()) as { lastRefresh: { detail?: string } | null })
      .lastRefresh?.detail;
  await expect.poll(detail).toContain('npm install @aws-sdk/client-s3');
});
