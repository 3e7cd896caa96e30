import { z } from 'zod';
import { ForgeError } from '../../ports/forge.ts';
import type { Api } from './api.ts';
import { forkAt, requireFork, waitForFork } from './fork.ts';
import { encodedPath, type Repository } from './repository.ts';

const Project = z.object({
  id: z.int(),
  path_with_namespace: z.string(),
  import_status: z.string().nullish(),
});

export async function openGitlabFork(
  api: Api,
  given: { repository: Repository; fork: Repository | 'auto' | null; root: string[]; project: string },
  signal: AbortSignal,
): Promise<string | null> {
  const { repository, fork, root, project } = given;
  if (fork === null) return null;
  if (fork !== 'auto') {
    const path = fork.parts.slice(root.length).join('/');
    await requireFork(path, api.get({ path: `/projects${encodedPath(path)}`, answer: Project, signal }));
    return fork.url.href;
  }
  const query = { owned: 'true', per_page: '1' };
  const [known] = await api.get({ path: `${project}/forks`, query, answer: z.array(Project), signal });
  const found = known ?? (await api.post({ path: `${project}/fork`, body: {}, answer: Project, signal }));
  const isReady = async () => {
    const { import_status: status } = await api.get({
      path: `/projects${encodedPath(String(found.id))}`,
      answer: Project,
      signal,
    });
    if (status !== 'failed') return status == null || status === 'finished' || status === 'none';
    throw new ForgeError('rejected', `GitLab could not create the fork ${found.path_with_namespace}.`, {
      hint: 'Delete the failed fork on GitLab, then retry the job.',
    });
  };
  await waitForFork(found.path_with_namespace, isReady, { connection: api.connection, signal });
  return forkAt(repository, [...root, ...found.path_with_namespace.split('/')]).url.href;
}
