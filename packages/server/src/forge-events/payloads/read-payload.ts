/** Finds the schema of an event by its forge and name. */
import type * as z from 'zod';
import type { DeliveryHeaders } from '../delivery.ts';
import * as comments from './comment.ts';
import type { EventContent, ReadContent } from './event-content.ts';
import * as pullRequests from './pull-request.ts';
import * as pushes from './push.ts';

const testNames: readonly string[] = ['ping', 'diagnostics:ping'];

type Schemas = Record<string, z.ZodType<ReadContent>>;

const schemas: Record<string, Schemas> = {
  github: {
    push: pushes.githubPush,
    pull_request: pullRequests.githubPullRequest,
    issue_comment: comments.githubComment,
    pull_request_review: comments.githubReview,
    pull_request_review_comment: comments.githubReviewComment,
  },
  gitlab: {
    'Push Hook': pushes.gitlabPush,
    'Tag Push Hook': pushes.gitlabPush,
    'Merge Request Hook': pullRequests.gitlabPullRequest,
    'Note Hook': comments.gitlabComment,
  },
  gitea: {
    push: pushes.giteaPush,
    pull_request: pullRequests.githubPullRequest,
    issue_comment: comments.githubComment,
    pull_request_approved: comments.giteaReview('approved'),
    pull_request_rejected: comments.giteaReview('changes_requested'),
    pull_request_comment: comments.giteaReview('commented'),
  },
  bitbucket: {
    'repo:push': pushes.bitbucketPush,
    'pullrequest:created': pullRequests.bitbucketPullRequest('opened'),
    'pullrequest:updated': pullRequests.bitbucketPullRequest('updated'),
    'pullrequest:fulfilled': pullRequests.bitbucketPullRequest('merged'),
    'pullrequest:rejected': pullRequests.bitbucketPullRequest('closed'),
    'pullrequest:comment_created': comments.bitbucketComment,
    'pullrequest:approved': comments.bitbucketReview('approved'),
    'pullrequest:changes_request_created': comments.bitbucketReview('changes_requested'),
  },
  'bitbucket-data-center': {
    'repo:refs_changed': pushes.dataCenterPush,
    'pr:opened': pullRequests.dataCenterPullRequest('opened'),
    'pr:from_ref_updated': pullRequests.dataCenterPullRequest('updated'),
    'pr:modified': pullRequests.dataCenterPullRequest('edited'),
    'pr:reviewer:updated': pullRequests.dataCenterPullRequest('review_requested'),
    'pr:merged': pullRequests.dataCenterPullRequest('merged'),
    'pr:declined': pullRequests.dataCenterPullRequest('closed'),
    'pr:deleted': pullRequests.dataCenterPullRequest('closed'),
    'pr:comment:added': comments.dataCenterComment,
    'pr:reviewer:approved': comments.dataCenterReview('approved'),
    'pr:reviewer:needs_work': comments.dataCenterReview('changes_requested'),
    'pr:reviewer:changes_requested': comments.dataCenterReview('changes_requested'),
  },
};

/** A delivery of Bitbucket is about any number of refs. */
export function readPayload({ forge, name }: DeliveryHeaders, payload: unknown): EventContent[] {
  if (testNames.includes(name)) return [withoutAction('test', 'The forge tested the hook.')];
  const known = schemas[forge] ?? {};
  const schema = Object.hasOwn(known, name) ? known[name] : undefined;
  if (schema === undefined) {
    const reason = `Events of the type ${name} have no effect. Send pushes, pull requests and comments.`;
    return [withoutAction('other', reason)];
  }
  const parsed = schema.safeParse(payload);
  if (parsed.success) {
    const nothing = `This ${name} event reports a change that has no effect.`;
    return parsed.data ?? [withoutAction('other', nothing)];
  }
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'payload';
  const reason = `The payload is not a ${name} event of ${forge}: ${field} is missing or invalid.`;
  return [withoutAction('other', reason)];
}

function withoutAction(kind: 'test' | 'other', ignoredBecause: string): EventContent {
  const nothing = { ref: null, before: null, after: null, repository: null, actor: null };
  return { kind, ...nothing, details: null, ignoredBecause };
}
