/**
 * Handles Ctrl-C and SIGTERM while a command waits for work that continues without it: the first one stops waiting,
 * the second one ends the process.
 */
import { exitTable } from './exit.ts';

/** The first Ctrl-C aborts the signal with `reason()`. */
export async function interruptible<T>(
  reason: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(exitTable.interrupted.status);
    controller.abort(reason());
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
