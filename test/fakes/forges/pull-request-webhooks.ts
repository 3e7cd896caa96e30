/** The requests that forges send about pull requests. */
import { signedWebhook, type WebhookForge, type WebhookRequest } from './webhook-request.ts';
import { cloudChange, cloudComment } from './webhooks/bitbucket.ts';
import { dataCenterChange, dataCenterComment } from './webhooks/bitbucket-data-center.ts';
import { giteaChange, giteaComment } from './webhooks/gitea.ts';
import { githubChange, githubComment } from './webhooks/github.ts';
import { gitlabChange, gitlabComment } from './webhooks/gitlab.ts';
import {
  withDefaults,
  type Change,
  type Comment,
  type Named,
  type PullRequestChange,
  type PullRequestComment,
} from './webhooks/pull-request.ts';

export function pullRequestWebhook(forge: WebhookForge, change: PullRequestChange): WebhookRequest {
  return signedWebhook(forge, { ...change, ...changes[forge](withDefaults(change)) });
}

export function commentWebhook(forge: WebhookForge, given: PullRequestComment): WebhookRequest {
  return signedWebhook(forge, { ...given, ...comments[forge](withDefaults(given)) });
}

const changes: Record<WebhookForge, (change: Change) => Named> = {
  github: githubChange,
  gitlab: gitlabChange,
  gitea: giteaChange,
  bitbucket: cloudChange,
  'bitbucket-data-center': dataCenterChange,
};

const comments: Record<WebhookForge, (given: Comment) => Named> = {
  github: githubComment,
  gitlab: gitlabComment,
  gitea: giteaComment,
  bitbucket: cloudComment,
  'bitbucket-data-center': dataCenterComment,
};
