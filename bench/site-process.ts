/** A process that serves a folder as `docyard site` serves a release, and reports its port. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseManifest } from '../packages/bundle/src/read-manifest.ts';
import { AccessGate } from '../packages/site/src/access/access-gate.ts';
import { PasswordSignIn } from '../packages/site/src/access/password-sign-in.ts';
import { CookieSigner } from '../packages/site/src/access/signed-cookies.ts';
import { precompress } from '../packages/site/src/serving/compressed-files.ts';
import { HostedSite } from '../packages/site/src/serving/hosted-site.ts';
import { SiteServer } from '../packages/site/src/serving/site-server.ts';
import { openSite } from '../packages/site/src/serving/served-site.ts';

const [siteFolder = '', compressedFolder = '', access] = process.argv.slice(2);
const manifest = parseManifest(readFileSync(join(siteFolder, 'manifest.json')));
const release = { id: 'r1', siteFolder, compressedFolder, manifest };
const began = performance.now();
await precompress(release);
const precompressSeconds = (performance.now() - began) / 1000;
const status = () => ({ release: null, lastRefresh: null, refreshes: {}, refusals: {} });
const site = new HostedSite({ status });
const server = new SiteServer({ host: '127.0.0.1', port: 0, sites: [site] });
const cookies = new CookieSigner(randomBytes(32), '');
const member = { name: 'Ada', groups: ['crew'] };
if (access === 'private')
  site.protect(
    new AccessGate({
      signIn: new PasswordSignIn([]),
      isSignInOptional: false,
      cookies,
      sessionHours: 1,
      url: null,
      trustedProxies: [],
      siteName: 'Benchmark',
    }),
  );
const audiences = [{ isSignedIn: true, groups: member.groups, files: manifest.files }];
const restricted = {
  filesFolder: siteFolder,
  compressedFolder,
  audiences: { excludedGroups: [], audiences },
};
site.activate(await openSite(access === 'private' ? { ...release, restricted } : release));
const { port } = await server.listen();
const cookie = access === 'private' ? `docyard_session=${cookies.sign('session', member, 3600)}` : undefined;
process.send?.({ port, cookie, precompressSeconds });
process.once('disconnect', () => process.exit());
