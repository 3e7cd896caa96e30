// Builds the dashboard when its sources have changed since it was built, with a compressed form beside every file. Called by
// install.mjs, so that `npm start` and `npm test` have it; also by hand while working on it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { filesBelow, fingerprintOf, newNode, root } from './built.mjs';

const source = join(root, 'packages/dashboard');
const built = join(root, 'packages/server/dist/dashboard');
const stamp = join(built, '.built-from');
// Of a build that fails nothing is seen, and two at once do not mix.
const draft = `${built}.${process.pid}`;

/** The package with the wire belongs to it. */
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
  // Also when a test builds it: it is always the one that is shipped.
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

/** By renaming alone: a folder that is removed file by file could be half of another build. */
function takePlace() {
  const old = `${draft}.old`;
  try {
    if (!isBuilt()) {
      if (existsSync(built)) renameSync(built, old);
      renameSync(draft, built);
    }
  } catch (error) {
    // Somebody else was quicker, which is as good.
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
