/** The programs that scripts/programs.mjs bundles: when the command uses them, and what they contain. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundlePrograms } from '../scripts/bundle-programs.ts';
import { temporaryFolder } from './temporary-resources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const server = join(root, 'packages/server');

test.each(['docyard', 'docyard-site'])('%s can be executed without naming Node', (name) => {
  const ended = spawnSync(join(root, 'node_modules/.bin', name), ['--help'], { encoding: 'utf8' });
  expect(ended.error).toBeUndefined();
  expect(ended.stdout).toContain(`Usage: ${name}`);
});

describe('the command runs', () => {
  const [before, since] = [new Date('2026-01-01'), new Date('2026-01-02')];

  /** Minimal packages, written before the programs were built. */
  function checkout(name: string): string {
    const packages = join(temporaryFolder('checkout'), name);
    const write = (file: string, text: string): void => {
      mkdirSync(dirname(join(packages, file)), { recursive: true });
      writeFileSync(join(packages, file), text);
      for (let path = join(packages, file); path !== packages; path = dirname(path))
        utimesSync(path, before, before);
    };
    for (const file of [
      'api/src/wire.ts',
      'bundle/src/archive.ts',
      'render/src/page/page.ts',
      'site/src/serving.ts',
    ])
      write(file, '');
    write('server/package.json', '{ "type": "module" }');
    write('server/src/main.ts', `export const main = () => console.log('sources');`);
    write('server/dist/programs/b1/main.js', `export const main = () => console.log('built');`);
    write('server/dist/programs/current', 'b1');
    cpSync(join(server, 'bin'), join(packages, 'server/bin'), { recursive: true });
    return packages;
  }

  function said(packages: string): string {
    const program = join(packages, 'server/bin/docyard.js');
    return spawnSync(process.execPath, [program], { encoding: 'utf8' }).stdout.trim();
  }

  test('what was built, while no source is newer', () => {
    expect(said(checkout('packages'))).toBe('built');
  });

  test.each(['api/src/wire.ts', 'render/src/page/page.ts', 'server/src/main.ts'])(
    'its sources, once %s is edited',
    (file) => {
      const packages = checkout('packages');
      utimesSync(join(packages, file), since, since);
      expect(said(packages)).toBe('sources');
    },
  );

  test('its sources, once one of them is gone', () => {
    const packages = checkout('packages');
    rmSync(join(packages, 'render/src/page/page.ts'));
    expect(said(packages)).toBe('sources');
  });

  test('its sources, where nothing was built', () => {
    const packages = checkout('packages');
    rmSync(join(packages, 'server/dist'), { recursive: true });
    expect(said(packages)).toBe('sources');
  });

  test('what was built, where it is installed: then files have the time of the installation', () => {
    const packages = checkout('node_modules');
    utimesSync(join(packages, 'render/src/page/page.ts'), since, since);
    expect(said(packages)).toBe('built');
  });
});

test('sources that were read again and are the same count as built', () => {
  const script = join(root, 'scripts/programs.mjs');
  const pointer = join(server, 'dist/programs/current');
  const run = (): string => spawnSync(process.execPath, [script], { encoding: 'utf8' }).stdout;
  run();
  const [name, since] = [readFileSync(pointer, 'utf8'), Date.now()];
  expect(run()).toBe('');
  expect(readFileSync(pointer, 'utf8')).toBe(name);
  expect(statSync(pointer).mtimeMs).toBeGreaterThanOrEqual(since);
});

describe('what was built', () => {
  const target = join(temporaryFolder('programs'), 'b1');
  const read = (name: string): string => readFileSync(join(target, name), 'utf8');
  const all = (): string => readdirSync(target).map(read).join('\n');

  beforeAll(() => bundlePrograms({ packages: join(root, 'packages'), target, builtFrom: 'of this test' }));

  test('holds every program that a source starts, and names it', () => {
    const started = ['render-pipeline-page-process', 'server-exports-child', 'server-exports-delta-child'];
    const ofAgent = ['server-agent-site-check-child', 'server-agent-policy-page-child'];
    for (const name of [...started, ...ofAgent, 'server-sandbox-probe-child', 'server-agent-engine-relay']) {
      expect(read(`${name}.js`), name).not.toBe('');
      expect(all()).toContain(`new URL("./${name}.js", import.meta.url)`);
    }
  });

  test('says what it was built from, and names no folder of this machine', () => {
    expect(all()).toContain('"of this test"');
    expect(all()).not.toContain(root);
  });

  test('comes with the licenses of what is in it', () => {
    for (const name of ['zod', 'commander', 'acorn', 'hono', 'kysely'])
      expect(read('LICENSES.txt')).toMatch(new RegExp(`^${name}\n\n.*?(MIT|Copyright)`, 'ms'));
  });
});
