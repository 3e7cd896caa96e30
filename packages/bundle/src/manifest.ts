/** Writes `manifest.json`. It does not load the schema of the reader, which would slow down small exports. */
import type { Manifest } from '@docyard/api';
import type { ArchivedFile } from './archive.ts';

export type { Manifest } from '@docyard/api';

export const manifestName = 'manifest.json';
export const signatureName = 'manifest.json.minisig';
/** Contains only the custom scripts that an export includes. */
const customScriptFolder = '_docyard/scripts/';
/** Room for the maximum number of files with long names. */
export const maxManifestBytes = 64 * 1024 ** 2;

export interface ManifestFacts {
  engineVersion: string;
  version: string | null;
  commit: string | null;
  /** Null for a folder without a commit. */
  committedAt: string | null;
  /** The isolation level of the rendering process; undefined for local builds. */
  isolation?: Manifest['isolation'];
  /** Of a bundle with sealed files. */
  access?: Manifest['access'];
  pages: number;
  files: readonly ArchivedFile[];
}

export function manifestBytes({ engineVersion, files, ...facts }: ManifestFacts): Buffer {
  const { version, commit, committedAt, isolation, access, pages } = facts;
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const customScripts = sorted.map(({ path }) => path).filter((path) => path.startsWith(customScriptFolder));
  const manifest: Manifest = {
    format: 1,
    engine: `docyard/${engineVersion}`,
    version,
    commit,
    committedAt,
    ...(isolation === undefined ? {} : { isolation }),
    ...(customScripts.length === 0 ? {} : { customScripts }),
    ...(access === undefined ? {} : { access }),
    pages,
    files: sorted,
  };
  return Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
}

/**
 * The trusted comment of the signature. It contains no time, so that the same bundle has the same signature.
 */
export function trustedComment({ version, commit }: Pick<Manifest, 'version' | 'commit'>): string {
  const facts = [
    ...(version === null ? [] : [`version=${encodeURIComponent(version.toWellFormed())}`]),
    ...(commit === null ? [] : [`commit=${commit}`]),
  ];
  return ['docyard', manifestName, ...facts].join(' ');
}
