// Bundles the programs when their sources have changed, so that they start faster. install.mjs runs it before `npm start` and
// `npm test`. bin/docyard.js runs the sources when the bundle is missing or stale.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprintOf, newNode, root } from './build-fingerprint.mjs';

const programs = join(root, 'packages/server/dist/programs');
const pointer = join(programs, 'current');
const bundler = fileURLToPath(new URL('bundle-programs.ts', import.meta.url));
const startedAt = new Date();
const wanted = fingerprintOf(
  [
    'packages/api/src',
    'packages/bundle/src',
    'packages/render/src',
    'packages/site/src',
    'packages/server/src',
  ],
  [bundler, fileURLToPath(import.meta.url)],
).slice(0, 16);

/** A running server may still load parts of an older bundle. */
const keptMs = 7 * 24 * 3600 * 1000;

if (isBuilt()) markCurrent();
else build();

function isBuilt() {
  return (
    existsSync(pointer) && readFileSync(pointer, 'utf8') === wanted && existsSync(join(programs, wanted))
  );
}

/** A source that is edited during the build counts as newer. Running programs keep the folder they were started from. */
function build() {
  console.log('Building the programs …');
  const draft = join(programs, `draft-${process.pid}`);
  mkdirSync(programs, { recursive: true });
  const ended = spawnSync(newNode(), ['--no-warnings', bundler, draft, wanted], {
    cwd: root,
    stdio: 'inherit',
  });
  if (ended.status !== 0) {
    rmSync(draft, { recursive: true, force: true });
    console.error('The programs could not be built: docyard runs from its sources, and starts more slowly.');
    return;
  }
  takePlace(draft);
}

/** @param {string} draft */
function takePlace(draft) {
  try {
    if (!existsSync(join(programs, wanted))) renameSync(draft, join(programs, wanted));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  markCurrent();
  for (const name of readdirSync(programs)) {
    const isKept = [wanted, 'current'].includes(name) || startedAt.getTime() - writtenMs(name) < keptMs;
    if (!isKept) rmSync(join(programs, name), { recursive: true, force: true });
  }
}

/** Also when nothing was built: a source may have a new timestamp and the same content. */
function markCurrent() {
  const named = `${pointer}.${process.pid}`;
  writeFileSync(named, wanted);
  utimesSync(named, startedAt, startedAt);
  renameSync(named, pointer);
}

/** @param {string} name */
function writtenMs(name) {
  return statSync(join(programs, name), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}
