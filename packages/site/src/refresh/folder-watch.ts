/**
 * Watches files in a folder, however they change: written, replaced, or swapped behind a link as Kubernetes
 * does. File system events are unreliable, so it also polls.
 */
import { watch, type FSWatcher } from 'node:fs';

const pollMs = 2000;
/** Several events arrive for one change. */
const settleMs = 20;

export interface Watching {
  stop(): void;
}

/** Calls `look` after every event and periodically; `look` detects changes. */
export function watchFolder(folder: string, look: () => void): Watching {
  const events = watchEvents(folder, look);
  const timer = setInterval(look, pollMs);
  return {
    stop() {
      events.stop();
      clearInterval(timer);
    },
  };
}

/** Events only, without polling. */
export function watchEvents(folder: string, look: () => void): Watching {
  let settling: NodeJS.Timeout | undefined;
  const soon = () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      look();
    }, settleMs);
  };
  const watcher = tryWatch(folder, soon);
  return {
    stop() {
      watcher?.close();
      clearTimeout(settling);
    },
  };
}

/** Without events, polling is sufficient. */
function tryWatch(folder: string, soon: () => void): FSWatcher | undefined {
  try {
    return watch(folder, soon).on('error', () => {});
  } catch {
    return undefined;
  }
}
