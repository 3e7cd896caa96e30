/** Comments, reads and permissions of pull requests on Bitbucket Data Center. */
import { z } from 'zod';
import { ForgeError } from '../../ports/forge.ts';
import type {
  ChangedPaths,
  CommentReference,
  ForgeAccount,
  ForgeComment,
  ForgeReview,
  MarkedComment,
  PrFacts,
} from '../../ports/forge-review.ts';
import type { Api, Call } from './api.ts';
import { undefinedIfNotFound } from './failures.ts';
import { linkMarker, putMarkedComment, type CommentCalls, type ListedComment } from './marked-comments.ts';
import { readPages, type Page } from './paging.ts';
import { maxBitbucketCharacters, pageUrl, prNumber } from './pull-requests.ts';
import { encodedPath } from './repository.ts';

const User = z.object({ id: z.int(), name: z.string() });
const End = z.object({
  id: z.string(),
  latestCommit: z.string(),
  repository: z.object({
    id: z.int(),
    slug: z.string(),
    project: z.object({ key: z.string() }),
  }),
});
const PullRequest = z.object({
  id: prNumber,
  title: z.string(),
  state: z.enum(['OPEN', 'MERGED', 'DECLINED']),
  draft: z.boolean().optional(),
  fromRef: End,
  toRef: End,
  author: z.object({ user: User }).nullish(),
  links: z.object({ self: z.array(z.object({ href: pageUrl })).min(1) }),
});
/** Replies are nested. */
const Comment = z.object({
  id: z.int(),
  version: z.int(),
  text: z.string(),
  author: User.nullish(),
  get comments(): z.ZodOptional<z.ZodArray<typeof Comment>> {
    return z.array(Comment).optional();
  },
});
type Comment = z.infer<typeof Comment>;

const format = { maxCharacters: maxBitbucketCharacters, markerLine: linkMarker };
const maxFiles = 2000;
const pageSize = '100';

interface ReviewAccess {
  api: Api;
  /** The address of the installation. */
  root: string;
  project: string;
  name: string;
}

export function dataCenterReview(access: ReviewAccess): Omit<ForgeReview, 'putStatus'> {
  const { api, project, name } = access;
  const path = `/projects${encodedPath(project)}/repos${encodedPath(name)}/pull-requests`;
  let known: ForgeAccount | undefined;
  const ownAccount = async (signal: AbortSignal) => (known ??= await readAccount(api, signal));
  const put = async (target: Target, comment: MarkedComment, signal: AbortSignal) =>
    putComment(api, { ...target, own: await ownAccount(signal) }, comment, signal);
  return {
    ownAccount,
    canWrite: (account, signal) => canWrite(access, account, signal),
    readPr: (number, signal) => readPr(access, `${path}/${number}`, signal),
    listChangedPaths: (number, signal) => listChangedPaths(api, `${path}/${number}/changes`, signal),
    putComment: (number, comment, signal) =>
      put({ path: `${path}/${number}`, parent: null }, comment, signal),
    replyTo: async (number, to, reply, signal) => {
      const at = `${path}/${number}`;
      return put({ path: at, parent: await findParent(api, at, to, signal) }, reply, signal);
    },
  };
}

/** The API has no operation for the account of the credential; every response names it in a header. */
async function readAccount(api: Api, signal: AbortSignal): Promise<ForgeAccount> {
  const path = '/application-properties';
  const { headers } = await api.getWithHeaders({ path, answer: z.unknown(), signal });
  const encoded = headers.get('x-ausername');
  if (encoded === undefined) {
    throw new ForgeError('auth', 'Bitbucket does not name the account of the token.', {
      hint: 'Check that proxies keep the header X-AUSERNAME.',
    });
  }
  const login = decodeURIComponent(encoded);
  const { id } = await api.get({ path: `/users${encodedPath(login)}`, answer: User, signal });
  return { id: String(id), login };
}

/** Counts permissions through groups. */
async function canWrite(
  { api, project, name }: ReviewAccess,
  account: ForgeAccount,
  signal: AbortSignal,
): Promise<boolean> {
  const query = {
    filter: account.login,
    'permission.1': 'REPO_WRITE',
    'permission.1.projectKey': project,
    'permission.1.repositorySlug': name,
    limit: pageSize,
  };
  const call = { path: '/users', query, answer: listOf(User), signal };
  // The filter also finds parts of names.
  for await (const user of readPages((start) => readStartPage(api, call, start), 0)) {
    if (String(user.id) === account.id) return true;
  }
  return false;
}

