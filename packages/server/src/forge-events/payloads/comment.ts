/** Comments on pull requests, and reviews. */
import * as z from 'zod';
import type { CommentContent, EventContent, ReadContent } from './event-content.ts';
import {
  body,
  cloudRepository,
  count,
  dataCenterRepository,
  gitlabProject,
  id,
  repository,
  text,
  userName,
  webUrl,
} from './fields.ts';

type ReviewState = NonNullable<CommentContent['reviewState']>;

interface Commented {
  urls: string[];
  number: number;
  comment: CommentContent;
}

function commentOf({ urls, number, comment }: Commented): ReadContent {
  const content: EventContent = {
    kind: comment.reviewState === null ? 'comment' : 'review',
    ref: null,
    before: null,
    after: null,
    repository: urls[0] ?? null,
    actor: comment.author,
    details: { repositoryUrls: urls, pullRequestNumber: number, comment },
    ignoredBecause: null,
  };
  return [content];
}

const githubUser = z
  .object({ id: id.nullish(), login: userName, type: text.nullish() })
  .nullish()
  .transform((user) => ({
    author: user?.login ?? null,
    authorId: user?.id ?? null,
    isBot: user?.type === 'Bot',
  }));
const githubText = z.object({ id, body, html_url: webUrl, user: githubUser });
const pullNumber = z.object({ number: count });

/** Gitea sends the same fields. */
export const githubComment = z
  .object({
    action: text,
    issue: pullNumber.extend({ pull_request: z.unknown().optional() }),
    is_pull: z.boolean().nullish(),
    comment: githubText,
    repository,
  })
  .transform(({ action, issue, is_pull: isPull, comment, repository: { urls } }) => {
    const isOnPullRequest = isPull ?? Boolean(issue.pull_request);
    if (action !== 'created' || !isOnPullRequest) return null;
    const { html_url: url, user, ...rest } = comment;
    const place = { threadId: null, path: null, line: null, reviewState: null };
    return commentOf({ urls, number: issue.number, comment: { ...rest, ...user, url, ...place } });
  });

export const githubReviewComment = z
  .object({
    action: text,
    pull_request: pullNumber,
    comment: githubText.extend({
      in_reply_to_id: id.nullish(),
      path: text,
      line: count.nullish(),
      original_line: count.nullish(),
    }),
    repository,
  })
  .transform(({ action, pull_request: { number }, comment, repository: { urls } }) => {
    if (action !== 'created') return null;
    const { id: commentId, body: written, html_url: url, user, path } = comment;
    const line = comment.line ?? comment.original_line ?? null;
    const threadId = comment.in_reply_to_id ?? commentId;
    const content = { id: commentId, threadId, ...user, body: written, url, path, line, reviewState: null };
    return commentOf({ urls, number, comment: content });
  });

const githubReviewStates = new Map<string, ReviewState>([
  ['approved', 'approved'],
  ['changes_requested', 'changes_requested'],
  ['commented', 'commented'],
]);

export const githubReview = z
  .object({
    action: text,
    pull_request: pullNumber,
    review: githubText.extend({ state: text }),
    repository,
  })
  .transform(({ action, pull_request: { number }, review, repository: { urls } }) => {
    const { html_url: url, user, state, ...rest } = review;
    const reviewState = githubReviewStates.get(state.toLowerCase());
    if (action !== 'submitted' || reviewState === undefined) return null;
    const place = { threadId: null, path: null, line: null, reviewState };
    return commentOf({ urls, number, comment: { ...rest, ...user, url, ...place } });
  });

/** A review of Gitea has no id. */
export const giteaReview = (reviewState: ReviewState) =>
  z
    .object({
      pull_request: pullNumber.extend({ html_url: webUrl }),
      review: z.object({ content: body }),
      sender: githubUser,
      repository,
    })
    .transform(({ pull_request: pull, review, sender, repository: { urls } }) => {
      const place = { threadId: null, path: null, line: null, reviewState };
      const comment = { id: '', ...sender, body: review.content, url: pull.html_url, ...place };
      return commentOf({ urls, number: pull.number, comment });
    });

