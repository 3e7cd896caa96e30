// Builds the dashboard when its sources have changed, with a compressed copy of every file. install.mjs runs it before `npm
// start` and `npm test`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { filesBelow, fingerprintOf, newNode, root } from './build-fingerprint.mjs';

const source = join(root, 'packages/dashboard');
const built = join(root, 'packages/server/dist/dashboard');
const stamp = join(built, '.built-from');
// Builds into a draft, so that a failed or concurrent build leaves the current one intact.
const draft = `${built}.${process.pid}`;

const wanted = fingerprintOf(['packages/dashboard', 'packages/api/src'], [fileURLToPath(import.meta.url)]);
if (!isBuilt()) build();

function build() {
  console.log('Building the dashboard …');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [
    vite,
    'build',
    '--config',
    join(source, 'vite.config.ts'),
    '--logLevel',
    'error',
    '--outDir',
    draft,
  ];
  // Tests also need the production build, which is the one that is shipped.
  const env = { ...process.env, NODE_ENV: 'production' };
  const ended = spawnSync(newNode(), args, { cwd: root, env, stdio: 'inherit' });
  if (ended.status !== 0) {
    console.error('The dashboard could not be built.');
    rmSync(draft, { recursive: true, force: true });
    process.exit(ended.status ?? 1);
  }
  for (const file of filesBelow(draft)) compress(file);
  writeFileSync(join(draft, '.built-from'), wanted);
  takePlace();
}

/** Replaces by renaming, because removing a folder file by file is not atomic. */
function takePlace() {
  const old = `${draft}.old`;
  try {
    if (!isBuilt()) {
      if (existsSync(built)) renameSync(built, old);
      renameSync(draft, built);
    }
  } catch (error) {
    // A concurrent build has finished first.
    if (!isBuilt()) throw error;
  } finally {
    for (const folder of [old, draft]) rmSync(folder, { recursive: true, force: true });
  }
}

function isBuilt() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

/** @param {string} file */
function compress(file) {
  if (!/\.(html|js|css|svg|json)$/.test(file)) return;
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
