/** `manifest.json`: every other file of an output with its size and hash, in an order that does not depend on timing. */
import type { ArchivedFile } from './archive.ts';

export interface ManifestFacts {
  engineVersion: string;
  version: string | null;
  commit: string | null;
  pages: number;
  files: readonly ArchivedFile[];
}

export function manifestBytes({ engineVersion, version, commit, pages, files }: ManifestFacts): Buffer {
  const manifest = {
    format: 1,
    engine: `docyard/${engineVersion}`,
    version,
    commit,
    pages,
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
  return Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
}
