/** Changes of pull requests, which GitLab calls merge requests. */
import * as z from 'zod';
import type { EventContent, PullRequestContent, PullRequestDetails, ReadContent } from './event-content.ts';
import {
  body,
  cloudRepository,
  cloudUser,
  count,
  dataCenterRepository,
  gitlabProject,
  headCommit,
  repository,
  text,
  title,
  userName,
  webUrl,
} from './fields.ts';

type Action = PullRequestDetails['action'];

interface Changed {
  action: Action | undefined;
  actor: string | null | undefined;
  urls: string[];
  pullRequest: PullRequestContent;
}

function changeOf({ action, actor, urls, pullRequest }: Changed): ReadContent {
  if (action === undefined) return null;
  const content: EventContent = {
    kind: 'pull_request',
    ref: `refs/heads/${pullRequest.headBranch}`,
    before: null,
    after: pullRequest.headCommit,
    repository: urls[0] ?? null,
    actor: actor ?? null,
    details: { repositoryUrls: urls, action, pullRequest },
    ignoredBecause: null,
  };
  return [content];
}

const loginUser = z.object({ login: userName }).nullish();

const githubActions = new Map<string, Action>([
  ['opened', 'opened'],
  ['synchronize', 'updated'],
  ['synchronized', 'updated'],
  ['edited', 'edited'],
  ['ready_for_review', 'edited'],
  ['converted_to_draft', 'edited'],
  ['review_requested', 'review_requested'],
  ['reopened', 'reopened'],
]);

const githubSide = z.object({ ref: text, sha: headCommit, repo: repository.nullable() });
const githubPullRequestFields = z
  .object({
    number: count,
    html_url: webUrl,
    title,
    body,
    state: z.enum(['open', 'closed']),
    merged: z.boolean().nullish(),
    draft: z.boolean().nullish(),
    user: loginUser,
    head: githubSide,
    base: z.object({ ref: text, repo: repository }),
    merge_commit_sha: headCommit.nullish(),
    requested_reviewers: z.array(z.object({ login: userName })).nullish(),
  })
  .transform((pull): { content: PullRequestContent; urls: string[] } => {
    const urls = pull.base.repo.urls;
    const headRepositoryUrls = pull.head.repo?.urls ?? [];
    return {
      urls,
      content: {
        number: pull.number,
        url: pull.html_url,
        title: pull.title,
        body: pull.body,
        state: pull.merged ? 'merged' : pull.state,
        draft: pull.draft ?? false,
        author: pull.user?.login ?? null,
        headBranch: pull.head.ref,
        headCommit: pull.head.sha,
        isFork: headRepositoryUrls[0] !== urls[0],
        headRepositoryUrls,
        baseBranch: pull.base.ref,
        mergeCommit: pull.merged ? (pull.merge_commit_sha ?? null) : null,
        reviewers: (pull.requested_reviewers ?? []).flatMap(({ login }) => login ?? []),
      },
    };
  });

/** Gitea sends the same fields. */
export const githubPullRequest = z
  .object({ action: text, pull_request: githubPullRequestFields, sender: loginUser })
  .transform(({ action, pull_request: { content, urls }, sender }) =>
    changeOf({
      action:
        action === 'closed' ? (content.state === 'merged' ? 'merged' : 'closed') : githubActions.get(action),
      actor: sender?.login,
      urls,
      pullRequest: content,
    }),
  );

const gitlabActions = new Map<string, Action>([
  ['open', 'opened'],
  ['update', 'edited'],
  ['reopen', 'reopened'],
  ['close', 'closed'],
  ['merge', 'merged'],
]);
const gitlabStates = { opened: 'open', locked: 'open', closed: 'closed', merged: 'merged' } as const;

export const gitlabPullRequest = z
  .object({
    user: z.object({ username: userName }).nullish(),
    project: gitlabProject,
    object_attributes: z.object({
      iid: count,
      url: webUrl,
      title,
      description: body,
      state: z.enum(['opened', 'locked', 'closed', 'merged']),
      action: text.nullish(),
      /** The commit before new ones were pushed. */
      oldrev: text.nullish(),
      draft: z.boolean().nullish(),
      work_in_progress: z.boolean().nullish(),
      source_branch: text,
      target_branch: text,
      source_project_id: z.number().nullish(),
      target_project_id: z.number().nullish(),
      source: gitlabProject.nullish(),
      last_commit: z.object({ id: headCommit }),
      merge_commit_sha: headCommit.nullish(),
    }),
    reviewers: z.array(z.object({ username: userName })).nullish(),
  })
  .transform(({ user, project: { urls }, object_attributes: merge, reviewers }) => {
    const action = gitlabActions.get(merge.action ?? '');
    return changeOf({
      action: action === 'edited' && merge.oldrev ? 'updated' : action,
      actor: user?.username,
      urls,
      pullRequest: {
        number: merge.iid,
        url: merge.url,
        title: merge.title,
        body: merge.description,
        state: gitlabStates[merge.state],
        draft: merge.draft ?? merge.work_in_progress ?? false,
        // The payload names the author only by number.
        author: merge.action === 'open' ? (user?.username ?? null) : null,
        headBranch: merge.source_branch,
        headCommit: merge.last_commit.id,
        isFork: merge.source_project_id !== merge.target_project_id,
        headRepositoryUrls: merge.source?.urls ?? [],
        baseBranch: merge.target_branch,
        mergeCommit: merge.merge_commit_sha ?? null,
        reviewers: (reviewers ?? []).flatMap(({ username }) => username ?? []),
      },
    });
  });

