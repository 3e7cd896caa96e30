/** Tells errors of a disk without room from all others. */

const SQLITE_FULL = 13;
/** The index of the write-ahead log could not grow. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** Of the file system or of SQLite, also as the cause of another error. */
export function isDiskFull(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, errcode, cause } = error as { code?: unknown; errcode?: unknown; cause?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT') return true;
  return errcode === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE || isDiskFull(cause);
}

/** In a process whose files may only become so large, that is the end of its room too. */
export function isDiskFullOrLimited(error: unknown): boolean {
  return isDiskFull(error) || (error as NodeJS.ErrnoException).code === 'EFBIG';
}
