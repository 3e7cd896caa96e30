/** The web pages and the API of the GitHub that has the repository of a project. */
import type { Context } from '../../context.ts';
import { knownForge } from '../../git/forge-hosts.ts';
import { Problem } from '../../problem.ts';
import { readAgentSettings } from '../../projects/agent-settings.ts';
import type { ProjectRecord } from '../../projects/find-project.ts';

export async function githubAddresses(
  context: Pick<Context, 'database'>,
  { id, repository }: ProjectRecord,
): Promise<{ webBase: string; apiBase: string }> {
  const { forge } = await readAgentSettings(context, id);
  const url = URL.parse(repository);
  const isHttp = url !== null && /^https?:$/.test(url.protocol);
  const kind = forge?.kind ?? (isHttp ? (knownForge(url.host) ?? 'github') : 'bare');
  if (!isHttp || kind !== 'github')
    throw new Problem('invalid_request', `The repository ${repository} is not on GitHub. Use a webhook.`);
  if (forge !== null && forge.fork !== null) {
    throw new Problem(
      'invalid_request',
      'The project pushes branches to a fork, which a GitHub App cannot do. Remove `agent.forge.fork` first.',
    );
  }
  return { webBase: webBaseOf(url), apiBase: forge?.apiBase ?? defaultApiBase(url) };
}

function isPublicGithub({ host }: URL): boolean {
  return host === 'github.com' || host === 'www.github.com';
}

function webBaseOf(url: URL): string {
  return isPublicGithub(url) ? 'https://github.com' : url.origin;
}

function defaultApiBase(url: URL): string {
  if (isPublicGithub(url)) return 'https://api.github.com';
  return url.host.endsWith('.ghe.com') ? `https://api.${url.host}` : `${url.origin}/api/v3`;
}
