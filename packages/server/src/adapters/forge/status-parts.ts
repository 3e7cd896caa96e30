/** Parts of commit statuses that the forges share. */
import { createHash } from 'node:crypto';
import { ForgeError } from '../../ports/forge.ts';
import type { CommitStatus, StatusAnnotation } from '../../ports/forge-review.ts';

/** GitHub shows more, but no reader reads them. */
const maxAnnotations = 500;

export function oneLine(text: string, maxCharacters: number): string {
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  if (line.length <= maxCharacters) return line;
  // Never splits a surrogate pair.
  return `${line.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The same for the same annotations, so that a repeated call recognizes them. */
export function annotationsHash(annotations: readonly StatusAnnotation[]): string {
  const parts = annotations.map(({ path, startLine, level, message }) => [path, startLine, level, message]);
  return shortHash(JSON.stringify(parts));
}

/** A key that the forge accepts; long keys stay different from each other. */
export function shortKey(key: string, maxCharacters: number): string {
  return key.length <= maxCharacters ? key : `${key.slice(0, maxCharacters - 17)}-${shortHash(key)}`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The annotations that are sent, in a stable order. */
export function boundedAnnotations({ annotations }: CommitStatus): readonly StatusAnnotation[] {
  return annotations.slice(0, maxAnnotations);
}

/** The note of a part that the forge refused; undefined if it accepted the part. */
export async function noteOf(part: string, work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    // The caller repeats the whole call later.
    if (error.problem === 'rate_limited' || error.problem === 'unavailable') throw error;
    return `Cannot set ${part}: ${error.message}`;
  }
}
