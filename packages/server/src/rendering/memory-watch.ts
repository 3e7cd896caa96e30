/**
 * Watches how much memory a process and everything it has started hold together. The limits of the system count each process
 * by itself, so that a few of them could still take all there is.
 */
import { readFileSync, readdirSync } from 'node:fs';

const lookEveryMs = 250;

/** Calls back once. Gives back what ends the watch. */
export function watchMemory(pid: number, mostBytes: number, tooMuch: () => void): () => void {
  const timer = setInterval(() => {
    if (bytesOfFamily(pid) <= mostBytes) return;
    clearInterval(timer);
    tooMuch();
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Processes without a parent are adopted by the first of their namespace, which is one of the family. */
function bytesOfFamily(pid: number): number {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').map(Number).filter(Boolean),
    );
    return children.reduce((sum, child) => sum + bytesOfFamily(child), ownBytes(pid));
  } catch {
    // It has just ended, or this system has no such files.
    return 0;
  }
}

/** What it shares with others, such as the code of Node, is not counted. */
function ownBytes(pid: number): number {
  const [, kilobytes = 0] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
