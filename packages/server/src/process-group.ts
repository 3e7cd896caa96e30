/** Ends a child that was started `detached`, together with everything it has started itself. */

/** Such a child leads a group of its own: what it started must not live on and hold our pipes open. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
