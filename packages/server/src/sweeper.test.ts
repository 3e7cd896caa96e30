/** The sweeper cleans up after jobs, one sweep at a time. */
import { expect, test } from 'vitest';
import { Sweeper } from './sweeper.ts';
import {
  cleanUp,
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  until,
  type TestContext,
} from '../test/support/test-context.ts';

/** Counts sweeps by their calls to the store; each takes `sweepMs`. */
async function setUp(sweepMs: number) {
  const context: TestContext = await composeForTest({ RETENTION_EXPORTS: '1' });
  const seen = { begun: 0, underWay: 0, maxConcurrent: 0 };
  const { blobs } = context;
  const list = blobs.listOwners.bind(blobs);
  blobs.listOwners = async function* () {
    seen.begun += 1;
    seen.underWay += 1;
    seen.maxConcurrent = Math.max(seen.maxConcurrent, seen.underWay);
    await new Promise((resolve) => setTimeout(resolve, sweepMs));
    yield* list();
    seen.underWay -= 1;
  };
  const sweeper = new Sweeper(context);
  cleanUp(() => sweeper.stop());
  return { context, sweeper, seen };
}

test('old exports are removed soon after a job has ended', async () => {
  const { context, sweeper } = await setUp(0);
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  await createCompletedExport(context, tenant, project);
  await createCompletedExport(context, tenant, project);
  sweeper.run();
  const purged = () => context.database.selectFrom('jobs').select('id').where('purged_at', 'is not', null);
  await until(async () => (await purged().execute()).length === 1);
});

test('jobs that end during a sweep cause a single further sweep', async () => {
  const { sweeper, seen } = await setUp(20);
  for (let job = 0; job < 50; job += 1) sweeper.run();
  await until(() => seen.begun === 1 && seen.underWay === 1);
  for (let job = 0; job < 50; job += 1) sweeper.run();
  await until(() => seen.begun === 2 && seen.underWay === 0);
  expect(seen.maxConcurrent).toBe(1);
});

test('a stop waits for the running sweep but not for the next one', async () => {
  const { sweeper, seen } = await setUp(1000);
  sweeper.run();
  await until(() => seen.underWay === 1);
  sweeper.run();
  await sweeper.stop();
  expect(seen).toEqual({ begun: 1, underWay: 0, maxConcurrent: 1 });
});

test('a failed sweep is retried', async () => {
  const { context, sweeper, seen } = await setUp(0);
  const { listOwners } = context.blobs;
  context.blobs.listOwners = () => {
    throw new Error('The store is unavailable.');
  };
  sweeper.run();
  await until(async () => {
    context.blobs.listOwners = listOwners;
    sweeper.run();
    return seen.begun > 0;
  });
});
