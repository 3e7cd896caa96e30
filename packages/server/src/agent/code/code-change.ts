/** The commits and the diff of the code change that triggered a job. */
import type { TriggeringChange } from '@docyard/api';
import { GitError } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import type { CodeChange } from '../contract.ts';
import { fetchBlobs, fetchCommit, refusesSingleObjects } from '../workspace/fetch.ts';
import { parseRaw } from '../workspace/snapshot.ts';
import { plainModes, type Repository } from '../workspace/repository.ts';
import { missingIn, objectSizes } from './fetch-code.ts';

/** Of the history; enough for a pull request. */
const maxCommits = 100;
const maxChangedFiles = 2000;
const maxPatchBytes = 4_000_000;
const plainDiff = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];

export async function openChange(
  repo: Repository,
  change: TriggeringChange,
  { paths, credential }: { paths: readonly string[]; credential: GitCredential | null },
): Promise<CodeChange> {
  const { base, head } = change;
  for (const commit of [base, head]) await fetchCommit(repo, commit, { credential, files: 'none' });
  const inside = [base, head, '--', ...paths];
  const raw = await repo.git(['diff-tree', '-r', '-z', '--raw', ...plainDiff, ...inside]);
  const changed = parseRaw(raw.toString());
  if (changed.length > maxChangedFiles)
    throw new GitError(
      'too_large',
      `The change of ${change.repository} is too large: ${changed.length} files.`,
    );
  await fetchVersions(repo, changed, { head, credential });
  await fetchCommits(repo, [base, head], credential);
  return {
    repository: change.repository,
    base,
    head,
    paths: changed.map(({ path, status }) => ({ path, status })),
    log: async () => {
      const args = ['log', '--no-decorate', '--no-color', '--date=short', `--max-count=${maxCommits}`];
      const format = '--format=%h %ad %an%n%w(0,4,4)%B';
      return String(await repo.git([...args, format, `${base}..${head}`, '--']));
    },
    patch: async (path) => {
      const wanted = path === null ? paths : [path];
      const args = ['diff-tree', '-r', '--patch', ...plainDiff, base, head, '--', ...wanted];
      return String(await repo.git(args, { outputBytes: maxPatchBytes }));
    },
  };
}

type RawChange = ReturnType<typeof parseRaw>[number];

/** Both versions of every changed file. */
async function fetchVersions(
  repo: Repository,
  changed: readonly RawChange[],
  { head, credential }: { head: string; credential: GitCredential | null },
): Promise<void> {
  const versions = changed.flatMap(({ path, oldMode, oldOid, newMode, newOid }) => [
    { mode: oldMode, oid: oldOid, type: 'blob', path },
    { mode: newMode, oid: newOid, type: 'blob', path },
  ]);
  const files = versions.filter(({ mode }) => plainModes.has(mode) || mode === '120000');
  const missing = missingIn(await objectSizes(repo), files);
  await fetchBlobs(repo, missing, credential).catch(async (error: unknown) => {
    if (!refusesSingleObjects(error)) throw error;
    const remote = await repo.reach(credential);
    const args = ['fetch', '--quiet', `--depth=${maxCommits}`, '--refetch', '--no-filter', '--no-tags'];
    await repo.git([...args, '--', remote.url, head], { remote });
  });
}

async function fetchCommits(
  repo: Repository,
  commits: readonly string[],
  credential: GitCredential | null,
): Promise<void> {
  const remote = await repo.reach(credential);
  const args = ['fetch', '--quiet', `--depth=${maxCommits}`, '--filter=tree:0', '--no-tags'];
  await repo.git([...args, '--no-recurse-submodules', '--', remote.url, ...commits], { remote });
}
