/** Comments, reads, permissions and commit statuses of pull requests on Gitea and Forgejo. */
import { z } from 'zod';
import type {
  ChangedPaths,
  CommitStatus,
  ForgeAccount,
  ForgeComment,
  ForgeReview,
  MarkedComment,
  PrFacts,
} from '../../ports/forge-review.ts';
import type { Api } from './api.ts';
import { htmlMarker, putMarkedComment, type CommentCalls, type ListedComment } from './marked-comments.ts';
import { readLinkedPage, readPages } from './paging.ts';
import { hasDraftPrefix, pageUrl, prNumber } from './pull-requests.ts';
import { encodedPath } from './repository.ts';
import { noteOf, oneLine } from './status-parts.ts';

const User = z.object({ id: z.int(), login: z.string() });
const Branch = z.object({ ref: z.string(), sha: z.string(), repo_id: z.int().nullish() });
const PullRequest = z.object({
  number: prNumber,
  html_url: pageUrl,
  title: z.string(),
  state: z.enum(['open', 'closed']),
  merged: z.boolean(),
  draft: z.boolean().optional(),
  mergeable: z.boolean().nullish(),
  user: User.nullish(),
  /** The repository is null if it was deleted. */
  head: Branch.extend({ repo: z.object({ clone_url: z.string() }).nullish() }),
  base: Branch,
});
const Comment = z.object({ id: z.int(), html_url: pageUrl, body: z.string(), user: User.nullish() });

/** Gitea has no limit; this one keeps comments readable. */
const format = { maxCharacters: 65_536, markerLine: htmlMarker };
const maxDescriptionCharacters = 255;
const maxFiles = 2000;

interface GiteaReviewAccess {
  api: Api;
  /** Of the repository in the API. */
  repository: string;
}

export function giteaReview(access: GiteaReviewAccess): ForgeReview {
  const { api, repository } = access;
  let known: ForgeAccount | undefined;
  const ownAccount = async (signal: AbortSignal) =>
    (known ??= toAccount(await api.get({ path: '/user', answer: User, signal })));
  const putComment: ForgeReview['putComment'] = async (number, comment, signal) =>
    put(access, { number, own: await ownAccount(signal) }, comment, signal);
  return {
    ownAccount,
    canWrite: async ({ id }, signal) => {
      // Users with write access. Only administrators can read the permission of another user.
      const path = `${repository}/assignees`;
      const users = await api.get({ path, answer: z.array(User), signal });
      return users.some((user) => String(user.id) === id);
    },
    readPr: async (number, signal) =>
      toFacts(await api.get({ path: `${repository}/pulls/${number}`, answer: PullRequest, signal })),
    listChangedPaths: (number, signal) =>
      listChangedPaths(api, `${repository}/pulls/${number}/files`, signal),
    putComment,
    // The API cannot answer in the thread of a comment.
    replyTo: (number, _, reply, signal) => putComment(number, reply, signal),
    putStatus: async (commit, status, signal) => {
      const note = await noteOf('the commit status', () => putStatus(access, commit, status, signal));
      return { annotations: 0, notes: note === undefined ? [] : [note] };
    },
  };
}

async function put(
  { api, repository }: GiteaReviewAccess,
  { number, own }: { number: number; own: ForgeAccount },
  comment: MarkedComment,
  signal: AbortSignal,
): Promise<ForgeComment> {
  const path = `${repository}/issues/${number}/comments`;
  const calls: CommentCalls<ListedComment> = {
    list: async function* () {
      // The list has no pages.
      for (const one of await api.get({ path, answer: z.array(Comment), signal })) {
        if (String(one.user?.id) === own.id) yield toComment(one);
      }
    },
    create: async (body) => toComment(await api.post({ path, body: { body }, answer: Comment, signal })),
    update: async ({ id }, body) => {
      const at = `${repository}/issues/comments/${id}`;
      return toComment(await api.patch({ path: at, body: { body }, answer: Comment, signal }));
    },
  };
  return putMarkedComment(calls, comment, format, { connection: api.connection, signal });
}

function toComment({ id, html_url: url, body }: z.infer<typeof Comment>): ListedComment {
  return { id: String(id), url, body };
}

async function listChangedPaths(api: Api, path: string, signal: AbortSignal): Promise<ChangedPaths> {
  const answer = z.array(z.object({ filename: z.string(), previous_filename: z.string().nullish() }));
  const call = { path, query: { limit: '50' }, answer, signal };
  const paths = new Set<string>();
  let files = 0;
  for await (const { filename, previous_filename: previous } of readPages((page) =>
    readLinkedPage(api, call, page),
  )) {
    if (files === maxFiles) return { paths: [...paths], isComplete: false };
    files += 1;
    paths.add(filename);
    if (previous) paths.add(previous);
  }
  return { paths: [...paths], isComplete: true };
}

const Status = z.object({
  context: z.string(),
  status: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});

/** Gitea keeps all statuses of a commit and shows the newest of each context. */
async function putStatus(
  { api, repository }: GiteaReviewAccess,
  commit: string,
  { key, state: given, description: text, targetUrl }: CommitStatus,
  signal: AbortSignal,
): Promise<void> {
  const state = given === 'neutral' ? 'success' : given;
  const description = oneLine(text, maxDescriptionCharacters);
  const call = {
    path: `${repository}/commits${encodedPath(commit)}/statuses`,
    query: { sort: 'recentupdate', limit: '50' },
    answer: z.array(Status),
    signal,
  };
  for await (const known of readPages((page) => readLinkedPage(api, call, page))) {
    if (known.context !== key) continue;
    const isSame = known.status === state && (known.description ?? '') === description;
    if (isSame && (known.target_url || null) === targetUrl) return;
    break;
  }
  await api.post({
    path: `${repository}/statuses${encodedPath(commit)}`,
    body: { context: key, state, description, target_url: targetUrl ?? '' },
    answer: z.unknown(),
    isRepeatable: true,
    signal,
  });
}

function toFacts({ head, base, ...pr }: z.infer<typeof PullRequest>): PrFacts {
  return {
    number: pr.number,
    url: pr.html_url,
    title: pr.title,
    state: pr.merged ? 'merged' : pr.state,
    draft: pr.draft ?? hasDraftPrefix(pr.title),
    head: head.ref,
    base: base.ref,
    headCommit: head.sha,
    baseCommit: base.sha || null,
    headRepository: head.repo?.clone_url ?? null,
    isFork: head.repo == null || head.repo_id !== base.repo_id,
    author: pr.user == null ? null : toAccount(pr.user),
    isMergeable: pr.mergeable ?? null,
  };
}

function toAccount({ id, login }: z.infer<typeof User>): ForgeAccount {
  return { id: String(id), login };
}
