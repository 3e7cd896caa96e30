/** The fork that branches are pushed to: named by the settings, or found and created through the API of the forge. */
import { z } from 'zod';
import { ForgeError, type ForgeSettings } from '../../ports/forge.ts';
import type { Api, Connection } from './api.ts';
import { encodedPath, parseRepository, type Repository } from './repository.ts';

const maxForkChecks = 30;
const forkPauseSeconds = 2;

/**
 * Null without a fork, `auto` if the forge has to be asked. The segments of `root` precede the namespace in the path of
 * a repository.
 */
export function forkOf(
  { fork = null }: Pick<ForgeSettings, 'fork'>,
  { url, parts }: Repository,
  root: readonly string[] = [],
): Repository | 'auto' | null {
  if (fork === null || fork === 'auto') return fork;
  const isAddress = fork.includes('://');
  const found = isAddress
    ? parseRepository(fork)
    : forkAt({ url, parts }, [...root, ...fork.split('/'), parts.at(-1) ?? '']);
  // The credential of the project belongs to the host of its repository.
  if (found.url.origin !== url.origin) {
    throw new ForgeError('rejected', `The fork ${found.url.href} is on another host than the repository.`, {
      hint: `Use a fork at ${url.origin}.`,
    });
  }
  if (found.parts.join('/') === parts.join('/')) {
    throw new ForgeError('rejected', 'The fork is the repository itself.', { hint: 'Name another fork.' });
  }
  return found;
}

export function forkAt({ url }: Repository, path: readonly string[]): Repository {
  // A URL would resolve them.
  if (path.includes('.') || path.includes('..')) {
    throw new ForgeError('rejected', `${path.join('/')} is not the path of a fork.`);
  }
  return parseRepository(`${url.origin}${encodedPath(...path)}.git`);
}

/** Pull requests need the fork, which `openFork` has found before. */
export function knownFork(fork: Repository | 'auto' | null): Repository | null {
  if (fork === 'auto') throw new Error('The fork must be opened before its pull requests.');
  return fork;
}

/** Forges create forks in the background. */
export async function waitForFork(
  name: string,
  isReady: () => Promise<boolean>,
  { connection, signal }: { connection: Connection; signal: AbortSignal },
): Promise<void> {
  for (let check = 1; check <= maxForkChecks; check++) {
    if (await isReady()) return;
    await connection.pause(forkPauseSeconds, signal);
  }
  const seconds = maxForkChecks * forkPauseSeconds;
  throw new ForgeError('unavailable', `The fork ${name} was not ready after ${seconds} seconds.`, {
    hint: 'Retry the job when the forge shows the files of the fork.',
  });
}

/** GitHub and Gitea create the default branch last. */
export async function waitForBranch(
  api: Api,
  { full_name: path, default_branch: branch }: { full_name: string; default_branch: string },
  signal: AbortSignal,
): Promise<void> {
  const at = `/repos${encodedPath(...path.split('/'))}/branches${encodedPath(branch)}`;
  const answer = z.object({ name: z.string() });
  const hasBranch = async () => (await ifFound(api.get({ path: at, answer, signal }))) !== undefined;
  await waitForFork(path, hasBranch, { connection: api.connection, signal });
}

/** Undefined if the forge does not find it; a renamed repository answers with a redirect. */
export async function ifFound<Answer>(request: Promise<Answer>): Promise<Answer | undefined> {
  return request.catch((error: unknown) => {
    if (error instanceof ForgeError && (error.problem === 'not_found' || error.problem === 'rejected'))
      return undefined;
    throw error;
  });
}

export async function requireFork(name: string, request: Promise<unknown>): Promise<void> {
  if ((await ifFound(request)) !== undefined) return;
  throw new ForgeError('not_found', `The fork ${name} does not exist, or the credential cannot access it.`, {
    hint: 'Create the fork, or set `agent.forge.fork` to `auto`.',
  });
}

export function isSamePath(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}

/** An account cannot fork its own repository. */
export function refuseOwnRepository(account: string, owner: string): void {
  if (!isSamePath(account, owner)) return;
  throw new ForgeError(
    'rejected',
    `${account} owns the repository, so its fork cannot be in the same account.`,
    {
      hint: 'Use a token of another account, or remove `agent.forge.fork`.',
    },
  );
}
