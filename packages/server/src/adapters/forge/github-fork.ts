import { z } from 'zod';
import type { Api } from './api.ts';
import { forkAt, ifFound, isSamePath, refuseOwnRepository, requireFork, waitForBranch } from './fork.ts';
import { encodedPath, ownerAndName, type Repository } from './repository.ts';

const Parent = z.object({ full_name: z.string() }).nullish();
const ForkedRepository = z.object({
  full_name: z.string(),
  fork: z.boolean(),
  default_branch: z.string(),
  parent: Parent,
  source: Parent,
});

export async function openGithubFork(
  api: Api,
  { repository, fork }: { repository: Repository; fork: Repository | 'auto' | null },
  signal: AbortSignal,
): Promise<string | null> {
  if (fork === null) return null;
  const answer = ForkedRepository;
  const read = (owner: string, name: string) =>
    api.get({ path: `/repos${encodedPath(owner, name)}`, answer, signal });
  if (fork !== 'auto') {
    const { owner, name } = ownerAndName(fork);
    await requireFork(`${owner}/${name}`, read(owner, name));
    return fork.url.href;
  }
  const { owner, name } = ownerAndName(repository);
  const { login } = await api.get({ path: '/user', answer: z.object({ login: z.string() }), signal });
  refuseOwnRepository(login, owner);
  const known = await ifFound(read(login, name));
  const origins = [known?.parent, known?.source];
  const isFork = known !== undefined && origins.some((one) => isSamePath(one?.full_name, `${owner}/${name}`));
  const create = () =>
    api.post({
      path: `/repos${encodedPath(owner, name)}/forks`,
      body: { default_branch_only: true },
      answer,
      // An account has one fork of a repository, which is also the answer if it exists.
      isRepeatable: true,
      signal,
    });
  const found = isFork ? known : await create();
  await waitForBranch(api, found, signal);
  return forkAt(repository, found.full_name.split('/')).url.href;
}
