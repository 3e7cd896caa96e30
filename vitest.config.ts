import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { postgresMissing } from './test/postgres.ts';

/** What touches the database most, once more on PostgreSQL. TEST_DATABASE=postgres runs everything on it instead. */
const onBothDatabases = [
  'packages/server/src/{audit,organizations}/*.test.ts',
  'packages/server/src/{lists,paging}.test.ts',
  'packages/server/src/jobs/{follow,retention,store}.test.ts',
  'packages/server/src/keys/{keys,rates}.test.ts',
  'packages/server/src/operations/rotate-secrets.test.ts',
  'packages/server/src/people/sessions.test.ts',
  'packages/server/src/projects/projects.test.ts',
  'packages/server/src/webhooks/{outbox,webhooks}.test.ts',
  'packages/server/src/exports/{insights,read,retention}.test.ts',
  'packages/server/src/http/{conditional-write,export-starts,idempotency}.test.ts',
  'test/contract/tenants.test.ts',
];

/** On PostgreSQL too, but with the long ones: what they ask the database for is asked by those above. */
const onBothAtLength = [
  'packages/server/src/http/limits.test.ts',
  'packages/server/src/jobs/worker.test.ts',
  'packages/server/src/webhooks/deliverer.test.ts',
];

/** Minutes of work that commands of their own repeat at length (hostile, scenarios, torture, chaos): `npm run test:long`. */
const long = [
  'packages/server/src/adapters/blobs/s3.test.ts',
  'packages/server/src/agent/engine/acp.test.ts',
  'packages/server/src/cli/project-agent.test.ts',
  'test/report.test.ts',
  'test/s3.test.ts',
  'test/sign-in.test.ts',
  'test/agent/many.test.ts',
  'test/hostile/agent/program.test.ts',
  'test/scenarios/scenarios.test.ts',
  'test/torture/torture.test.ts',
  'test/agent/{acp,follow-ups,private-authority,project-rules}.test.ts',
  'test/cli-exports.test.ts',
  'test/custom-scripts.test.ts',
  'test/client/{bundled,published}.test.ts',
  'test/dashboard/{agent,custom-scripts,gate,keys,many-rows,overview,people,projects,webhooks}.test.ts',
  'test/deployment/{refusals,round}.test.ts',
  'test/deploy-pipelines.test.ts',
  'test/mcp.test.ts',
  'test/operations/{backup,migrate-data}.test.ts',
  'test/scale-out.test.ts',
  'test/sites-in-browser.test.ts',
  'test/stacks/stacks.test.ts',
];

/** A part of these runs each time, and all of it with the long ones. */
const sampled = [
  'packages/render/src/openapi/cyclic.test.ts',
  'test/attacks/attacks.test.ts',
  'packages/server/src/agent/tools/move-page.test.ts',
  'packages/server/src/exports/build-cache.test.ts',
  'test/accessibility.test.ts',
  'test/agent/{crash,jobs}.test.ts',
  'test/contract/fuzz.test.ts',
  'test/dashboard/screens.test.ts',
  'test/dashboard/first-run.test.ts',
  'test/deployment/crash.test.ts',
  'test/offline.test.ts',
];

const everything = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'];
const onPostgres = {
  globalSetup: ['./test/postgres-for-all.ts'],
  env: { TEST_DATABASE: 'postgres' },
};
const isLong = process.env['LONG_TESTS'] !== undefined;
const ofRenderer = ['packages/render/src/**/*.test.ts'];
const ofServer = ['packages/{api,bundle,dashboard,server,site}/src/**/*.test.ts'];
/** They leave something behind in their process: a module that is replaced, another environment, a git host that is closed. */
const alone = [
  'packages/render/src/{fixtures,pipeline/large-site}.test.ts',
  'packages/render/src/{check/rendered,cache/cache,outputs/outputs}.test.ts',
  'packages/server/src/agent/workspace/*.test.ts',
  'packages/server/src/cli/texts.test.ts',
  'packages/server/src/people/sign-in.test.ts',
];
const embedded = {
  extends: true as const,
  test: {
    name: 'embedded',
    include: isLong ? [...long, ...sampled] : ['test/**/*.test.ts', ...alone],
    exclude: isLong ? [] : long,
  },
};
/** Files that share a process load the server once, which takes as long as most of them run. */
const server = {
  extends: true as const,
  test: {
    name: 'server',
    include: isLong ? [] : ofServer,
    exclude: [...long, ...alone],
    isolate: false,
  },
};
/** The renderer keeps no state between files; loading it once for all of them saves half a second each. */
const renderer = {
  extends: true as const,
  test: { name: 'renderer', include: isLong ? [] : ofRenderer, exclude: alone, isolate: false },
};
const postgres = (include: string[]) => ({
  extends: true as const,
  test: { name: 'postgres', include, ...onPostgres, isolate: include === everything },
});

if (postgresMissing !== undefined) console.warn(`Skipped: ${postgresMissing}.`);

/** Hundreds of processes that render pages are started, each 0.3 s sooner when another has compiled its code. */
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    /** Usually a second, which a browser on a busy machine may need for one step. */
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ['./test/after-each-file.ts'],
    pool: 'forks',
    /** On two cores the default is one at a time, and most tests wait for other processes. */
    maxWorkers: Math.max(3, availableParallelism() - 1),
    /** A browser on a machine that is busy with something else may miss a moment; a broken one misses it twice. */
    retry: process.env['CI'] ? 1 : 0,
    projects:
      process.env['TEST_DATABASE'] === 'postgres'
        ? [postgres(everything)]
        : [
            embedded,
            server,
            renderer,
            ...(postgresMissing === undefined ? [postgres(isLong ? onBothAtLength : onBothDatabases)] : []),
          ],
  },
});
