/** Notes, reads, permissions and commit statuses of merge requests on GitLab. */
import { z } from 'zod';
import { ForgeError } from '../../ports/forge.ts';
import type {
  ChangedPaths,
  CommentReference,
  CommitStatus,
  ForgeAccount,
  ForgeComment,
  ForgeReview,
  MarkedComment,
  PrFacts,
} from '../../ports/forge-review.ts';
import type { Api } from './api.ts';
import { undefinedIfNotFound } from './failures.ts';
import { htmlMarker, putMarkedComment, type CommentCalls, type ListedComment } from './marked-comments.ts';
import { readLinkedPage, readPages } from './paging.ts';
import { hasDraftPrefix, pageUrl, prNumber } from './pull-requests.ts';
import { encodedPath } from './repository.ts';
import { noteOf, oneLine } from './status-parts.ts';

const User = z.object({ id: z.int(), username: z.string() });
const MergeRequest = z.object({
  iid: prNumber,
  web_url: pageUrl,
  title: z.string(),
  state: z.enum(['opened', 'closed', 'locked', 'merged']),
  draft: z.boolean().optional(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
  sha: z.string(),
  diff_refs: z.object({ base_sha: z.string().nullish() }).nullish(),
  has_conflicts: z.boolean().optional(),
  detailed_merge_status: z.string().optional(),
  author: User.nullish(),
});
const Note = z.object({ id: z.int(), body: z.string(), author: User.nullish() });
const Discussion = z.object({ notes: z.array(Note) });

const format = { maxCharacters: 1_000_000, markerLine: htmlMarker };
/** The lowest role that can push. */
const developerAccess = 30;
const unknownMergeStatuses: readonly string[] = ['checking', 'unchecked', 'preparing', 'approvals_syncing'];
/** GitLab sends the diffs with the paths. */
const diffsOnPage = '20';
const maxFiles = 1000;
const maxDescriptionCharacters = 255;

interface GitlabReviewAccess {
  api: Api;
  /** Of the project in the API. */
  project: string;
  /** The address of the project, for git and, without `.git`, for browsers. */
  repository: string;
}

export function gitlabReview(access: GitlabReviewAccess): ForgeReview {
  const { api, project } = access;
  let known: ForgeAccount | undefined;
  const ownAccount = async (signal: AbortSignal) =>
    (known ??= toAccount(await api.get({ path: '/user', answer: User, signal })));
  return {
    ownAccount,
    canWrite: async ({ id }, signal) => {
      const answer = z.object({ access_level: z.int(), state: z.string().optional() });
      const path = `${project}/members/all${encodedPath(id)}`;
      const member = await api.get({ path, answer, signal }).catch(undefinedIfNotFound);
      return member !== undefined && member.access_level >= developerAccess && member.state !== 'blocked';
    },
    readPr: (number, signal) => readPr(access, number, signal),
    listChangedPaths: (number, signal) =>
      listChangedPaths(api, `${project}/merge_requests/${number}/diffs`, signal),
    putComment: async (number, comment, signal) =>
      put(access, { number, discussion: null, own: await ownAccount(signal) }, comment, signal),
    replyTo: async (number, to, reply, signal) => {
      const own = await ownAccount(signal);
      const discussion = await findDiscussion(access, number, to, signal);
      return put(access, { number, discussion, own }, reply, signal);
    },
    putStatus: async (commit, status, signal) => {
      const note = await noteOf('the commit status', () => putStatus(access, commit, status, signal));
      return { annotations: 0, notes: note === undefined ? [] : [note] };
    },
  };
}

async function readPr(
  { api, project, repository }: GitlabReviewAccess,
  number: number,
  signal: AbortSignal,
): Promise<PrFacts> {
  const path = `${project}/merge_requests/${number}`;
  const one = await api.get({ path, answer: MergeRequest, signal });
  const isFork = one.source_project_id !== one.target_project_id;
  const isKnown = !unknownMergeStatuses.includes(one.detailed_merge_status ?? '');
  return {
    number: one.iid,
    url: one.web_url,
    title: one.title,
    state: one.state === 'opened' || one.state === 'locked' ? 'open' : one.state,
    draft: one.draft ?? hasDraftPrefix(one.title),
    head: one.source_branch,
    base: one.target_branch,
    headCommit: one.sha,
    baseCommit: one.diff_refs?.base_sha ?? null,
    headRepository: isFork ? await cloneUrl(api, one.source_project_id, signal) : repository,
    isFork,
    author: one.author == null ? null : toAccount(one.author),
    isMergeable: isKnown && one.has_conflicts !== undefined ? !one.has_conflicts : null,
  };
}

/** Null if the project was deleted or the token cannot see it. */
async function cloneUrl(
  api: Api,
  id: number | null | undefined,
  signal: AbortSignal,
): Promise<string | null> {
  if (id == null) return null;
  const answer = z.object({ http_url_to_repo: z.string() });
  const found = await api.get({ path: `/projects/${id}`, answer, signal }).catch(undefinedIfNotFound);
  return found?.http_url_to_repo ?? null;
}

async function listChangedPaths(api: Api, path: string, signal: AbortSignal): Promise<ChangedPaths> {
  const answer = z.array(z.object({ old_path: z.string(), new_path: z.string() }));
  const call = { path, query: { per_page: diffsOnPage }, answer, signal };
  const paths = new Set<string>();
  let files = 0;
  for await (const { old_path: before, new_path: after } of readPages((page) =>
    readLinkedPage(api, call, page),
  )) {
    if (files === maxFiles) return { paths: [...paths], isComplete: false };
    files += 1;
    paths.add(before).add(after);
  }
  return { paths: [...paths], isComplete: true };
}

/** Null if the comment was deleted; then the answer is a comment on the merge request. */
async function findDiscussion(
  { api, project }: GitlabReviewAccess,
  number: number,
  { thread }: CommentReference,
  signal: AbortSignal,
): Promise<string | null> {
  if (thread === null) return null;
  const path = `${project}/merge_requests/${number}/discussions${encodedPath(thread)}`;
  const found = await api.get({ path, answer: Discussion, signal }).catch(undefinedIfNotFound);
  return found === undefined ? null : path;
}

interface Place {
  number: number;
  /** The path of the discussion; null for the notes of the merge request. */
  discussion: string | null;
  own: ForgeAccount;
}

function put(
  { api, project, repository }: GitlabReviewAccess,
  { number, discussion, own }: Place,
  comment: MarkedComment,
  signal: AbortSignal,
): Promise<ForgeComment> {
  const notes = `${project}/merge_requests/${number}/notes`;
  const page = `${repository.replace(/\.git$/, '')}/-/merge_requests/${number}`;
  const toComment = ({ id, body }: z.infer<typeof Note>): ListedComment => ({
    id: String(id),
    url: `${page}#note_${id}`,
    body,
  });
  const list = async function* () {
    if (discussion !== null) {
      yield* (await api.get({ path: discussion, answer: Discussion, signal })).notes;
      return;
    }
    const query = { per_page: '100', sort: 'asc', order_by: 'created_at' };
    const call = { path: notes, query, answer: z.array(Note), signal };
    yield* readPages((at) => readLinkedPage(api, call, at));
  };
  const calls: CommentCalls<ListedComment> = {
    list: async function* () {
      for await (const note of list()) if (String(note.author?.id) === own.id) yield toComment(note);
    },
    create: async (body) => {
      const path = discussion === null ? notes : `${discussion}/notes`;
      return toComment(await api.post({ path, body: { body }, answer: Note, signal }));
    },
    update: async ({ id }, body) =>
      toComment(await api.put({ path: `${notes}/${id}`, body: { body }, answer: Note, signal })),
  };
  const safe = { ...comment, body: withoutQuickActions(comment.body) };
  return putMarkedComment(calls, safe, format, { connection: api.connection, signal });
}

/** GitLab runs lines such as `/merge` with the permissions of the account that writes them. */
function withoutQuickActions(body: string): string {
  const lines = body.split(/(?<=[\n\r])/).map((line) => {
    const text = line.trimStart();
    return /^\/[a-z]/i.test(text) ? `${line.slice(0, -text.length)}\\${text}` : line;
  });
  return lines.join('');
}

const states = { pending: 'pending', success: 'success', failure: 'failed', neutral: 'success' } as const;
const Status = z.object({
  name: z.string(),
  status: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});

async function putStatus(
  { api, project }: GitlabReviewAccess,
  commit: string,
  { key, state, description, targetUrl }: CommitStatus,
  signal: AbortSignal,
): Promise<void> {
  const text = oneLine(description, maxDescriptionCharacters);
  const known = await api.get({
    path: `${project}/repository/commits${encodedPath(commit)}/statuses`,
    query: { name: key, per_page: '20' },
    answer: z.array(Status),
    signal,
  });
  const wanted = states[state];
  const isSame = (one: z.infer<typeof Status>) =>
    one.name === key &&
    one.status === wanted &&
    (one.description ?? '') === text &&
    (one.target_url ?? null) === targetUrl;
  if (known.some(isSame)) return;
  const body = {
    state: wanted,
    name: key,
    description: text,
    ...(targetUrl === null ? {} : { target_url: targetUrl }),
  };
  const path = `${project}/statuses${encodedPath(commit)}`;
  await api.post({ path, body, answer: z.unknown(), isRepeatable: true, signal }).catch((error: unknown) => {
    // A status that is pending stays pending, and GitLab refuses to set it again.
    if (error instanceof ForgeError && /cannot transition status/i.test(error.message)) return;
    throw error;
  });
}

function toAccount({ id, username }: z.infer<typeof User>): ForgeAccount {
  return { id: String(id), login: username };
}
