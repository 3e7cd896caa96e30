/**
 * `manifest.json`: every other file of a site with its size and hash, in an order that does not depend on timing. Written
 * by whoever renders, for whom the schema that it is read with would take as long to load as a small site to render.
 */
import type { Manifest } from '@docyard/api';
import type { ArchivedFile } from './archive.ts';

export type { Manifest } from '@docyard/api';

export const manifestName = 'manifest.json';
export const signatureName = 'manifest.json.minisig';
/** Holds the scripts of the repository that an export includes, and nothing else. */
const customScriptFolder = '_docyard/scripts/';
/** 200,000 files with names of a hundred characters come to 50 MB. */
export const mostManifestBytes = 64 * 1024 ** 2;

export interface ManifestFacts {
  engineVersion: string;
  version: string | null;
  commit: string | null;
  /** When the commit was made; null for a folder without one. */
  committedAt: string | null;
  /** How isolated the process was that rendered the site, where somebody else's site was rendered. */
  isolation?: Manifest['isolation'];
  pages: number;
  files: readonly ArchivedFile[];
}

export function manifestBytes({ engineVersion, files, ...facts }: ManifestFacts): Buffer {
  const { version, commit, committedAt, isolation, pages } = facts;
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
    pages,
    files: sorted,
  };
  return Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
}

/** What a signature says of the manifest beside it. It holds no time, so that the same bundle has the same signature. */
export function trustedComment({ version, commit }: Pick<Manifest, 'version' | 'commit'>): string {
  const facts = [
    ...(version === null ? [] : [`version=${encodeURIComponent(version.toWellFormed())}`]),
    ...(commit === null ? [] : [`commit=${commit}`]),
  ];
  return ['docyard', manifestName, ...facts].join(' ');
}
