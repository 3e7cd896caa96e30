/** What the process that writes an archive needs: no schemas, whose loading would slow down small exports. */
export { AppendedFile, readInto } from './appended-file.ts';
export { Archive, type FileContent } from './archive.ts';
export { manifestBytes, manifestName, signatureName } from './manifest.ts';
