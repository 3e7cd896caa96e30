/** A git server with a token, repositories and a workspace for tests. */
import { join } from 'node:path';
import {
  basicAuthorization,
  startGitServer,
  type ServedRepository,
} from '../../../../test/fakes/git-server.ts';
import type { GitCredential } from '../../src/ports/forge.ts';
import { cleanUp, temporaryFolder } from './test-context.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../../src/agent/workspace/workspace.ts';

export const token = 'ghp_0123456789secretTOKEN';
export const credential: GitCredential = { authorization: basicAuthorization(token), secret: token };
export const site = {
  'docs.json': '{"name":"Site"}\n',
  'index.mdx': '# Hello\n',
  'guides/start.mdx': '# Start\n',
};
export const commitDate = '2026-03-01T12:00:00.000Z';

export const server = await startGitServer({ token });
cleanUp(() => server.close());

let repositories = 0;

export function addRepository(files: Record<string, string | Uint8Array> = site): ServedRepository {
  return server.addRepository(`docs-${(repositories += 1)}`, files);
}

/** A folder for a job that does not exist yet. */
export function jobFolder(): string {
  return join(temporaryFolder('workspace'), 'job');
}

export function open(
  repository: string,
  more: Partial<WorkspaceOptions> & Partial<WorkspaceOptions['source']> = {},
): Promise<Workspace> {
  const { ref = null, directory = null, allowLocal = false, ...options } = more;
  return openWorkspace({
    folder: jobFolder(),
    source: { repository, ref, directory, allowLocal },
    commit: null,
    credential,
    egress: { allowedHosts: [server.host] },
    signal: new AbortController().signal,
    ...options,
  });
}

export async function readText(workspace: Workspace, path: string): Promise<string | undefined> {
  const bytes = await workspace.tree.read(path);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('latin1');
}

/** Commits the working tree; the hash is deterministic. */
export async function commitNow(workspace: Workspace, message = 'Change the docs'): Promise<string> {
  const author = { name: 'Docs Agent', email: 'agent@example.com' };
  return workspace.commit({
    tree: await workspace.snapshot(),
    parents: [workspace.base.commit],
    message,
    author,
    committer: author,
    date: commitDate,
  });
}
