/** Comments, reads and permissions of pull requests on Bitbucket Cloud. */
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
import { isSamePath } from './fork.ts';
import { linkMarker, putMarkedComment, type CommentCalls, type ListedComment } from './marked-comments.ts';
import { readPages, type Page } from './paging.ts';
import { maxBitbucketCharacters, pageUrl, prNumber } from './pull-requests.ts';
import { encodedPath } from './repository.ts';

const User = z.object({
  type: z.string().optional(),
  uuid: z.string(),
  nickname: z.string().optional(),
  display_name: z.string().optional(),
});
const Commit = z.object({ hash: z.string() });
const End = z.object({
  branch: z.object({ name: z.string() }),
  /** Null if it was deleted. */
  commit: Commit.nullish(),
  repository: z.object({ full_name: z.string() }).nullish(),
});
const PullRequest = z.object({
  id: prNumber,
  title: z.string(),
  state: z.enum(['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED']),
  draft: z.boolean().optional(),
  links: z.object({ html: z.object({ href: pageUrl }) }),
  source: End,
  destination: End,
  author: User.nullish(),
});
const Comment = z.object({
  id: z.int(),
  content: z.object({ raw: z.string() }),
  links: z.object({ html: z.object({ href: pageUrl }) }),
  user: User.nullish(),
  deleted: z.boolean().optional(),
  parent: z.object({ id: z.int() }).nullish(),
});
type Comment = z.infer<typeof Comment>;

const format = { maxCharacters: maxBitbucketCharacters, markerLine: linkMarker };
const maxFiles = 2000;

interface BitbucketReviewAccess {
  api: Api;
  /** Of the repository in the API. */
  repository: string;
  /** Such as `https://bitbucket.org`. */
  origin: string;
  owner: string;
  name: string;
  /** A token of the repository, the project or the workspace belongs to no user and cannot read its account. */
  isUserToken: boolean;
}

export function bitbucketReview(access: BitbucketReviewAccess): Omit<ForgeReview, 'putStatus'> {
  const { api, repository, owner, name, isUserToken } = access;
  let known: ForgeAccount | undefined;
  const ownAccount = async (signal: AbortSignal) => {
    if (!isUserToken) return null;
    return (known ??= toAccount(await api.get({ path: '/user', answer: User, signal })));
  };
  const put = async (target: Target, comment: MarkedComment, signal: AbortSignal) =>
    putComment(api, { ...target, own: await ownAccount(signal) }, comment, signal);
  return {
    ownAccount,
    canWrite: (account, signal) => canWrite(api, { owner, name }, account, signal),
    readPr: (number, signal) => readPr(access, number, signal),
    listChangedPaths: (number, signal) =>
      listChangedPaths(api, `${repository}/pullrequests/${number}/diffstat`, signal),
    putComment: (number, comment, signal) =>
      put({ path: `${repository}/pullrequests/${number}/comments`, parent: null }, comment, signal),
    replyTo: async (number, to, reply, signal) => {
      const path = `${repository}/pullrequests/${number}/comments`;
      return put({ path, parent: await findParent(api, path, to, signal) }, reply, signal);
    },
  };
}

interface Target {
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
  const at = path + encodedPath(id);
  const found = await api.get({ path: at, answer: Comment, signal }).catch(undefinedIfNotFound);
  return found === undefined || found.deleted === true ? null : found.id;
}

async function putComment(
  api: Api,
  { path, parent, own }: Target & { own: ForgeAccount | null },
  comment: MarkedComment,
  signal: AbortSignal,
): Promise<ForgeComment> {
  const refused = new Set<string>();
  const isOwn = ({ user }: Comment) =>
    // Only tokens without a user are app users.
    own === null ? user?.type === 'app_user' : user?.uuid === own.id;
  const calls: CommentCalls<ListedComment> = {
    list: async function* () {
      const call = { path, query: { pagelen: '100', sort: 'created_on' }, answer: listOf(Comment), signal };
      for await (const one of readPages((page) => readNumberedPage(api, call, page))) {
        const isCandidate = one.deleted !== true && isOwn(one) && !refused.has(String(one.id));
        if (isCandidate && (one.parent?.id ?? null) === parent) yield toComment(one);
      }
    },
    create: async (raw) => {
      const body = { content: { raw }, ...(parent === null ? {} : { parent: { id: parent } }) };
      return toComment(await api.post({ path, body, answer: Comment, signal }));
    },
    update: async ({ id }, raw) =>
      toComment(
        await api.put({ path: `${path}/${id}`, body: { content: { raw } }, answer: Comment, signal }),
      ),
  };
  const run = { connection: api.connection, signal };
  for (;;) {
    let updated = '';
    const update: typeof calls.update = (one, body) => {
      updated = one.id;
      return calls.update(one, body);
    };
    try {
      return await putMarkedComment({ ...calls, update }, comment, format, run);
    } catch (error) {
      // Only the account of a comment can change it, so this one belongs to another token.
      const isForeign = error instanceof ForgeError && error.problem === 'auth' && updated !== '';
      if (own !== null || !isForeign) throw error;
      refused.add(updated);
    }
  }
}

