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

/** A hangup ends a process on a terminal, and reloads a service. */
export function onReloadSignals({
  reload,
  reopenLogs,
}: {
  reload(): Promise<void>;
  reopenLogs(): Promise<void>;
}): void {
  if (!process.stdout.isTTY) process.on('SIGHUP', () => void reload());
  process.on('SIGUSR1', () => void reopenLogs());
}
