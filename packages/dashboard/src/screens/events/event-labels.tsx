/** Names of events, forges and states for readers. */
import type { ForgeEvent } from '@docyard/api';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Badge, type Tone } from '../../parts/note.tsx';

const states: Record<ForgeEvent['state'], { tone: Tone; word: string }> = {
  pending: { tone: 'info', word: 'Waiting' },
  processed: { tone: 'good', word: 'Processed' },
  ignored: { tone: 'quiet', word: 'Ignored' },
  failed: { tone: 'bad', word: 'Failed' },
};

export function EventBadge({ state }: { state: ForgeEvent['state'] }) {
  const { tone, word } = states[state];
  return <Badge tone={tone}>{word}</Badge>;
}

export const forgeNames: Record<ForgeEvent['forge'], string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea or Forgejo',
  bitbucket: 'Bitbucket Cloud',
  'bitbucket-data-center': 'Bitbucket Data Center',
  bare: 'git',
};

export function isPolled({ name }: ForgeEvent): boolean {
  return name === 'poll';
}

export function titleOf(event: ForgeEvent): string {
  const { kind, name, pullRequest } = event;
  switch (kind) {
    case 'push':
      return pushTitle(event);
    case 'pull_request':
      return `Pull request #${pullRequest}`;
    case 'comment':
      return `Comment on #${pullRequest}`;
    case 'review':
      return `Review of #${pullRequest}`;
    case 'test':
      return 'Test of the hook';
    case 'other':
      return name;
  }
}

function pushTitle(event: ForgeEvent): string {
  const [, type, name] = /^refs\/(heads|tags)\/(.+)$/.exec(event.ref ?? '') ?? [];
  const place = type === 'tags' ? `the tag ${name}` : (name ?? event.ref ?? 'a repository');
  if (event.after === null) return `Deletion of ${place}`;
  return isPolled(event) ? `New commit on ${place}` : `Push to ${place}`;
}

export function shortCommit({ after }: ForgeEvent): string | null {
  return after?.slice(0, 10) ?? null;
}

export function EventJob({ event: { jobId, projectId } }: { event: ForgeEvent }): ReactNode {
  if (jobId === null) return null;
  const isExport = jobId.startsWith('se_');
  return (
    <Link to={isExport ? `/exports/${jobId}` : `/agent/${projectId}/${jobId}`}>
      {isExport ? 'Export' : 'Agent job'}
    </Link>
  );
}
