/** What git records about a folder that a command renders: dates of files, and links to the forge of `origin`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ForgeLinks, SourceFacts } from '@docyard/render';
import { knownForge } from '../git/forge-hosts.ts';
import { forgeLinks } from '../git/forge-links.ts';
import { gitIn, type Git } from './git.ts';
import { lastChangesCommand, parseLastChanges, parseShallowCommits } from '../git/last-changes.ts';

const limits = { seconds: 60, bytes: 256e6 };

/** Without git, or outside of a repository, there are no facts. */
export async function readSourceFacts(folder: string): Promise<SourceFacts> {
  try {
    const git = gitIn(folder, limits);
    const [root, prefix] = [
      await git('rev-parse', '--show-toplevel'),
      await git('rev-parse', '--show-prefix'),
    ];
    const directory = prefix.trim().replace(/\/$/, '') || null;
    const top = root.replace(/\n$/, '');
    const [changedOn, links] = await Promise.all([
      readChanges(gitIn(top, limits), top, directory),
      readLinks(git, directory).catch(() => undefined),
    ]);
    return { changedOn, links };
  } catch {
    return { changedOn: new Map() };
  }
}

async function readChanges(git: Git, top: string, directory: string | null): Promise<Map<string, string>> {
  const shallow = (await git('rev-parse', '--git-path', 'shallow')).trim();
  const [log, shallowCommits] = await Promise.all([
    git(...lastChangesCommand({ commit: 'HEAD', directory })),
    readFile(join(top, shallow), 'utf8').catch(() => ''),
  ]);
  return parseLastChanges(log, parseShallowCommits(shallowCommits));
}

async function readLinks(git: Git, directory: string | null): Promise<ForgeLinks | undefined> {
  const repository = webAddress((await git('remote', 'get-url', 'origin')).trim());
  const branch = (await git('symbolic-ref', '--short', 'HEAD')).trim();
  const kind = knownForge(new URL(repository).host);
  return kind && forgeLinks({ kind, repository, branch, directory });
}

/** `git@host:owner/repository.git` and `ssh://git@host/…` as https. */
function webAddress(remote: string): string {
  if (/^https?:/.test(remote)) return remote;
  const [, host = '', path = ''] = /^(?:ssh:\/\/)?(?:[^@/:]+@)?([^/:]+)[:/](.*)$/.exec(remote) ?? [];
  return `https://${host}/${path}`;
}
