/** Reads the paths and the diff of one commit, compared with its first parent. */
import type { Remote } from '../../git/remote.ts';
import { GitError } from '../../git/run.ts';
import type { SourceChange } from '../../ports/sources.ts';
import { openPartialRepository } from './partial-repository.ts';

const maxPaths = 2000;
/** A larger change is described by its paths alone. */
const maxPatchFiles = 200;
const maxPatchBytes = 2_000_000;
const maxPatchCharacters = 60_000;

export async function readCommitChange(request: {
  remote: Remote;
  commit: string;
  workFolder: string;
  signal: AbortSignal;
}): Promise<SourceChange> {
  const repository = await openPartialRepository({ ...request, wanted: request.commit, depth: 2 });
  const { commit } = repository;
  const parents = String(await repository.git(['log', '-1', '--format=%P', commit, '--'])).trim();
  const [before = ''] = parents.split(' ');
  if (before === '') return { before: null, changedPaths: null, patch: null };
  const compared = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];
  const named = String(await repository.git([...compared, '--name-only', '-z', before, commit, '--']));
  const paths = named.split('\0').filter((path) => path !== '');
  if (paths.length > maxPaths) return { before, changedPaths: null, patch: null };
  if (paths.length > maxPatchFiles) return { before, changedPaths: paths, patch: null };
  const patch = await repository
    .git([...compared, '--unified=2', before, commit, '--'], { outputBytes: maxPatchBytes })
    .catch((error: unknown) => {
      if (error instanceof GitError) return null;
      throw error;
    });
  const shown = patch === null ? null : String(patch).slice(0, maxPatchCharacters);
  return { before, changedPaths: paths, patch: shown };
}
