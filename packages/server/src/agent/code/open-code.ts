/**
 * The context repositories of a run. Their files are beside the workspace, so no snapshot, check or commit sees them.
 */
import { rm, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TriggeringChange } from '@docyard/api';
import type { EgressPolicy } from '../../egress/addresses.ts';
import { parseAddress } from '../../git/address.ts';
import { GitError } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import { SourceError } from '../../ports/sources.ts';
import { PathRefusedError, type Code, type CodeChange, type PinnedRepository } from '../contract.ts';
import { createRepository } from '../workspace/repository.ts';
import { openTree } from '../workspace/tree.ts';
import { asRepository } from '../workspace/workspace.ts';
import { openChange } from './code-change.ts';
import { fetchCode } from './fetch-code.ts';

export interface WantedRepository extends Omit<PinnedRepository, 'commit'> {
  ref: string | null;
  /** Null for the tip of `ref`. */
  commit: string | null;
}

export interface CodeOptions {
  /** Used by this run only; emptied on open. */
  folder: string;
  repositories: readonly WantedRepository[];
  change: TriggeringChange | null;
  allowLocal: boolean;
  credentialFor(repository: WantedRepository): Promise<GitCredential | null>;
  egress: EgressPolicy;
  signal: AbortSignal;
}

/** Drivers of git that find the functions of a language. */
const attributes = `${[
  ['ada', 'ads adb'],
  ['bash', 'sh bash'],
  ['cpp', 'c cc cpp cxx h hh hpp'],
  ['csharp', 'cs'],
  ['css', 'css'],
  ['elixir', 'ex exs'],
  ['fortran', 'f f90 f95'],
  ['golang', 'go'],
  ['html', 'html htm'],
  ['java', 'java'],
  ['kotlin', 'kt kts'],
  ['markdown', 'md mdx'],
  ['objc', 'm mm'],
  ['pascal', 'pas'],
  ['perl', 'pl pm'],
  ['php', 'php'],
  ['python', 'py pyi'],
  ['ruby', 'rb'],
  ['rust', 'rs'],
  ['scheme', 'scm'],
]
  .flatMap(([driver, endings = '']) => endings.split(' ').map((ending) => `*.${ending} diff=${driver}`))
  .join('\n')}\n`;

export async function openCode(options: CodeOptions): Promise<Code> {
  const { folder, repositories } = options;
  const files = join(folder, 'files');
  await rm(folder, { recursive: true, force: true });
  await mkdir(files, { recursive: true, mode: 0o700 });
  const attributesFile = join(folder, 'attributes');
  await writeFile(attributesFile, attributes);
  const pinned: PinnedRepository[] = [];
  let change: CodeChange | undefined;
  for (const wanted of repositories) {
    const opened = await openRepository(options, wanted, files).catch((error: unknown) => {
      throw naming(wanted.name, error);
    });
    pinned.push(opened.pinned);
    change ??= opened.change;
  }
  return { repositories: pinned, attributesFile, change, tree: readOnlyTree(files) };
}

async function openRepository(
  { folder, change, allowLocal, credentialFor, egress, signal }: CodeOptions,
  wanted: WantedRepository,
  files: string,
): Promise<{ pinned: PinnedRepository; change: CodeChange | undefined }> {
  const { name, repository, ref, paths } = wanted;
  const address = parseAddress({ repository, ref, directory: null, allowLocal });
  const repo = await createRepository({
    folder: join(folder, 'git', name),
    address: asRepository(address),
    fork: null,
    directory: null,
    egress,
    signal,
  });
  const credential = await credentialFor(wanted);
  const at = { name, ref: wanted.commit ?? ref ?? 'HEAD', paths, credential };
  const commit = await fetchCode(repo, at, files);
  const isChanged = change?.repository === name;
  return {
    pinned: { name, repository, paths: [...paths], commit },
    change: isChanged ? await openChange(repo, change, { paths, credential }) : undefined,
  };
}

/** A message without the name would be about the repository of the documentation. */
function naming(name: string, error: unknown): unknown {
  const prefix = `The context repository ${name} could not be fetched.`;
  if (error instanceof SourceError && !error.message.includes(name))
    return new SourceError(error.code, `${prefix} ${error.message}`, error.hint);
  if (!(error instanceof GitError) || error.problem === 'disk_full') return error;
  const hint = 'Check `agent.contextRepositories` of the project: URL, branch and credential.';
  return new SourceError('source_unavailable', `${prefix} ${error.message}`, hint);
}

function readOnlyTree(folder: string): Code['tree'] {
  const refuse = (path: string) =>
    Promise.reject(
      new PathRefusedError(`${path} is code, which cannot be changed. Change the documentation.`),
    );
  const none: ReadonlySet<string> = new Set();
  const tree = openTree({ folder, submodules: none, links: none, isPointer: async () => false });
  return { ...tree, write: refuse, remove: refuse };
}
