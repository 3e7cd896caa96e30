/** Every native library has a build for every system on which Docyard runs; on other systems the program says so. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { productionPackages, type LockedPackage } from '../../scripts/production-packages.ts';
import { kitPlatforms } from '../../scripts/release/kit.ts';
import { program } from '../service.ts';

const packages = productionPackages();

/** Builds by the library that needs them. Node itself is not a library: without it, the Node of the system runs Docyard. */
const libraries = new Map(
  [...packages].flatMap(([path, { name, needs }]) => {
    const builds = needs.map((each) => packages.get(each)).filter((each) => isBuild(each));
    return path.startsWith('packages/') || builds.length === 0 ? [] : [[name, builds] as const];
  }),
);

function isBuild(each: LockedPackage | undefined): each is LockedPackage {
  return each !== undefined && each.cpu.length > 0;
}

const systems = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-glibc',
  'linux-arm64-musl',
  'linux-x64-glibc',
  'linux-x64-musl',
  'win32-arm64',
  'win32-x64',
];

test('the native libraries are known', () => {
  expect([...libraries.keys()].toSorted()).toEqual(['@resvg/resvg-js', 'oxc-transform', 'satteri']);
});

test.each(systems)('the lockfile has a build of every native library for %s', (system) => {
  const [os = '', cpu = '', libc] = system.split('-');
  const lacking = [...libraries].filter(
    ([, builds]) =>
      !builds.some(
        (build) =>
          build.os.includes(os) &&
          build.cpu.includes(cpu) &&
          (libc === undefined || build.libc.includes(libc)) &&
          build.integrity !== undefined,
      ),
  );
  expect(lacking.map(([name]) => name)).toEqual([]);
});

const listed = /platforms = \[(.*)\]/.exec(readFileSync(program, 'utf8'))?.[1] ?? '';

test('the program starts on these systems', () => {
  const started = listed.split(', ').map((name) => name.replaceAll("'", ''));
  expect(started).toEqual([...new Set(systems.map((system) => system.replace(/-(?:glibc|musl)$/, '')))]);
});

test('on another system the program ends with a message that names the supported ones', () => {
  const change = `Object.defineProperty(process, 'platform', { value: 'freebsd' })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(change)}`, program, '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toBe(
    `docyard: cannot start on freebsd-${process.arch}: the renderer is not published for it. ` +
      'Run Docyard on darwin-arm64, darwin-x64, linux-arm64, linux-x64, win32-arm64, win32-x64. ' +
      'The package @docyard/site, which serves exported sites, runs on every system with Node.\n',
  );
});

test.each(Object.values(kitPlatforms))('the kit for $os $cpu finds Node in the lockfile', ({ node }) => {
  expect([...packages.values()].map(({ name }) => name)).toContain(node);
});
