/** Durable files and messages for file system errors. */
export { isDiskFull, isDiskFullOrLimited } from './disk/disk-full.ts';
export { explainFileError, fileErrorReason } from './disk/file-error.ts';
export { makeFolder, writeDurably } from './disk/durable-file.ts';