const cloudStates = { OPEN: 'open', MERGED: 'merged', DECLINED: 'closed', SUPERSEDED: 'closed' } as const;
const cloudSide = z.object({
  branch: z.object({ name: text }),
  commit: z.object({ hash: headCommit }),
  repository: cloudRepository.nullish(),
});

/** An update of the title and one of the commits are the same event. */
export const bitbucketPullRequest = (action: Action) =>
  z
    .object({
      actor: cloudUser,
      repository: cloudRepository,
      pullrequest: z.object({
        id: count,
        title,
        description: body,
        state: z.enum(['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED']),
        draft: z.boolean().nullish(),
        author: cloudUser,
        source: cloudSide,
        destination: z.object({ branch: z.object({ name: text }) }),
        merge_commit: z.object({ hash: headCommit }).nullish(),
        links: z.object({ html: z.object({ href: webUrl }) }).nullish(),
        reviewers: z.array(cloudUser).nullish(),
      }),
    })
    .transform(({ actor, repository: { urls }, pullrequest: pull }) => {
      const headRepositoryUrls = pull.source.repository?.urls ?? [];
      return changeOf({
        action,
        actor,
        urls,
        pullRequest: {
          number: pull.id,
          url: pull.links?.html.href ?? null,
          title: pull.title,
          body: pull.description,
          state: cloudStates[pull.state],
          draft: pull.draft ?? false,
          author: pull.author,
          headBranch: pull.source.branch.name,
          headCommit: pull.source.commit.hash,
          isFork: headRepositoryUrls[0] !== urls[0],
          headRepositoryUrls,
          baseBranch: pull.destination.branch.name,
          mergeCommit: pull.merge_commit?.hash ?? null,
          reviewers: (pull.reviewers ?? []).filter((name) => name !== null),
        },
      });
    });

const dataCenterStates = { OPEN: 'open', MERGED: 'merged', DECLINED: 'closed' } as const;
const dataCenterUser = z.object({ user: z.object({ name: userName }) });

export const dataCenterPullRequest = (action: Action) =>
  z
    .object({
      actor: z.object({ name: userName }).nullish(),
      pullRequest: z.object({
        id: count,
        title,
        description: body,
        state: z.enum(['OPEN', 'MERGED', 'DECLINED']),
        draft: z.boolean().nullish(),
        author: dataCenterUser.nullish(),
        fromRef: z.object({ displayId: text, latestCommit: headCommit, repository: dataCenterRepository }),
        toRef: z.object({ displayId: text, repository: dataCenterRepository }),
        properties: z.object({ mergeCommit: z.object({ id: headCommit }).nullish() }).nullish(),
        links: z.object({ self: z.array(z.object({ href: webUrl })).nullish() }).nullish(),
        reviewers: z.array(dataCenterUser).nullish(),
      }),
    })
    .transform(({ actor, pullRequest: pull }) => {
      const { urls } = pull.toRef.repository;
      const headRepositoryUrls = pull.fromRef.repository.urls;
      return changeOf({
        action,
        actor: actor?.name,
        urls,
        pullRequest: {
          number: pull.id,
          url: pull.links?.self?.[0]?.href ?? null,
          title: pull.title,
          body: pull.description,
          state: dataCenterStates[pull.state],
          draft: pull.draft ?? false,
          author: pull.author?.user.name ?? null,
          headBranch: pull.fromRef.displayId,
          headCommit: pull.fromRef.latestCommit,
          isFork: headRepositoryUrls[0] !== urls[0],
          headRepositoryUrls,
          baseBranch: pull.toRef.displayId,
          mergeCommit: pull.properties?.mergeCommit?.id ?? null,
          reviewers: (pull.reviewers ?? []).flatMap(({ user }) => user.name ?? []),
        },
      });
    });
