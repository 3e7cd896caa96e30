/** Tells errors of a disk without room from all others. */

export function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** In a process whose files may only become so large, that is the end of its room too. */
export function isDiskFullOrLimited(error: unknown): boolean {
  return isDiskFull(error) || (error as NodeJS.ErrnoException).code === 'EFBIG';
}
