// Installs packages when they do not match the lockfile, and builds the dashboard and the programs when they are stale. It runs
// before anything is installed, so it uses only Node (20 or newer) and npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.docyard-installed');
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('Installing packages (once; a minute at most) …');
  const npm = process.env['npm_execpath'];
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  const [command, ...rest] = npm === undefined ? ['npm', ...args] : [process.execPath, npm, ...args];
  const ended = spawnSync(command, rest, { cwd: root, stdio: 'inherit' });
  if (ended.status !== 0) {
    console.error('npm ci failed. Check the connection to the npm registry, then run the command again.');
    process.exit(ended.status ?? 1);
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

await import('./dashboard.mjs');
await import('./programs.mjs');
