/** Resolves on the first SIGINT or SIGTERM; the second one ends the process immediately. */
export function untilStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let hasStopped = false;
    const stop = () => {
      if (hasStopped) process.exit(130);
      hasStopped = true;
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
