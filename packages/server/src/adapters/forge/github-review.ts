/** Comments, reads and permissions of pull requests on GitHub. */
import { z } from 'zod';
import type {
  ChangedPaths,
  CommentReference,
  ForgeAccount,
  ForgeReview,
  MarkedComment,
  PrFacts,
} from '../../ports/forge-review.ts';
import type { Api } from './api.ts';
import { undefinedIfNotFound } from './failures.ts';
import { isSamePath } from './fork.ts';
import { htmlMarker, putMarkedComment, type CommentCalls, type ListedComment } from './marked-comments.ts';
import { readLinkedPage, readPages } from './paging.ts';
import { pageUrl, prNumber } from './pull-requests.ts';
import { encodedPath } from './repository.ts';

const User = z.object({ id: z.int(), login: z.string() });
type User = z.infer<typeof User>;
const PullRequest = z.object({
  number: prNumber,
  html_url: pageUrl,
  title: z.string(),
  state: z.enum(['open', 'closed']),
  draft: z.boolean().optional(),
  merged_at: z.string().nullish(),
  mergeable: z.boolean().nullish(),
  user: User.nullish(),
  head: z.object({
    ref: z.string(),
    sha: z.string(),
    /** Null if it was deleted. */
    repo: z.object({ full_name: z.string(), clone_url: z.string() }).nullish(),
  }),
  base: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }) }),
});
const Comment = z.object({
  id: z.int(),
  body: z.string().nullish(),
  html_url: pageUrl,
  user: User.nullish(),
  /** Of comments on lines: the first one of the thread. */
  in_reply_to_id: z.int().nullish(),
});
type Comment = z.infer<typeof Comment>;

/** GitHub lists at most 3000 files. */
const maxFiles = 3000;
const format = { maxCharacters: 65_536, markerLine: htmlMarker };

interface GithubReviewAccess {
  api: Api;
  /** Of the repository. */
  path: string;
  ownAccount(signal: AbortSignal): Promise<ForgeAccount>;
}

export function githubReview(access: GithubReviewAccess): Omit<ForgeReview, 'putStatus'> {
  const { api, path, ownAccount } = access;
  return {
    ownAccount,
    canWrite: (account, signal) => canWrite(api, path, account, signal),
    readPr: async (number, signal) =>
      toFacts(await api.get({ path: `${path}/pulls/${number}`, answer: PullRequest, signal })),
    listChangedPaths: (number, signal) => listChangedPaths(api, `${path}/pulls/${number}/files`, signal),
    putComment: (number, comment, signal) => put(access, conversationOf(path, number), comment, signal),
    replyTo: async (number, to, reply, signal) =>
      put(
        access,
        (await threadOf(access, number, to, signal)) ?? conversationOf(path, number),
        reply,
        signal,
      ),
  };
}

/** Where comments are listed, created and changed. */
interface Place {
  list: string;
  create: string;
  /** Followed by the id of the comment. */
  update: string;
  isInside(comment: Comment): boolean;
}

function conversationOf(path: string, number: number): Place {
  const list = `${path}/issues/${number}/comments`;
  return { list, create: list, update: `${path}/issues/comments`, isInside: () => true };
}

/** Undefined if the comment has no thread, or was deleted. */
async function threadOf(
  { api, path }: GithubReviewAccess,
  number: number,
  { kind, id }: CommentReference,
  signal: AbortSignal,
): Promise<Place | undefined> {
  if (kind !== 'line') return undefined;
  const update = `${path}/pulls/comments`;
  const comment = await api
    .get({ path: update + encodedPath(id), answer: Comment, signal })
    .catch(undefinedIfNotFound);
  if (comment === undefined) return undefined;
  // GitHub accepts replies only to the first comment of a thread.
  const first = comment.in_reply_to_id ?? comment.id;
  const list = `${path}/pulls/${number}/comments`;
  const isInside = (one: Comment) => one.in_reply_to_id === first;
  return { list, create: `${list}/${first}/replies`, update, isInside };
}

async function put(
  { api, ownAccount }: GithubReviewAccess,
  place: Place,
  comment: MarkedComment,
  signal: AbortSignal,
) {
  const own = await ownAccount(signal);
  const calls: CommentCalls<ListedComment> = {
    list: async function* () {
      const call = { path: place.list, query: { per_page: '100' }, answer: z.array(Comment), signal };
      for await (const one of readPages((page) => readLinkedPage(api, call, page))) {
        if (String(one.user?.id) === own.id && place.isInside(one)) yield toComment(one);
      }
    },
    create: async (body) =>
      toComment(await api.post({ path: place.create, body: { body }, answer: Comment, signal })),
    update: async ({ id }, body) =>
      toComment(await api.patch({ path: `${place.update}/${id}`, body: { body }, answer: Comment, signal })),
  };
  return putMarkedComment(calls, comment, format, { connection: api.connection, signal });
}

function toComment({ id, html_url: url, body }: Comment): ListedComment {
  return { id: String(id), url, body: body ?? '' };
}

async function canWrite(
  api: Api,
  path: string,
  account: ForgeAccount,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = z.object({ permission: z.string(), user: User.nullish() });
  const found = await api
    .get({ path: `${path}/collaborators${encodedPath(account.login)}/permission`, answer, signal })
    .catch(undefinedIfNotFound);
  // Another account may have taken the name.
  if (found === undefined || String(found.user?.id) !== account.id) return false;
  return found.permission === 'admin' || found.permission === 'write';
}

async function listChangedPaths(api: Api, path: string, signal: AbortSignal): Promise<ChangedPaths> {
  const File = z.object({ filename: z.string(), previous_filename: z.string().nullish() });
  const call = { path, query: { per_page: '100' }, answer: z.array(File), signal };
  const paths = new Set<string>();
  let files = 0;
  for await (const { filename, previous_filename: previous } of readPages((page) =>
    readLinkedPage(api, call, page),
  )) {
    files += 1;
    paths.add(filename);
    if (previous != null) paths.add(previous);
  }
  return { paths: [...paths], isComplete: files < maxFiles };
}

function toFacts({ head, base, ...pr }: z.infer<typeof PullRequest>): PrFacts {
  return {
    number: pr.number,
    url: pr.html_url,
    title: pr.title,
    state: pr.merged_at == null ? pr.state : 'merged',
    draft: pr.draft ?? false,
    head: head.ref,
    base: base.ref,
    headCommit: head.sha,
    baseCommit: base.sha,
    headRepository: head.repo?.clone_url ?? null,
    isFork: !isSamePath(head.repo?.full_name, base.repo.full_name),
    author: pr.user == null ? null : toAccount(pr.user),
    isMergeable: pr.mergeable ?? null,
  };
}

function toAccount({ id, login }: User): ForgeAccount {
  return { id: String(id), login };
}
