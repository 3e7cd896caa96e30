// Rewrites package-lock.json in a folder without node_modules. An install in place drops the optional packages of other
// platforms, and `npm ci` then refuses the lockfile.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'docyard-lock-'));
const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8'));
const manifests = ['package.json', ...workspaces.map((name) => `${name}/package.json`)];
for (const file of [...manifests, 'packages/server/bin/docyard.js', 'packages/site/bin/docyard-site.js']) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  cpSync(file, join(folder, file));
}

const npm = (...args) => {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const ended = spawnSync('npm', [...args, ...quiet], { cwd: folder, stdio: 'inherit' });
  if (ended.status !== 0) process.exit(ended.status ?? 1);
};
npm('install', '--package-lock-only');
npm('ci', '--dry-run');
cpSync(join(folder, 'package-lock.json'), 'package-lock.json');
rmSync(folder, { recursive: true });
console.log('package-lock.json is new. Run npm ci to install it.');