export const gitlabComment = z
  .object({
    user: z.object({ id: id.nullish(), username: userName }).nullish(),
    project: gitlabProject,
    object_attributes: z.object({
      id,
      discussion_id: text.nullish(),
      note: body,
      noteable_type: text,
      action: text.nullish(),
      system: z.boolean().nullish(),
      url: webUrl,
      position: z.object({ new_path: text.nullish(), new_line: count.nullish() }).nullish(),
    }),
    merge_request: z.object({ iid: count }).nullish(),
  })
  .transform(({ user, project: { urls }, object_attributes: note, merge_request: merge }) => {
    const isNew = (note.action ?? 'create') === 'create' && !note.system;
    if (!isNew || note.noteable_type !== 'MergeRequest' || !merge) return null;
    const comment: CommentContent = {
      id: note.id,
      threadId: note.discussion_id ?? null,
      author: user?.username ?? null,
      authorId: user?.id ?? null,
      isBot: false,
      body: note.note,
      url: note.url,
      path: note.position?.new_path ?? null,
      line: note.position?.new_line ?? null,
      reviewState: null,
    };
    return commentOf({ urls, number: merge.iid, comment });
  });

const cloudAuthor = z
  .object({ uuid: text.nullish(), nickname: userName, display_name: userName })
  .nullish()
  .transform((user) => ({
    author: user?.nickname ?? user?.display_name ?? null,
    authorId: user?.uuid ?? null,
  }));

const cloudBase = z.object({
  actor: cloudAuthor,
  repository: cloudRepository,
  pullrequest: z.object({ id: count, links: z.object({ html: z.object({ href: webUrl }) }).nullish() }),
});

export const bitbucketComment = cloudBase
  .extend({
    comment: z.object({
      id,
      content: z.object({ raw: body }),
      inline: z.object({ path: text, to: count.nullish(), from: count.nullish() }).nullish(),
      links: z.object({ html: z.object({ href: webUrl }) }).nullish(),
    }),
  })
  .transform(({ actor, repository: { urls }, pullrequest, comment }) =>
    commentOf({
      urls,
      number: pullrequest.id,
      comment: {
        id: comment.id,
        threadId: comment.id,
        ...actor,
        isBot: false,
        body: comment.content.raw,
        url: comment.links?.html.href ?? null,
        path: comment.inline?.path ?? null,
        line: comment.inline?.to ?? comment.inline?.from ?? null,
        reviewState: null,
      },
    }),
  );

export const bitbucketReview = (reviewState: ReviewState) =>
  cloudBase.transform(({ actor, repository: { urls }, pullrequest }) => {
    const url = pullrequest.links?.html.href ?? null;
    const nothing = { id: '', threadId: null, body: '', path: null, line: null };
    const comment = { ...nothing, ...actor, isBot: false, url, reviewState };
    return commentOf({ urls, number: pullrequest.id, comment });
  });

const dataCenterBase = z.object({
  actor: z
    .object({ id: id.nullish(), name: userName })
    .nullish()
    .transform((user) => ({ author: user?.name ?? null, authorId: user?.id ?? null })),
  pullRequest: z.object({
    id: count,
    toRef: z.object({ repository: dataCenterRepository }),
    links: z.object({ self: z.array(z.object({ href: webUrl })).nullish() }).nullish(),
  }),
});

export const dataCenterComment = dataCenterBase
  .extend({
    comment: z.object({
      id,
      text: body,
      anchor: z.object({ path: text.nullish(), line: count.nullish() }).nullish(),
    }),
  })
  .transform(({ actor, pullRequest, comment }) =>
    commentOf({
      urls: pullRequest.toRef.repository.urls,
      number: pullRequest.id,
      comment: {
        id: comment.id,
        threadId: comment.id,
        ...actor,
        isBot: false,
        body: comment.text,
        url: pullRequest.links?.self?.[0]?.href ?? null,
        path: comment.anchor?.path ?? null,
        line: comment.anchor?.line ?? null,
        reviewState: null,
      },
    }),
  );

export const dataCenterReview = (reviewState: ReviewState) =>
  dataCenterBase.transform(({ actor, pullRequest }) => {
    const url = pullRequest.links?.self?.[0]?.href ?? null;
    const nothing = { id: '', threadId: null, body: '', path: null, line: null };
    const comment = { ...nothing, ...actor, isBot: false, url, reviewState };
    return commentOf({ urls: pullRequest.toRef.repository.urls, number: pullRequest.id, comment });
  });
