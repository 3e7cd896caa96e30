/**
 * Tells soon after a file has changed, however it was changed: written, replaced, or swapped behind a link, as
 * Kubernetes does with mounted configuration. Systems tell of changes unreliably, so it also looks by itself.
 */
import { watch, type FSWatcher } from 'node:fs';

const lookEveryMs = 2000;
/** Several events come for one change. */
const settleMs = 20;

export interface Watching {
  stop(): void;
}

/** `look` runs after every event in the folder and every two seconds; it finds out itself whether something is new. */
export function watchFolder(folder: string, look: () => void): Watching {
  const events = watchEvents(folder, look);
  const timer = setInterval(look, lookEveryMs);
  return {
    stop() {
      events.stop();
      clearInterval(timer);
    },
  };
}

/** Only as long as the system tells of them. */
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

/** Where the system offers no events, or no more of them, looking is enough. */
function tryWatch(folder: string, soon: () => void): FSWatcher | undefined {
  try {
    return watch(folder, soon).on('error', () => {});
  } catch {
    return undefined;
  }
}
