/** Watches the memory of a process tree. Kernel limits count each process separately. */
import { readFileSync, readdirSync } from 'node:fs';

const checkEveryMs = 250;

/** Calls `onExceeded` once. Returns a function that ends the watch. */
export function watchMemory(pid: number, maxBytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    if (bytesOfTree(pid) <= maxBytes) return;
    clearInterval(timer);
    onExceeded();
  }, checkEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Orphans are adopted by the init process of their namespace, which is part of the tree. */
function bytesOfTree(pid: number): number {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').map(Number).filter(Boolean),
    );
    return children.reduce((sum, child) => sum + bytesOfTree(child), ownBytes(pid));
  } catch {
    // The process has just ended, or the system has no procfs.
    return 0;
  }
}

/** RssAnon excludes shared pages such as the code of Node. */
function ownBytes(pid: number): number {
  const [, kilobytes = 0] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
