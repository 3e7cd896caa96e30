/** Finds and kills processes by their working folder in /proc, including orphaned children of a service. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface FoundProcess {
  pid: number;
  command: string;
}

export function processesIn(folder: string): FoundProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => look(Number(name), folder));
}

export function renderingProcesses(folder: string): FoundProcess[] {
  return processesIn(folder).filter(({ command }) => /exports\/(?:export-)?child/.test(command));
}

export function killProcess({ pid }: FoundProcess): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Processes that remain after the grace period, except the one that may stay. */
export async function survivors(folder: string, seconds: number, stays?: number): Promise<FoundProcess[]> {
  const left = () => processesIn(folder).filter(({ pid }) => pid !== stays);
  for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline;) {
    if (left().length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return left();
}

function look(pid: number, folder: string): FoundProcess[] {
  try {
    const place = readlinkSync(`/proc/${pid}/cwd`);
    if (place !== folder && !place.startsWith(`${folder}/`) && !place.startsWith(`${folder} `)) return [];
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return [{ pid, command }];
  } catch {
    // The process has exited, or belongs to another user.
    return [];
  }
}