function toComment({ id, links, content }: Comment): ListedComment {
  return { id: String(id), url: links.html.href, body: content.raw };
}

function listOf<Item>(item: z.ZodType<Item>) {
  return z.object({ values: z.array(item), next: z.string().optional() });
}

/** The address in `next` is not used, because the credential would follow it anywhere. */
async function readNumberedPage<Item>(
  api: Api,
  call: Call<{ values: Item[]; next?: string | undefined }>,
  page: number,
): Promise<Page<Item>> {
  const { values, next } = await api.get({ ...call, query: { ...call.query, page: String(page) } });
  return { items: values, next: next === undefined ? null : page + 1 };
}

/** Needs a token of an administrator, and counts permissions through groups. */
async function canWrite(
  api: Api,
  { owner, name }: { owner: string; name: string },
  { id }: ForgeAccount,
  signal: AbortSignal,
): Promise<boolean> {
  if (!/^\{[0-9a-f-]{36}\}$/i.test(id)) return false;
  const Permission = z.object({ permission: z.string(), user: z.object({ uuid: z.string() }) });
  const { values } = await api.get({
    path: `/workspaces${encodedPath(owner)}/permissions/repositories${encodedPath(name)}`,
    query: { q: `user.uuid="${id}"` },
    answer: listOf(Permission),
    signal,
  });
  // Bitbucket may ignore a filter.
  return values.some(
    ({ permission, user }) => user.uuid === id && (permission === 'write' || permission === 'admin'),
  );
}

async function listChangedPaths(api: Api, path: string, signal: AbortSignal): Promise<ChangedPaths> {
  const File = z.object({ path: z.string() }).nullish();
  const answer = listOf(z.object({ old: File, new: File }));
  const call = { path, query: { pagelen: '100' }, answer, signal };
  const paths = new Set<string>();
  let files = 0;
  for await (const change of readPages((page) => readNumberedPage(api, call, page))) {
    if (files === maxFiles) return { paths: [...paths], isComplete: false };
    files += 1;
    for (const file of [change.old, change.new]) if (file) paths.add(file.path);
  }
  return { paths: [...paths], isComplete: true };
}

async function readPr(
  { api, repository, origin }: BitbucketReviewAccess,
  number: number,
  signal: AbortSignal,
): Promise<PrFacts> {
  const one = await api.get({ path: `${repository}/pullrequests/${number}`, answer: PullRequest, signal });
  const { source, destination } = one;
  const from = source.repository?.full_name;
  const states = { OPEN: 'open', MERGED: 'merged', DECLINED: 'closed', SUPERSEDED: 'closed' } as const;
  const hashIn = (path: string, { hash }: z.infer<typeof Commit>) => wholeHash(api, path, hash, signal);
  const home = from === undefined ? repository : `/repositories${encodedPath(...from.split('/'))}`;
  return {
    number: one.id,
    url: one.links.html.href,
    title: one.title,
    state: states[one.state],
    draft: one.draft ?? false,
    head: source.branch.name,
    base: destination.branch.name,
    headCommit: await hashIn(home, required(source.commit)),
    baseCommit: destination.commit == null ? null : await hashIn(repository, destination.commit),
    headRepository: from === undefined ? null : `${origin}${encodedPath(...from.split('/'))}.git`,
    isFork: !isSamePath(from, destination.repository?.full_name ?? ''),
    author: one.author == null ? null : toAccount(one.author),
    isMergeable: null,
  };
}

function required(commit: z.infer<typeof Commit> | null | undefined): z.infer<typeof Commit> {
  if (commit != null) return commit;
  throw new ForgeError('not_found', 'The branch of the pull request was deleted.');
}

/** Pull requests contain only the first twelve characters. */
async function wholeHash(api: Api, repository: string, hash: string, signal: AbortSignal): Promise<string> {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hash)) return hash;
  return (await api.get({ path: `${repository}/commit${encodedPath(hash)}`, answer: Commit, signal })).hash;
}

function toAccount({ uuid, nickname, display_name: name }: z.infer<typeof User>): ForgeAccount {
  return { id: uuid, login: nickname ?? name ?? uuid };
}
