/** The project of a call that names none: the one the server was started for, or the only one. */
import type { Project } from '@docyard/api';
import { McpToolError } from './explain.ts';
import type { ToolEnvironment } from './tool.ts';

export async function projectFor(
  { client, projectId }: ToolEnvironment,
  signal: AbortSignal,
): Promise<Project> {
  if (projectId !== undefined) return client.call('readProject', { params: { projectId } }, { signal });
  const { data } = await client.call('listProjects', { query: { limit: 20 } }, { signal });
  const [first, second] = data;
  if (first === undefined) throw new McpToolError('No project exists. Ask the user to create one.');
  if (second === undefined) return first;
  const available = data.map(({ id, domain }) => `${id} (${domain})`).join(', ');
  throw new McpToolError(`Several projects exist. Pass one of them as projectId: ${available}.`);
}
