/**
 * `manifest.json`: every other file of a site with its size and hash, in an order that does not depend on timing. Written
 * by whoever renders, and read as a stranger's text by whoever takes a bundle.
 */
import { Manifest as ManifestSchema } from '@docyard/api';
import type { ArchivedFile } from './archive.ts';
import { DistinctNames, insistOnName, quoted } from './names.ts';
import { usualLimits } from './reader.ts';
import { BundleRefused } from './refusal.ts';

export type { Manifest } from '@docyard/api';
type Manifest = ManifestSchema;

export const manifestName = 'manifest.json';
export const signatureName = 'manifest.json.minisig';
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
  const manifest: Manifest = {
    format: 1,
    engine: `docyard/${engineVersion}`,
    version,
    commit,
    committedAt,
    ...(isolation === undefined ? {} : { isolation }),
    pages,
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
  return Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
}

/** Throws BundleRefused unless the text is a manifest whose files could be those of a site. */
export function parseManifest(bytes: Uint8Array): Manifest {
  if (bytes.length > mostManifestBytes)
    throw new BundleRefused('too_large', `${manifestName} has ${bytes.length} bytes.`);
  const value = parseWithin(bytes);
  const { format } = (value ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format !== 1)
    throw new BundleRefused('format_unknown', `It is ${format}.`);
  const parsed = ManifestSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BundleRefused('manifest_invalid', `${issue?.path.join('.')}: ${issue?.message}.`);
  }
  checkFiles(parsed.data.files);
  return parsed.data;
}

function checkFiles(files: Manifest['files']): void {
  const names = new DistinctNames();
  // They are in the folder too, and describe it; a list of itself could not be true.
  for (const own of [manifestName, signatureName]) names.add(own);
  let contentBytes = 0;
  for (const { path, sizeBytes } of files) {
    insistOnName(path);
    names.insist(path);
    contentBytes += sizeBytes;
    if (sizeBytes > usualLimits.entryBytes || contentBytes > usualLimits.contentBytes)
      throw new BundleRefused('too_large', `${quoted(path)} has ${sizeBytes} bytes.`);
  }
}

/**
 * Counts before anything is made of the text: 64 MB of `{},{},…` would become more than a gigabyte of objects. A file of a
 * manifest has five marks outside of quotes.
 */
function parseWithin(bytes: Uint8Array): unknown {
  const mostMarks = (usualLimits.entries + 10) * 5;
  let marks = 0;
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) isQuoted = !isQuoted;
    else if (isQuoted) at += byte === 0x5c ? 1 : 0;
    else if (byte === 0x7b || byte === 0x5b || byte === 0x2c) marks += 1;
  }
  if (marks > mostMarks) throw new BundleRefused('too_large', `${manifestName} lists too many files.`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new BundleRefused('manifest_invalid', 'It is not JSON.');
  }
}

/** What a signature says of the manifest beside it. It holds no time, so that the same bundle has the same signature. */
export function trustedComment({ version, commit }: Pick<Manifest, 'version' | 'commit'>): string {
  const facts = [
    ...(version === null ? [] : [`version=${encodeURIComponent(version.toWellFormed())}`]),
    ...(commit === null ? [] : [`commit=${commit}`]),
  ];
  return ['docyard', manifestName, ...facts].join(' ');
}
