#!/usr/bin/env node
// Starts the command line on a Node that can run it: this one, or the Node 24 that came with the packages.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const newEnough = major > 22 || (major === 22 && minor >= 18);

if (newEnough) {
  silenceExperimentalWarnings();
  endWithTheReader();
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache', import.meta.url)));
  const { main } = await import(builtProgram() ?? '../src/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  const node = bundledNode();
  if (node === undefined) {
    console.error(
      `docyard: needs Node 22.18 or newer, this is ${process.version}. Run npm ci in the project first.`,
    );
    process.exit(1);
  }
  const ended = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  process.exit(ended.status ?? 1);
}

// What scripts/programs.mjs has made of the sources, unless one of those was changed, added or removed since: it loads in half of
// the time. To find that out takes 9 ms; an installed version never changes.
function builtProgram() {
  const server = dirname(import.meta.dirname);
  const pointer = join(server, 'dist/programs/current');
  const built = statSync(pointer, { throwIfNoEntry: false });
  if (built === undefined) return undefined;
  const sources = ['../api/src', '../bundle/src', '../render/src', '../site/src', 'src'].map((path) =>
    join(server, path),
  );
  const isInstalled = server.split(sep).includes('node_modules');
  if (!isInstalled && sources.some((folder) => isNewer(folder, built.mtimeMs))) return undefined;
  return pathToFileURL(join(dirname(pointer), readFileSync(pointer, 'utf8'), 'main.js')).href;
}

function isNewer(folder, thanMs) {
  if (statSync(folder).mtimeMs > thanMs) return true;
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return isNewer(path, thanMs);
    return !entry.name.endsWith('.test.ts') && statSync(path).mtimeMs > thanMs;
  });
}

// Whoever reads only the first lines, as `head` does, has seen enough.
function endWithTheReader() {
  process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

// node:sqlite announces that it is experimental at every start; nobody who runs this can act on it.
function silenceExperimentalWarnings() {
  const emit = process.emitWarning.bind(process);
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'string' ? rest[0] : rest[0]?.type;
    if (type !== 'ExperimentalWarning') emit(warning, ...rest);
  };
}

function bundledNode() {
  let folder = dirname(realpathSync(fileURLToPath(import.meta.url)));
  while (folder !== dirname(folder)) {
    const candidate = join(folder, 'node_modules', '.bin', 'node');
    if (existsSync(candidate)) return candidate;
    folder = dirname(folder);
  }
  return undefined;
}
