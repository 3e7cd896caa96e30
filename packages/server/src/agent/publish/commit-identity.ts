import { defaultGitIdentity } from '@docyard/api/constants';
import type { AgentSettings } from '../../projects/agent-settings.ts';
import type { CommitIdentity } from '../contract.ts';

export const defaultIdentity: CommitIdentity = {
  author: defaultGitIdentity,
  committer: defaultGitIdentity,
  coAuthors: [],
};

export function identityOf({ author, committer, coAuthors }: AgentSettings['git']): CommitIdentity {
  const named = author ?? defaultGitIdentity;
  return { author: named, committer: committer ?? named, coAuthors };
}

/** Extends the trailers at the end of the message. */
export function withCoAuthors(message: string, { coAuthors }: CommitIdentity): string {
  const trailers = coAuthors.map(({ name, email }) => `Co-authored-by: ${name} <${email}>\n`);
  return `${message}${trailers.join('')}`;
}
