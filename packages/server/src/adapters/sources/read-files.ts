/** Reads a few files of a repository or folder. Links are not followed. */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Remote } from '../../git/remote.ts';
import type { SourceFiles } from '../../ports/sources.ts';
import { openPartialRepository } from './partial-repository.ts';

export interface FilesRequest {
  remote: Remote;
  ref: string | null;
  commit: string | null;
  paths: readonly string[];
  maxBytes: number;
  workFolder: string;
  signal: AbortSignal;
}

export async function readCommitFiles(request: FilesRequest): Promise<SourceFiles> {
  const wanted = request.commit ?? request.ref ?? 'HEAD';
  const repository = await openPartialRepository({ ...request, wanted, depth: 1 });
  const { commit } = repository;
  const files = new Map<string, string>();
  const tooLarge: string[] = [];
  for (const path of request.paths) {
    const listed = String(await repository.git(['ls-tree', '-z', commit, '--', path]));
    const [, oid] = /^100(?:644|755) blob ([0-9a-f]+)\t/.exec(listed) ?? [];
    if (oid === undefined) continue;
    const size = Number(String(await repository.git(['cat-file', '-s', oid])));
    if (size > request.maxBytes) tooLarge.push(path);
    else files.set(path, String(await repository.git(['cat-file', 'blob', oid])));
  }
  return { commit, files, tooLarge };
}

export async function readFolderFiles(
  folder: string,
  paths: readonly string[],
  maxBytes: number,
): Promise<SourceFiles> {
  const files = new Map<string, string>();
  const tooLarge: string[] = [];
  const root = await realpath(folder);
  for (const path of paths) {
    const real = await realpath(join(root, path)).catch(() => undefined);
    if (real === undefined || relative(root, real) !== path) continue;
    // O_NONBLOCK: opening a FIFO would block.
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) continue;
      if (found.size > maxBytes) tooLarge.push(path);
      else files.set(path, await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  }
  return { commit: null, files, tooLarge };
}
