/** A file of the repository that takes the place of one that would be made. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../site/site.ts';

const largestBytes = 50_000_000;

export async function ownFile(
  { root, files }: Pick<Site, 'root' | 'files'>,
  name: string,
): Promise<Uint8Array | undefined> {
  if (!files.all.includes(name)) return undefined;
  const path = join(root, name);
  const { size } = await stat(path);
  return size > largestBytes ? undefined : readFile(path);
}
