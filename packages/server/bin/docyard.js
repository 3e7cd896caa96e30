#!/usr/bin/env node
// Starts the command line with this Node, or with the Node 24 in node_modules when this one is too old.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// The renderer has native libraries, which are published for these systems.
const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];
const platform = `${process.platform}-${process.arch}`;
if (!platforms.includes(platform)) {
  console.error(
    `docyard: cannot start on ${platform}: the renderer is not published for it. Run Docyard on ${platforms.join(', ')}. ` +
      'The package @docyard/site, which serves exported sites, runs on every system with Node.',
  );
  process.exit(1);
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > 22 || (major === 22 && minor >= 18);

if (isNewEnough) {
  silenceExperimentalWarnings();
  exitOnClosedPipe();
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache', import.meta.url)));
  const { main } = await import(builtProgram() ?? '../src/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  const node = bundledNode();
  if (node === undefined) {
    console.error(
      `docyard: needs Node 22.18 or newer, but this is ${process.version}. Run npm ci in the project first.`,
    );
    process.exit(1);
  }
  const ended = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  process.exit(ended.status ?? 1);
}

// The bundled program loads faster than the sources. A checkout uses it only while no source file is newer.
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

// `docyard … | head` closes the pipe early; that is no error.
function exitOnClosedPipe() {
  process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

// node:sqlite emits an ExperimentalWarning at every start, which users cannot act on.
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
