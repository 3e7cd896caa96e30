import { z } from 'zod';
import type { Api } from './api.ts';
import { forkAt, ifFound, requireFork, waitForFork } from './fork.ts';
import { encodedPath, ownerAndName, type Repository } from './repository.ts';

const ForkedRepository = z.object({
  full_name: z.string(),
  /** Missing while the fork is empty. */
  mainbranch: z.object({ name: z.string() }).nullish(),
});

export async function openBitbucketFork(
  api: Api,
  { home, fork }: { home: Repository; fork: Repository | 'auto' | null },
  signal: AbortSignal,
): Promise<string | null> {
  if (fork === null) return null;
  const answer = ForkedRepository;
  const read = (path: readonly string[]) =>
    api.get({ path: `/repositories${encodedPath(...path)}`, answer, signal });
  if (fork !== 'auto') {
    const path = Object.values(ownerAndName(fork));
    await requireFork(path.join('/'), read(path));
    return fork.url.href;
  }
  const forks = `/repositories${encodedPath(...Object.values(ownerAndName(home)))}/forks`;
  const { values } = await api.get({
    path: forks,
    query: { role: 'owner', pagelen: '1' },
    answer: z.object({ values: z.array(answer) }),
    signal,
  });
  // Without a workspace, the fork belongs to the user of the token.
  const found = values[0] ?? (await api.post({ path: forks, body: {}, answer, signal }));
  const path = found.full_name.split('/');
  const hasBranch = async () => (await ifFound(read(path)))?.mainbranch != null;
  await waitForFork(found.full_name, hasBranch, { connection: api.connection, signal });
  return forkAt(home, path).url.href;
}
