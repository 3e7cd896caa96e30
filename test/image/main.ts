/**
 * `npm run image`: builds the images of deploy/Dockerfile with podman and buildah and runs them as operators do. `npm run
 * compose` starts the arrangements of deploy/compose.yaml with them. Exits with 1 on a problem.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findStartObstacle, makeBaseImage } from './base-image.ts';
import { buildImages, findOrBuildImages, type Build } from './build.ts';
import { checkCompose } from './compose.ts';
import { figuresOf, megabytes, seconds, tableOf, writeFigures, type Figures } from './figures.ts';
import { checkPlatforms } from './platforms.ts';
import { enterNamespace, findObstacle, folder, removeContainers, writeSettings } from './podman.ts';
import { checkServiceImage } from './service-image.ts';
import { checkSiteImage } from './site-image.ts';

const help = `Builds the images and runs them. Needs root, Debian's packages and the npm registry; installs podman, buildah,
podman-compose, crun and mmdebstrap where they are missing.

  npm run image -- [--reuse] [--results]
  npm run compose

  --compose   only starts deploy/compose.yaml; npm run compose sets it
  --reuse     builds only images that an earlier run has not left behind; npm run compose sets it
  --results   stores the figures in test/image/results.json and shows them in the manual
`;

// Connections that containers leave open would keep the process alive.
process.exit(await main(process.argv.slice(2)));

async function main(args: string[]): Promise<number> {
  const options = {
    compose: { type: 'boolean', default: false },
    reuse: { type: 'boolean', default: false },
    results: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const obstacle = findObstacle();
  if (obstacle !== undefined) return skip(obstacle);
  const status = enterNamespace();
  if (status !== undefined) return status;
  writeSettings();
  await removeContainers();
  try {
    console.log('Making the base image …');
    const base = await makeBaseImage();
    const why = await findStartObstacle(base);
    if (why !== undefined) return skip(why);
    console.log('Building …');
    const build = await (values.reuse ? findOrBuildImages(base) : buildImages(base));
    if (values.compose) await checkArrangements();
    else await checkImages(build, values.results);
    return 0;
  } catch (error) {
    console.error('FAILED:', error);
    return 1;
  } finally {
    await removeContainers();
  }
}

function skip(why: string): number {
  console.log(`Skipped: ${why}.`);
  return 0;
}

async function checkImages(build: Build, isKept: boolean): Promise<void> {
  console.log('Comparing the dependencies of both processors …');
  const native = await checkPlatforms();
  console.log(native.map((file) => `  ${file}`).join('\n'));
  const bundleFile = join(folder, 'sample.tar.gz');
  console.log('Running the image of the service …');
  const service = await checkServiceImage(bundleFile);
  console.log('Running the image of docyard-site …');
  const siteReadyMs = await checkSiteImage(bundleFile, build);
  console.log('Starting deploy/compose.yaml …');
  const compose = await checkCompose();
  const rows: Figures['rows'] = [
    ['Service image', megabytes(build.serviceMegabytes)],
    ['of which base image (Debian, Node and npm)', megabytes(build.baseMegabytes)],
    ['`docyard-site` image', megabytes(build.siteMegabytes)],
    ['Build of both, without a cache', seconds(build.seconds)],
    ['Service ready', milliseconds(service.readyMs)],
    ['Service ready, as another user id', milliseconds(service.arbitraryUserReadyMs)],
    ['`docyard-site` ready', milliseconds(siteReadyMs)],
    ['Export of the sample site', milliseconds(service.exportMs)],
    ['Stop during an export', milliseconds(service.stopMs)],
    ['Compose, one container', milliseconds(compose.singleReadyMs)],
    ...(compose.scaleReadyMs === undefined
      ? []
      : [['Compose, profile `scale`', milliseconds(compose.scaleReadyMs)] satisfies [string, string]]),
    ...Object.entries(service.isolation).map(([profile, level]): [string, string] => [
      `Isolation level, profile \`${profile}\``,
      String(level),
    ]),
  ];
  const figures = figuresOf(rows);
  console.log(`\n${tableOf(figures)}`);
  if (isKept) writeFigures(figures);
}

async function checkArrangements(): Promise<void> {
  const { singleReadyMs, scaleReadyMs } = await checkCompose();
  console.log(`One container is ready after ${milliseconds(singleReadyMs)}.`);
  if (scaleReadyMs !== undefined) console.log(`Several are ready after ${milliseconds(scaleReadyMs)}.`);
}

function milliseconds(value: number): string {
  return seconds(value / 1000);
}
