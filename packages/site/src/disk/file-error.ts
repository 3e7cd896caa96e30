/** Messages for file system errors. */

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'the folder is not empty',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is too large',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'it is a loop of symbolic links',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is in use',
  EXDEV: 'it is on another file system',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk reported an error',
  ENXIO: 'it is not a regular file',
  EINVAL: 'the file system refuses the name or the operation',
  ENOSYS: 'the file system does not support the operation',
  EOPNOTSUPP: 'the file system does not support the operation',
  ENOTSUP: 'the file system does not support the operation',
};

/** The reason in words; the message of any other error. */
export function fileErrorReason(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] === undefined ? message : `${reasons[code]} (${code})`;
}

/** Undefined for other kinds of errors. */
export function explainFileError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', path, syscall = '' } = error as NodeJS.ErrnoException;
  if (reasons[code] === undefined || syscall.startsWith('spawn')) return undefined;
  const verb = verbs[syscall];
  // An open file has no path, and a connection has none of these calls.
  if (path === undefined)
    return verb === undefined ? undefined : `Cannot ${verb} a file: ${fileErrorReason(error)}.`;
  return `Cannot ${verb ?? 'use'} ${path}: ${fileErrorReason(error)}.`;
}

const verbs: Record<string, string> = {
  open: 'open',
  read: 'read',
  scandir: 'read',
  opendir: 'read',
  stat: 'read',
  lstat: 'read',
  statfs: 'read',
  readlink: 'read',
  access: 'open',
  mkdir: 'create',
  mkdtemp: 'create',
  symlink: 'create',
  write: 'write',
  fsync: 'write',
  ftruncate: 'write',
  copyfile: 'write',
  rename: 'write',
  unlink: 'remove',
  rmdir: 'remove',
  rm: 'remove',
};
