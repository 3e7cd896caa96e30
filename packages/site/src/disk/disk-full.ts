const SQLITE_FULL = 13;
/** The WAL index could not grow. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** Of the file system or SQLite, also as the cause of another error. */
export function isDiskFull(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, errcode, cause } = error as { code?: unknown; errcode?: unknown; cause?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT') return true;
  return errcode === SQLITE_FULL || errcode === SQLITE_IOERR_SHMSIZE || isDiskFull(cause);
}

/** Includes the file size limit of a sandboxed process. */
export function isDiskFullOrLimited(error: unknown): boolean {
  return isDiskFull(error) || (error as NodeJS.ErrnoException).code === 'EFBIG';
}
