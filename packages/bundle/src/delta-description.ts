/** `delta.json`, the description of a delta. It is untrusted and checked against both manifests. */
import { z } from 'zod';
import { inByteOrder } from './archive-blocks.ts';
import { maxManifestBytes, type Manifest } from './manifest.ts';
import { quoted } from './names.ts';
import { BundleRefusedError } from './refusal.ts';

export const deltaName = 'delta.json';
export const manifestPatchName = 'manifest.json.patch';
/** Prefix of all content entries, so that they have the order of the manifest. */
export const contentPrefix = 'files/';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const bundle = { manifestSha256: sha256, version: z.string().nullable(), commit: z.string().nullable() };

const DeltaDescription = z.strictObject({
  format: z.literal(1),
  base: z.strictObject(bundle),
  target: z.strictObject({ ...bundle, manifestBytes: z.int().min(0).max(maxManifestBytes) }),
  /** Paths of the base that the target lacks. */
  removed: z.array(z.string()),
  /** Files that are not listed have the content of a file of the base. */
  files: z.array(z.strictObject({ path: z.string(), how: z.enum(['whole', 'patch']) })),
});
export type DeltaDescription = z.infer<typeof DeltaDescription>;

export function parseDescription(bytes: Buffer): DeltaDescription {
  const value = parseJson(bytes);
  const { format } = (value ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format !== 1)
    throw new BundleRefusedError('format_unknown', `The delta has ${format}.`);
  const { data, error } = DeltaDescription.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new BundleRefusedError('delta_invalid', `${deltaName}: ${issue?.path.join('.')}: ${issue?.message}.`);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new BundleRefusedError('delta_invalid', `${deltaName} is not JSON.`);
  }
}

/** How the delta contains each file. Refuses a description that contradicts the manifests. */
export function changesOf(
  description: DeltaDescription,
  base: Manifest,
  target: Manifest,
): Map<string, 'whole' | 'patch'> {
  const { version, commit } = description.target;
  if (version !== target.version || commit !== target.commit)
    throw new BundleRefusedError('delta_invalid', 'It names another version or commit than its manifest.');
  const changes = new Map(description.files.map(({ path, how }) => [path, how]));
  if (changes.size !== description.files.length)
    throw new BundleRefusedError('duplicate', `${deltaName} lists a file twice.`);
  const targetPaths = new Set(target.files.map(({ path }) => path));
  for (const path of changes.keys())
    if (!targetPaths.has(path)) throw new BundleRefusedError('file_unlisted', quoted(path));
  const removed = removedPaths(base, target);
  if (
    removed.length !== description.removed.length ||
    removed.some((path, at) => path !== description.removed[at])
  )
    throw new BundleRefusedError(
      'delta_invalid',
      'It removes files other than those that the manifests remove.',
    );
  return changes;
}

/** In the order of the description. */
export function removedPaths(base: Manifest, target: Manifest): string[] {
  const kept = new Set(target.files.map(({ path }) => path));
  return inByteOrder(base.files.filter(({ path }) => !kept.has(path))).map(({ path }) => path);
}
