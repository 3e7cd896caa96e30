/** Which project a call is about when it names none: the one the server was started for, or the only one there is. */
import type { Project } from '@docyard/api';
import { ToolFailure } from './explain.ts';
import type { Desk } from './tool.ts';

export async function projectFor({ client, projectId }: Desk, signal: AbortSignal): Promise<Project> {
  if (projectId !== undefined) return client.call('readProject', { params: { projectId } }, { signal });
  const { data } = await client.call('listProjects', { query: { limit: 20 } }, { signal });
  const [first, second] = data;
  if (first === undefined) throw new ToolFailure('There is no project yet. Ask the user to create one.');
  if (second === undefined) return first;
  const known = data.map(({ id, domain }) => `${id} (${domain})`).join(', ');
  throw new ToolFailure(`There are several projects; name one of them: ${known}.`);
}
