/** The requests that forges send for a push, with the headers, fields and signatures of their documentation. */
import { createHmac, randomUUID } from 'node:crypto';

export const webhookForges = ['github', 'gitlab', 'gitea', 'bitbucket', 'bitbucket-data-center'] as const;
export type WebhookForge = (typeof webhookForges)[number];

export interface Push {
  secret: string;
  /** The `http(s)` address of the repository, ending with `.git`. */
  repository: string;
  after: string;
  before?: string;
  ref?: string;
  defaultBranch?: string;
  deliveryId?: string;
  /** Paths per commit. */
  commits?: string[][];
  forced?: boolean;
}

export interface WebhookRequest {
  headers: Record<string, string>;
  body: string;
}

export const noCommit = '0'.repeat(40);

export function pushWebhook(forge: WebhookForge, push: Push): WebhookRequest {
  const body = JSON.stringify(payloads[forge](push));
  return { body, headers: { ...json, ...headersOf(forge, { ...push, body }) } };
}

/** The request that a forge sends to test a webhook. GitLab and Gitea send a push. */
export function testWebhook(
  forge: 'github' | 'bitbucket-data-center',
  { secret }: { secret: string },
): WebhookRequest {
  const body = forge === 'github' ? '{"zen":"Design for failure.","hook_id":1}' : '{"test":true}';
  const headers = headersOf(forge, { secret, body });
  const event = forge === 'github' ? { 'x-github-event': 'ping' } : { 'x-event-key': 'diagnostics:ping' };
  return { body, headers: { ...json, ...headers, ...event } };
}

const json = { 'content-type': 'application/json' };

function headersOf(
  forge: WebhookForge,
  {
    secret,
    body,
    deliveryId = randomUUID(),
  }: { secret: string; body: string; deliveryId?: string | undefined },
): Record<string, string> {
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  switch (forge) {
    case 'github':
      return {
        'user-agent': 'GitHub-Hookshot/044aadd',
        'x-github-event': 'push',
        'x-github-delivery': deliveryId,
        'x-github-hook-id': '292430182',
        'x-hub-signature-256': `sha256=${hex}`,
      };
    case 'gitea':
      return {
        'x-gitea-event': 'push',
        'x-gitea-delivery': deliveryId,
        'x-gitea-signature': hex,
        'x-gogs-event': 'push',
        'x-github-event': 'push',
        'x-github-delivery': deliveryId,
        'x-hub-signature-256': `sha256=${hex}`,
      };
    case 'gitlab':
      return {
        'user-agent': 'GitLab/18.5.0',
        'x-gitlab-event': 'Push Hook',
        'x-gitlab-instance': 'https://gitlab.com',
        'x-gitlab-event-uuid': deliveryId,
        'idempotency-key': deliveryId,
        'x-gitlab-token': secret,
      };
    case 'bitbucket':
      return {
        'user-agent': 'Bitbucket-Webhooks/2.0',
        'x-event-key': 'repo:push',
        'x-hook-uuid': randomUUID(),
        'x-request-uuid': deliveryId,
        'x-attempt-number': '1',
        'x-hub-signature': `sha256=${hex}`,
      };
    case 'bitbucket-data-center':
      return {
        'x-event-key': 'repo:refs_changed',
        'x-request-id': deliveryId,
        'x-hub-signature': `sha256=${hex}`,
      };
  }
}

function sshOf(repository: string): string {
  const { hostname, pathname } = new URL(repository);
  return `git@${hostname}:${pathname.slice(1)}`;
}

function homeOf(repository: string): string {
  return repository.replace(/\.git$/, '');
}

function commitsOf({ after, commits = [['index.mdx']] }: Push) {
  return commits.map((modified) => ({ id: after, message: 'Change', added: [], removed: [], modified }));
}

const payloads: Record<WebhookForge, (push: Push) => object> = {
  github: (push) => ({
    ref: push.ref ?? 'refs/heads/main',
    before: push.before ?? noCommit,
    after: push.after,
    created: push.before === undefined,
    deleted: push.after === noCommit,
    forced: push.forced ?? false,
    base_ref: null,
    compare: `${homeOf(push.repository)}/compare/${push.after}`,
    commits: commitsOf(push),
    head_commit: null,
    repository: {
      id: 1,
      full_name: 'acme/docs',
      clone_url: push.repository,
      ssh_url: sshOf(push.repository),
      html_url: homeOf(push.repository),
      default_branch: push.defaultBranch ?? 'main',
    },
    pusher: { name: 'ada', email: 'ada@example.com' },
    sender: { login: 'ada', id: 2 },
  }),
  gitea: (push) => ({
    ref: push.ref ?? 'refs/heads/main',
    before: push.before ?? noCommit,
    after: push.after,
    compare_url: `${homeOf(push.repository)}/compare`,
    commits: commitsOf(push),
    total_commits: commitsOf(push).length,
    repository: {
      id: 1,
      full_name: 'acme/docs',
      clone_url: push.repository,
      ssh_url: sshOf(push.repository),
      html_url: homeOf(push.repository),
      default_branch: push.defaultBranch ?? 'main',
    },
    pusher: { id: 2, login: 'ada', username: 'ada' },
    sender: { id: 2, login: 'ada', username: 'ada' },
  }),
  gitlab: (push) => ({
    object_kind: 'push',
    event_name: 'push',
    before: push.before ?? noCommit,
    after: push.after,
    ref: push.ref ?? 'refs/heads/main',
    checkout_sha: push.after,
    user_id: 4,
    user_name: 'Ada',
    user_username: 'ada',
    project_id: 15,
    project: {
      id: 15,
      name: 'Docs',
      git_http_url: push.repository,
      git_ssh_url: sshOf(push.repository),
      web_url: homeOf(push.repository),
      path_with_namespace: 'acme/docs',
      default_branch: push.defaultBranch ?? 'main',
    },
    commits: commitsOf(push),
    total_commits_count: commitsOf(push).length,
  }),
  bitbucket: (push) => {
    const [, kind, name] = /^refs\/(heads|tags)\/(.+)$/.exec(push.ref ?? 'refs/heads/main') ?? [];
    const type = kind === 'tags' ? 'tag' : 'branch';
    const side = (hash: string | undefined) =>
      hash === undefined || hash === noCommit ? null : { type, name, target: { type: 'commit', hash } };
    return {
      actor: { type: 'user', nickname: 'ada', display_name: 'Ada' },
      repository: {
        type: 'repository',
        full_name: 'acme/docs',
        links: { html: { href: homeOf(push.repository) } },
      },
      push: { changes: [{ old: side(push.before), new: side(push.after), forced: push.forced ?? false }] },
    };
  },
  'bitbucket-data-center': (push) => {
    const id = push.ref ?? 'refs/heads/main';
    return {
      eventKey: 'repo:refs_changed',
      date: '2026-03-01T12:00:00+0000',
      actor: { name: 'ada', displayName: 'Ada', id: 1, type: 'NORMAL' },
      repository: {
        slug: 'docs',
        id: 84,
        name: 'docs',
        scmId: 'git',
        project: { key: 'ACME', id: 84, name: 'Acme' },
        links: { clone: [{ href: push.repository, name: 'http' }] },
      },
      changes: [
        {
          ref: { id, displayId: id.replace(/^refs\/(heads|tags)\//, ''), type: 'BRANCH' },
          refId: id,
          fromHash: push.before ?? noCommit,
          toHash: push.after,
          type: push.after === noCommit ? 'DELETE' : 'UPDATE',
        },
      ],
    };
  },
};
