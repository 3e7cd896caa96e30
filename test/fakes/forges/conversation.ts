/** Comments, statuses and permissions of the repository of a fake forge. */
import { createHash } from 'node:crypto';

export interface FakeComment {
  id: number;
  /** The number of the pull request. */
  pull: number;
  /** `line`: on lines of a file. */
  kind: 'comment' | 'line';
  body: string;
  author: string;
  /** The comment that this one answers. */
  parent: number | null;
  version: number;
}

export interface FakeStatus {
  commit: string;
  key: string;
  state: string;
  title: string;
  description: string;
  targetUrl: string | null;
  /** Only of check runs. */
  externalId: string | null;
}

export interface FakeAnnotation {
  commit: string;
  key: string;
  path: string;
  line: number;
  message: string;
}

export interface Conversation {
  comments: FakeComment[];
  statuses: FakeStatus[];
  annotations: FakeAnnotation[];
  /** The accounts that can push. */
  writers: string[];
  /** The accounts of access tokens on Bitbucket Cloud, besides that of the token. */
  appUsers: string[];
}

/** The ids of the accounts; `docyard-app[bot]` is the bot of the App on GitHub. */
export const fakeAccounts: ReadonlyMap<string, number> = new Map([
  ['docs-bot', 1],
  ['ada', 11],
  ['grace', 12],
  ['mallory', 66],
  ['docyard-app[bot]', 99],
]);

export function newConversation(): Conversation {
  return { comments: [], statuses: [], annotations: [], writers: ['docs-bot', 'ada'], appUsers: [] };
}

export function commitHash(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

export function idOf(login: string): number {
  return fakeAccounts.get(login) ?? 0;
}

/** The UUID of an account on Bitbucket Cloud. */
export function uuidOf(login: string): string {
  return `{00000000-0000-4000-8000-${String(idOf(login)).padStart(12, '0')}}`;
}

export function addComment(
  { comments }: Conversation,
  given: Pick<FakeComment, 'pull' | 'body' | 'author'> & Partial<FakeComment>,
): FakeComment {
  const id = Math.max(100, ...comments.map((comment) => comment.id)) + 1;
  const comment: FakeComment = { kind: 'comment', parent: null, ...given, id, version: 0 };
  comments.push(comment);
  return comment;
}

/** One page of a list, with the header that names the next page. */
export function linkedPage<Item>(
  items: readonly Item[],
  query: URLSearchParams,
  { size, maxSize = 100 }: { size: 'per_page' | 'limit'; maxSize?: number },
): { items: Item[]; headers: Record<string, string> } {
  const page = Number(query.get('page') ?? 1);
  const length = Math.min(Number(query.get(size) ?? 30), maxSize);
  const hasNext = items.length > page * length;
  const headers = hasNext ? { link: `<https://forge.test/?page=${page + 1}>; rel="next"` } : undefined;
  return { items: items.slice((page - 1) * length, page * length), headers: headers ?? {} };
}
