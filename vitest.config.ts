import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { postgresMissing } from './test/postgres.ts';

/**
 * The suffixes of test files, in this order:
 * - `.isolated` leaves state behind in its process, such as a replaced module, so it gets a process for itself
 * - `.pg` runs on SQLite and, with `npm run test:slow`, on PostgreSQL
 * - `.browser` needs Chromium
 * - `.slow` runs with `npm run test:slow`, `.long` with `npm run test:long`, any other file with `npm test`
 */
const filesWith = (suffix: string): string[] =>
  ['packages/*/src', 'scripts', 'test'].map((folder) => `${folder}/**/*${suffix}.test.ts`);
const everything = filesWith('');
const slow = filesWith('.slow');
const long = filesWith('.long');
const isolated = filesWith('.isolated');

const project = (name: string, test: { include: string[]; exclude?: string[]; isolate?: boolean }) => ({
  extends: true as const,
  test: { name, ...test },
});

const quick = [
  // Files without isolation share a process, so the modules under test are loaded once for all of them.
  project('render', {
    include: ['packages/render/src/**/*.test.ts'],
    exclude: [...slow, ...long, ...isolated],
    isolate: false,
  }),
  project('packages', {
    include: ['packages/{api,bundle,dashboard,server,site}/src/**/*.test.ts'],
    exclude: [...slow, ...long, ...isolated],
    isolate: false,
  }),
  project('isolated', {
    include: [...isolated, 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...slow, ...long],
  }),
];

const onPostgres = (include: string[]) => ({
  extends: true as const,
  test: {
    name: 'postgres',
    include,
    globalSetup: ['./test/postgres-global-setup.ts'],
    env: { TEST_DATABASE: 'postgres' },
    isolate: include === everything,
  },
});

if (postgresMissing !== undefined) console.warn(`Skipped: ${postgresMissing}.`);

// The tests start hundreds of processes; the compile cache lets each reuse code that another has compiled.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ['./test/setup-file.ts'],
    pool: 'forks',
    /** On two cores the default is one worker, and most tests wait for other processes. */
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects:
      process.env['TEST_DATABASE'] === 'postgres'
        ? [onPostgres(everything)]
        : [
            ...quick,
            project('slow', { include: slow }),
            project('long', { include: long }),
            ...(postgresMissing === undefined
              ? [onPostgres([...filesWith('.pg'), ...filesWith('.pg.slow')])]
              : []),
          ],
  },
});
