import { z } from 'zod';
import type { Api } from './api.ts';
import { forkAt, ifFound, isSamePath, refuseOwnRepository, requireFork, waitForFork } from './fork.ts';
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
  const { full_name: path, default_branch: branch } = isFork
    ? known
    : await api.post({ path: `/repos${encodedPath(owner, name)}/forks`, body: {}, answer, signal });
  const at = `/repos${encodedPath(...path.split('/'))}/branches${encodedPath(branch)}`;
  const hasBranch = async () =>
    (await ifFound(api.get({ path: at, answer: z.object({ name: z.string() }), signal }))) !== undefined;
  await waitForFork(path, hasBranch, { connection: api.connection, signal });
  return forkAt(home, [...rootParts, ...path.split('/')]).url.href;
}
