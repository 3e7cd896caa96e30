/** A process that serves the API, a site or nothing but node:http and reports the processor time of event loop turns. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { precompress } from '../../packages/site/src/serving/compressed-files.ts';
import { HostedSite } from '../../packages/site/src/serving/hosted-site.ts';
import { SiteServer } from '../../packages/site/src/serving/site-server.ts';
import { openSite } from '../../packages/site/src/serving/served-site.ts';
import {
  composeForTest,
  serveForTest,
  temporaryFolder,
} from '../../packages/server/test/support/test-context.ts';
import { runCleanups } from '../cleanups.ts';

async function serveApi(): Promise<number> {
  const { origin } = await serveForTest(await composeForTest());
  return Number(new URL(origin).port);
}

async function serveSite(): Promise<number> {
  const folder = temporaryFolder('raw-sockets');
  const siteFolder = join(folder, 'site');
  mkdirSync(siteFolder);
  const page = '<!doctype html><title>Home</title>';
  writeFileSync(join(siteFolder, 'index.html'), page);
  const sha256 = createHash('sha256').update(page).digest('hex');
  const files = [{ path: 'index.html', sizeBytes: page.length, sha256 }];
  const release = { id: 'r1', siteFolder, compressedFolder: join(folder, 'compressed'), manifest: { files } };
  await precompress(release);
  const status = () => ({ release: null, lastRefresh: null, refreshes: {}, refusals: {} });
  const site = new HostedSite({ status });
  const server = new SiteServer({ host: '127.0.0.1', port: 0, sites: [site] });
  site.activate(await openSite(release));
  return (await server.listen()).port;
}

/** Closes a connection at its second request, so that no work of its own is measured. */
async function serveBare(): Promise<number> {
  const server = createServer({ optimizeEmptyRequests: true }, ({ socket }, response) => {
    if (response.socket === null) socket.destroy();
    else response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const servers: Record<string, () => Promise<number>> = { api: serveApi, site: serveSite, bare: serveBare };
const port = await servers[process.argv[2] ?? '']?.();

/** Processor time of the thread, because other processes must not count. */
let maxMs = 0;
let before = process.threadCpuUsage();
function look(): void {
  const { user, system } = process.threadCpuUsage(before);
  maxMs = Math.max(maxMs, (user + system) / 1000);
  before = process.threadCpuUsage();
}
setInterval(look, 2);

process.on('message', () => {
  look();
  process.send?.({ maxMs });
  maxMs = 0;
});
process.once('disconnect', () => void runCleanups().finally(() => process.exit()));
process.send?.({ port });
