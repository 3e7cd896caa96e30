/** The audiences of a bundle: which files each kind of reader sees. The index of the sealed files lists them. */
import { z } from 'zod';
import type { ContentKey } from './content-key.ts';
import { parseManifest } from './read-manifest.ts';
import { BundleRefusedError } from './refusal.ts';
import { seal, sealedIndexPath, unseal } from './sealed-files.ts';
import type { Manifest } from './manifest.ts';

/** Readers who see the same files. */
export interface Audience {
  /** False for readers of a private site who have not signed in. */
  isSignedIn: boolean;
  /** In alphabetical order. */
  groups: readonly string[];
  /** Every file that they see, as in a manifest. */
  files: Manifest['files'];
}

export interface Audiences {
  /** Groups whose members do not see everything that others see. */
  excludedGroups: readonly string[];
  /** Without the readers whose files the manifest lists: those who have signed in and belong to no group. */
  audiences: readonly Audience[];
}

export const maxAudiences = 64;
const maxIndexBytes = 1024 ** 3;

const Index = z.object({
  format: z.literal(1),
  excludedGroups: z.array(z.string()),
  audiences: z
    .array(z.object({ isSignedIn: z.boolean(), groups: z.array(z.string()), files: z.array(z.unknown()) }))
    .max(maxAudiences),
});

export function sealAudiences(key: ContentKey, { excludedGroups, audiences }: Audiences): Buffer {
  const text = JSON.stringify({ format: 1, excludedGroups, audiences });
  return seal(key, sealedIndexPath, Buffer.from(text));
}

/** Throws BundleRefusedError. */
export function openAudiences(key: ContentKey, bytes: Uint8Array, manifest: Manifest): Audiences {
  const text = unseal(key, sealedIndexPath, { bytes, maxBytes: maxIndexBytes }).toString('utf8');
  const parsed = Index.safeParse(parsedJson(text));
  if (!parsed.success) throw new BundleRefusedError('sealed_unreadable', sealedIndexPath);
  const audiences = parsed.data.audiences.map(({ files, ...audience }) => ({
    ...audience,
    // The names get the same checks as those of a manifest.
    files: parseManifest(Buffer.from(JSON.stringify({ ...manifest, files }))).files,
  }));
  return { excludedGroups: parsed.data.excludedGroups, audiences };
}

/**
 * What a reader sees: an audience, or `manifest` for the files that the manifest lists. Undefined for readers who must sign in
 * first. Without an audience for exactly their groups, readers see the most that is certainly visible to them.
 */
export function audienceOf(
  { audiences, excludedGroups }: Audiences,
  reader: { groups: readonly string[] } | undefined,
): Audience | 'manifest' | undefined {
  if (reader === undefined) return audiences.find(({ isSignedIn }) => !isSignedIn);
  const own = new Set(reader.groups);
  const excluded = excludedGroups.filter((group) => own.has(group));
  const [largest] = audiences
    .filter(({ isSignedIn, groups }) => isSignedIn && groups.every((group) => own.has(group)))
    .filter(({ groups }) => excluded.every((group) => groups.includes(group)))
    .toSorted((a, b) => b.groups.length - a.groups.length);
  return largest ?? (excluded.length === 0 ? 'manifest' : undefined);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
