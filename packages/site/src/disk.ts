/** Files that survive a crash, and file-system errors as sentences. */
export { isDiskFull, isDiskFullOrLimited } from './disk/disk-full.ts';
export { explainFileError, fileErrorReason } from './disk/file-error.ts';
export { makeFolder, writeDurably } from './disk/durable-file.ts';
