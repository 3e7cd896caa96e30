/** A file of the build cache that is damaged on the disk costs a command time and changes nothing else. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/test-context.ts';

const program = fileURLToPath(new URL('../../bin/docyard.js', import.meta.url));
const pages = ['index', 'second', 'third'];

function run(folder: string, args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], XDG_CACHE_HOME: join(folder, 'cache') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

function writeSite(folder: string, edit: string): void {
  mkdirSync(join(folder, 'docs'), { recursive: true });
  writeFileSync(join(folder, 'docs/docs.json'), JSON.stringify({ name: 'Harbor', navigation: { pages } }));
  for (const page of pages)
    writeFileSync(
      join(folder, `docs/${page}.mdx`),
      `---\ntitle: ${page}\n---\n\nRopes of ${page}${page === 'third' ? edit : ''}.\n`,
    );
}

function damage(folder: string): void {
  const kinds = join(folder, 'cache/docyard');
  for (const kind of readdirSync(kinds))
    for (const name of readdirSync(join(kinds, kind))) {
      const file = join(kinds, kind, name, 'young');
      const bytes = readFileSync(file);
      const place = bytes.indexOf('Ropes of second');
      expect(place).toBeGreaterThan(0);
      writeFileSync(file, bytes.fill('x', place, place + 5));
    }
}

test.each([
  ['export', ['export', 'docs', '--output', 'site.tar.gz', '--quiet']],
  ['build', ['build', 'docs', '--out', 'site', '--quiet']],
])('docyard %s repeats without a damaged cache', (command, args) => {
  const folder = temporaryFolder(`damaged-${command}`);
  const resultOf = (): string =>
    readFileSync(join(folder, command === 'build' ? 'site/manifest.json' : 'site.tar.gz'), 'latin1');
  writeSite(folder, '');
  run(folder, args);
  // The edit makes the next run read the pages beside the edited one.
  writeSite(folder, ' and sails');
  damage(folder);
  if (command === 'build') writeFileSync(join(folder, 'site/manifest.json'), '{}');
  run(folder, args);
  const repeated = resultOf();
  run(folder, [...args, '--fresh']);
  expect(resultOf()).toBe(repeated);
});
