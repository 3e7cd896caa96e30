/** Renders a site in a child process, so that a crash is a result and memory is that of one site. */
import { fork } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchMemory } from '../../bench/process-tree.ts';
import type { ChildReport } from './render-child.ts';

export interface RenderedSite extends ChildReport {
  out: string;
  seconds: number;
  peakBytes: number;
  files: number;
  bytes: number;
  /** The error output of a process that crashed. */
  crash?: string;
}

const child = fileURLToPath(new URL('render-child.ts', import.meta.url));

export async function render(root: string, out: string): Promise<RenderedSite> {
  rmSync(out, { recursive: true, force: true });
  const began = performance.now();
  const started = fork(child, [root, out], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const peak = watchMemory(started.pid ?? 0);
  const tiers = { none: 0, static: 0, run: 0, refused: 0 };
  let report: ChildReport = { pages: 0, apiPages: 0, tiers, diagnostics: [] };
  let complaints = '';
  started.on('message', (message) => (report = message as ChildReport));
  started.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const status = await new Promise<number | null>((resolve) => started.once('close', resolve));
  const seconds = (performance.now() - began) / 1000;
  const sizes = status === 0 ? filesBelow(out).map((file) => statSync(join(out, file)).size) : [];
  return {
    ...report,
    out,
    seconds,
    peakBytes: peak(),
    files: sizes.length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    ...(status === 0 ? {} : { crash: crashLine(complaints) || `ended with status ${status}` }),
  };
}

/** The line of Node's output that names the error. */
function crashLine(text: string): string {
  return /^.*Error.*$/m.exec(text)?.[0] ?? text.trim().slice(-300);
}

/** Paths relative to the folder, with forward slashes, sorted. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .toSorted();
}
