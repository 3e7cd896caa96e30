/**
 * Ctrl-C while a command waits for something that goes on without it: the first one ends the waiting with a sentence, the
 * second one the process. Pipelines end their steps with SIGTERM, which counts the same.
 */
import { exitTable } from './exit.ts';

/** Runs `work` with a signal that is aborted with `reason()` by the first Ctrl-C. */
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
