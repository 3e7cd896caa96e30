/** A process that serves a folder as `docyard site` serves a release, and reports its port. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseManifest } from '../packages/bundle/src/read-manifest.ts';
import { precompress } from '../packages/site/src/serving/compressed-files.ts';
import { HostedSite } from '../packages/site/src/serving/hosted-site.ts';
import { SiteServer } from '../packages/site/src/serving/site-server.ts';
import { openSite } from '../packages/site/src/serving/served-site.ts';

const [siteFolder = '', compressedFolder = ''] = process.argv.slice(2);
const manifest = parseManifest(readFileSync(join(siteFolder, 'manifest.json')));
const release = { id: 'r1', siteFolder, compressedFolder, manifest };
const began = performance.now();
await precompress(release);
const precompressSeconds = (performance.now() - began) / 1000;
const status = () => ({ release: null, lastRefresh: null, refreshes: {}, refusals: {} });
const site = new HostedSite({ status });
const server = new SiteServer({ host: '127.0.0.1', port: 0, sites: [site] });
site.activate(await openSite(release));
const { port } = await server.listen();
process.send?.({ port, precompressSeconds });
process.once('disconnect', () => process.exit());
