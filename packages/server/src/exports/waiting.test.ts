/** The process that waits for the next export of a branch: it is used once, by that branch alone, and never in its place. */
import childProcess, { type ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, test, vi, type MockInstance } from 'vitest';
import type { Project } from '@docyard/api';
import { claimJob, completeJob } from '../jobs/store.ts';
import type { RunnerInput } from '../jobs/worker.ts';
import { killGroup } from '../process-group.ts';
import {
  commitAll,
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  present,
  temporaryFolder,
  until,
  type Tenant,
  type TestContext,
} from '../testing.ts';
import type { ExportResult } from './record.ts';
import { runExport } from './run.ts';

const site = {
  'docs.json': JSON.stringify({ name: 'Site', navigation: { pages: ['index', 'second'] } }),
  'index.mdx': '---\ntitle: Home\n---\n\nHello.\n',
  'second.mdx': '---\ntitle: Second\n---\n\nText.\n',
};

let context: TestContext;
let tenant: Tenant;
let spawn: MockInstance<typeof childProcess.spawn>;

beforeAll(async () => {
  context = await composeForTest({ RENDER_PROCESSES: '1' });
  tenant = await createTenant(context);
});

beforeEach(() => {
  spawn = vi.spyOn(childProcess, 'spawn');
  syncBuiltinESMExports();
});

afterEach(() => {
  spawn.mockRestore();
  syncBuiltinESMExports();
});

async function newProject(): Promise<Project> {
  const folder = temporaryFolder('repository');
  commitAll(folder, site);
  return createTestProject(context, tenant, { repository: `file://${folder}` });
}

/** Returns the hash of the bundle. Nobody waits after it unless it is said. */
async function run(project: Project, config: Partial<TestContext['config']> = {}): Promise<string> {
  const job = present(await claimJob(context, (await createExport(context, tenant, project)).id));
  const input: RunnerInput = {
    job,
    signal: new AbortController().signal,
    log: context.log,
    report: async () => {},
    insist: (work) => work(),
  };
  const outcome = await runExport({ ...context, config: { ...context.config, ...config } }, input);
  await completeJob(context, job, outcome);
  return (outcome.result as ExportResult).bundle.sha256;
}

async function runAndWait(project: Project): Promise<void> {
  const before = started().length;
  await run(project, { exportWaitingSeconds: 60 });
  await until(() => started().length > before + 1 && workLeft().length === 1);
}

/** The processes that were started to render, in their order. */
function started(): ChildProcess[] {
  return spawn.mock.calls.flatMap(([, args], index) =>
    Array.isArray(args) && args.some((word) => String(word).endsWith('exports/export-child.ts'))
      ? [spawn.mock.results[index]?.value as ChildProcess]
      : [],
  );
}

const workLeft = () => readdirSync(join(context.config.dataDir, 'work'));

test('renders the next export of its branch, with the bytes of one without it, and leaves nothing', async () => {
  const project = await newProject();
  await runAndWait(project);
  commitAll(fileURLToPath(project.source.repository), { 'second.mdx': '# Another text\n' });
  const before = started().length;
  const sha256 = await run(project);
  expect(started().length).toBe(before);
  expect(workLeft()).toEqual([]);
  expect(sha256).toBe(await run(project, { exportMemoryBytes: 0 }));
  expect(started().length).toBe(before + 1);
});

test('gets no order of another project', async () => {
  await runAndWait(await newProject());
  const [waiting] = started().slice(-1);
  const before = started().length;
  await run(await newProject());
  expect(started().length).toBe(before + 1);
  expect(waiting?.exitCode).toBeNull();
  expect(waiting?.signalCode).toBeNull();
});

test('makes room for the one of the branch that was exported last', async () => {
  await runAndWait(await newProject());
  const [first] = started().slice(-1);
  await runAndWait(await newProject());
  await until(() => first?.signalCode === 'SIGKILL');
  expect(workLeft()).toHaveLength(1);
});

test('is not missed when it has died', async () => {
  const project = await newProject();
  await runAndWait(project);
  const [waiting] = started().slice(-1);
  killGroup(waiting?.pid);
  await until(() => waiting?.signalCode !== null);
  const before = started().length;
  await run(project);
  expect(started().length).toBe(before + 1);
  expect(workLeft()).toEqual([]);
});
