/** Starts a process that renders pages, with a bounded heap and nothing of this process's environment. */
import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const memoryLimitMb = 512;

export function startRenderProcess(program = processFile()): ChildProcess {
  return fork(program, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Compiled code is kept where the parent keeps its own, if it does.
    // Code of pages that asks for the time of day is answered the same wherever it runs.
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: compiledFolder(), TZ: 'UTC' },
    execArgv: [`--max-old-space-size=${memoryLimitMb}`],
  });
}

/** Node makes a folder in it for each version and user, and tells of that one. */
function compiledFolder(): string {
  const own = getCompileCacheDir();
  return own === undefined ? '' : dirname(own);
}

/** The child runs from source during development and from the compiled file when published. */
function processFile(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./process.${extension}`, import.meta.url));
}
