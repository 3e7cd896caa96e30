/** One comment per marker: looked up among the comments of the credential's account before it is created. */
import { ForgeError, type ForgeProblem } from '../../ports/forge.ts';
import type { ForgeComment, MarkedComment } from '../../ports/forge-review.ts';
import { maxPauseSeconds, maxTries, type Connection } from './api.ts';
import { truncateBody } from './pull-requests.ts';

export interface ListedComment extends ForgeComment {
  body: string;
}

export interface CommentCalls<Listed extends ListedComment> {
  /** Only those of the credential's account, oldest first. */
  list(): AsyncIterable<Listed>;
  create(body: string): Promise<ForgeComment>;
  update(known: Listed, body: string): Promise<ForgeComment>;
}

export interface CommentFormat {
  maxCharacters: number;
  markerLine(marker: string): string;
}

export function htmlMarker(marker: string): string {
  return `<!-- docyard:${checked(marker)} -->`;
}

/** A link definition, which Markdown never shows. */
export function linkMarker(marker: string): string {
  return `[//]: # (docyard:${checked(marker)})`;
}

function checked(marker: string): string {
  if (/^[\w.:/-]{1,200}$/.test(marker) && !marker.includes('--')) return marker;
  throw new Error(`${JSON.stringify(marker)} is not a marker.`);
}

/** The response to a create request may have been lost, so the comment is looked up before a retry. */
export async function putMarkedComment<Listed extends ListedComment>(
  calls: CommentCalls<Listed>,
  { marker, body }: MarkedComment,
  format: CommentFormat,
  { connection, signal }: { connection: Connection; signal: AbortSignal },
): Promise<ForgeComment> {
  const line = format.markerLine(marker);
  const wanted = truncateBody(`${line}\n\n${body}`, format.maxCharacters);
  for (let attempt = 1; ; attempt++) {
    const known = await findByLine(calls.list(), line);
    if (known !== undefined) {
      const isSame = withLineFeeds(known.body) === withLineFeeds(wanted);
      return plain(isSame ? known : await calls.update(known, wanted));
    }
    try {
      return plain(await calls.create(wanted));
    } catch (error) {
      if (!mayHaveTakenEffect(error) || attempt === maxTries) throw error;
      await connection.pause(Math.min(error.retryAfterSeconds ?? attempt, maxPauseSeconds), signal);
    }
  }
}

async function findByLine<Listed extends ListedComment>(
  comments: AsyncIterable<Listed>,
  line: string,
): Promise<Listed | undefined> {
  for await (const comment of comments) {
    const body = withLineFeeds(comment.body);
    if (body === line || body.startsWith(`${line}\n`)) return comment;
  }
  return undefined;
}

/** Some forges store CRLF or remove the end. */
function withLineFeeds(body: string): string {
  return body.replaceAll('\r\n', '\n').trimEnd();
}

function plain({ id, url }: ForgeComment): ForgeComment {
  return { id, url };
}

const uncertain: readonly ForgeProblem[] = ['unavailable', 'already_exists'];

function mayHaveTakenEffect(error: unknown): error is ForgeError {
  return error instanceof ForgeError && uncertain.includes(error.problem);
}
