/** How a process that serves until it is told to stop learns that. */

/** The second signal does not wait any more. */
export function untilToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    let told = false;
    const stop = () => {
      if (told) process.exit(130);
      told = true;
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
