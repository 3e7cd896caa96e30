/** The requests that forges send for a push, with the headers, fields and signatures of their documentation. */
import { signedWebhook, type WebhookForge, type WebhookRequest } from './webhook-request.ts';

export { webhookForges, type WebhookForge, type WebhookRequest } from './webhook-request.ts';

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

export const noCommit = '0'.repeat(40);

const names: Record<WebhookForge, string> = {
  github: 'push',
  gitlab: 'Push Hook',
  gitea: 'push',
  bitbucket: 'repo:push',
  'bitbucket-data-center': 'repo:refs_changed',
};

export function pushWebhook(forge: WebhookForge, push: Push): WebhookRequest {
  return signedWebhook(forge, { ...push, name: names[forge], payload: payloads[forge](push) });
}

/** The request that a forge sends to test a webhook. GitLab and Gitea send a push. */
export function testWebhook(
  forge: 'github' | 'bitbucket-data-center',
  { secret }: { secret: string },
): WebhookRequest {
  const isGithub = forge === 'github';
  const payload = isGithub ? { zen: 'Design for failure.', hook_id: 1 } : { test: true };
  return signedWebhook(forge, { secret, payload, name: isGithub ? 'ping' : 'diagnostics:ping' });
}

export function sshOf(repository: string): string {
  const { hostname, pathname } = new URL(repository);
  return `git@${hostname}:${pathname.slice(1)}`;
}

export function homeOf(repository: string): string {
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
