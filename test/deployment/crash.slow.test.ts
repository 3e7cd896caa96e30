/**
 * Kills the process at every point of an installation: the next start serves a complete release, installs the new one, and
 * leaves no temporary files.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkFolder } from '../../packages/bundle/src/unpack.ts';
import { installSteps } from '../../packages/site/src/releases/install-steps.ts';
import { temporaryFolder } from '../temporary-resources.ts';
import { BundleOrigin } from './origin.ts';
import { bundle, contentOf, siteOf, startSite } from './site.ts';

const crashingSite = fileURLToPath(
  new URL('../../packages/site/test/support/crashing-site.ts', import.meta.url),
);
const dataDir = temporaryFolder('site');
let origin: BundleOrigin;
let settings: object;
/** The release before the kill. */
let served = 'first';

beforeAll(async () => {
  origin = await BundleOrigin.start();
  settings = { bundleUrl: origin.url, refreshSeconds: 1, keep: 2 };
  origin.offer(await bundle(siteOf(served)));
  const site = await startSite({ dataDir, staticExport: settings });
  await vi.waitFor(async () => expect(await site.text('/')).toContain('release first'), 30_000);
  await site.stop();
});

afterAll(() => origin.close());

/** From here on the new release is current. */
const switched = new Set(['switched', 'activated', 'swept']);

/** `npm run test:long` kills at every point. */
const points =
  process.env['LONG_TESTS'] === undefined ? installSteps.filter((_, index) => index % 3 === 0) : installSteps;

test.each(points)('a process killed after “%s” serves a whole release at the next start', async (point) => {
  const next = `made for ${point}`;
  origin.offer(await bundle(siteOf(next)));
  const died = Promise.withResolvers<NodeJS.Signals | null>();
  const environment = { CRASH_AFTER: point };
  await startSite({
    dataDir,
    staticExport: settings,
    environment,
    crashingProgram: crashingSite,
    onSpawn: (child) => child.once('exit', (_code, signal) => died.resolve(signal)),
    // The process may be killed before it listens.
  }).catch(() => undefined);
  expect(await died.promise).toBe('SIGKILL');

  // Without the origin it can only serve installed releases.
  origin.status = 503;
  const site = await startSite({ dataDir, staticExport: settings });
  const first = await site.text('/guides/page-1.html');
  expect(first).toContain(`release ${switched.has(point) ? next : served}`);
  origin.status = undefined;
  await expect.poll(() => site.text('/'), { timeout: 30_000 }).toContain(`release ${next}`);
  await site.stop();
  served = next;

  const { releases, leftovers } = contentOf(dataDir);
  expect(leftovers).toEqual([]);
  expect(releases.length).toBeLessThanOrEqual(2);
  for (const id of releases) await checkFolder(`${dataDir}/releases/${id}/site`);
});
