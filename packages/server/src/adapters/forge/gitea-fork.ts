import { z } from 'zod';
import type { Api } from './api.ts';
import { forkAt, ifFound, isSamePath, refuseOwnRepository, requireFork, waitForBranch } from './fork.ts';
import { encodedPath, type Repository } from './repository.ts';

const ForkedRepository = z.object({
  full_name: z.string(),
  default_branch: z.string(),
  parent: z.object({ full_name: z.string() }).nullish(),
});

export async function openGiteaFork(
  api: Api,
  { home, fork, rootParts }: { home: Repository; fork: Repository | 'auto' | null; rootParts: string[] },
  signal: AbortSignal,
): Promise<string | null> {
  if (fork === null) return null;
  const answer = ForkedRepository;
  const read = (path: readonly string[]) =>
    api.get({ path: `/repos${encodedPath(...path)}`, answer, signal });
  if (fork !== 'auto') {
    const path = fork.parts.slice(-2);
    await requireFork(path.join('/'), read(path));
    return fork.url.href;
  }
  const [owner = '', name = ''] = home.parts.slice(-2);
  const { login } = await api.get({ path: '/user', answer: z.object({ login: z.string() }), signal });
  refuseOwnRepository(login, owner);
  const known = await ifFound(read([login, name]));
  const isFork = known !== undefined && isSamePath(known.parent?.full_name, `${owner}/${name}`);
  const found = isFork
    ? known
    : await api.post({ path: `/repos${encodedPath(owner, name)}/forks`, body: {}, answer, signal });
  await waitForBranch(api, found, signal);
  return forkAt(home, [...rootParts, ...found.full_name.split('/')]).url.href;
}