async function readPr({ api, root }: ReviewAccess, path: string, signal: AbortSignal): Promise<PrFacts> {
  const one = await api.get({ path, answer: PullRequest, signal });
  const { fromRef, toRef } = one;
  const { project, slug } = fromRef.repository;
  const states = { OPEN: 'open', MERGED: 'merged', DECLINED: 'closed' } as const;
  return {
    number: one.id,
    url: one.links.self[0]?.href ?? '',
    title: one.title,
    state: states[one.state],
    draft: one.draft ?? false,
    head: branchName(fromRef.id),
    base: branchName(toRef.id),
    headCommit: fromRef.latestCommit,
    baseCommit: toRef.latestCommit,
    headRepository: `${root}/scm${encodedPath(project.key, slug)}.git`,
    isFork: fromRef.repository.id !== toRef.repository.id,
    author: one.author == null ? null : toAccount(one.author.user),
    isMergeable: one.state === 'OPEN' ? await readMergeable(api, path, signal) : null,
  };
}

async function readMergeable(api: Api, path: string, signal: AbortSignal): Promise<boolean | null> {
  const answer = z.object({ conflicted: z.boolean(), outcome: z.string().optional() });
  const { conflicted, outcome } = await api.get({ path: `${path}/merge`, answer, signal });
  return outcome === 'UNKNOWN' ? null : !conflicted;
}

async function listChangedPaths(api: Api, path: string, signal: AbortSignal): Promise<ChangedPaths> {
  const Path = z.object({ toString: z.string() }).nullish();
  const Change = z.object({ path: Path, srcPath: Path });
  const call = { path, query: { limit: '500' }, answer: listOf(Change), signal };
  const paths = new Set<string>();
  let files = 0;
  for await (const change of readPages((start) => readStartPage(api, call, start), 0)) {
    if (files === maxFiles) return { paths: [...paths], isComplete: false };
    files += 1;
    for (const at of [change.srcPath, change.path]) if (at) paths.add(at.toString);
  }
  return { paths: [...paths], isComplete: true };
}

interface Target {
  /** Of the pull request. */
  path: string;
  parent: number | null;
}

/** Null if the comment was deleted, and for the text of a review. */
async function findParent(
  api: Api,
  path: string,
  { kind, id }: CommentReference,
  signal: AbortSignal,
): Promise<number | null> {
  if (kind === 'review') return null;
  const at = `${path}/comments${encodedPath(id)}`;
  return (await api.get({ path: at, answer: Comment, signal }).catch(undefinedIfNotFound))?.id ?? null;
}

interface VersionedComment extends ListedComment {
  /** Required by an update (optimistic locking). */
  version: number;
}

function putComment(
  api: Api,
  { path, parent, own }: Target & { own: ForgeAccount },
  comment: MarkedComment,
  signal: AbortSignal,
): Promise<ForgeComment> {
  const comments = `${path}/comments`;
  const isOwn = ({ author }: Comment) => String(author?.id) === own.id;
  const calls: CommentCalls<VersionedComment> = {
    list: async function* () {
      const found = parent === null ? listTop(api, path, signal) : listReplies(api, comments, parent, signal);
      for await (const one of found) if (isOwn(one)) yield toComment(one);
    },
    create: async (text) => {
      const body = { text, ...(parent === null ? {} : { parent: { id: parent } }) };
      return toComment(await api.post({ path: comments, body, answer: Comment, signal }));
    },
    update: async ({ id, version }, text) =>
      toComment(
        await api.put({ path: `${comments}/${id}`, body: { text, version }, answer: Comment, signal }),
      ),
  };
  return putMarkedComment(calls, comment, format, { connection: api.connection, signal });
}

/** Comments are listed only as a part of the activities, newest first. */
async function* listTop(
  api: Api,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Comment, void, undefined> {
  const Activity = z.object({
    action: z.string(),
    commentAction: z.string().nullish(),
    comment: Comment.optional().catch(undefined),
  });
  const call = { path: `${path}/activities`, query: { limit: pageSize }, answer: listOf(Activity), signal };
  const found: Comment[] = [];
  for await (const one of readPages((start) => readStartPage(api, call, start), 0)) {
    const isComment = one.action === 'COMMENTED' && (one.commentAction ?? 'ADDED') === 'ADDED';
    if (isComment && one.comment !== undefined) found.push(one.comment);
  }
  yield* found.toReversed();
}

async function* listReplies(
  api: Api,
  comments: string,
  parent: number,
  signal: AbortSignal,
): AsyncGenerator<Comment, void, undefined> {
  yield* (await api.get({ path: `${comments}/${parent}`, answer: Comment, signal })).comments ?? [];
}

function toComment({ id, version, text }: Comment): VersionedComment {
  return { id: String(id), url: null, body: text, version };
}

function listOf<Item>(item: z.ZodType<Item>) {
  return z.object({ values: z.array(item), nextPageStart: z.int().nullish() });
}

async function readStartPage<Item>(
  api: Api,
  call: Call<{ values: Item[]; nextPageStart?: number | null | undefined }>,
  start: number,
): Promise<Page<Item>> {
  const { values, nextPageStart } = await api.get({
    ...call,
    query: { ...call.query, start: String(start) },
  });
  return { items: values, next: nextPageStart ?? null };
}

function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

function toAccount({ id, name }: z.infer<typeof User>): ForgeAccount {
  return { id: String(id), login: name };
}
