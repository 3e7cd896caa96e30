import type { ForgeKind } from '../ports/forge.ts';

const hosts: Readonly<Record<string, ForgeKind>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
  'codeberg.org': 'gitea',
  'gitea.com': 'gitea',
};

/** The forge of a public host. */
export function knownForge(host: string): ForgeKind | undefined {
  if (host.endsWith('.ghe.com')) return 'github';
  return Object.hasOwn(hosts, host) ? hosts[host] : undefined;
}
