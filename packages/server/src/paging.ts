/**
 * Lists, newest first or in the order of a story, with an opaque cursor. The cursor is the sequence number of the last
 * row shown.
 */
import { Problem } from './problem.ts';

export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

const defaultLimit = 20;

/** A query over a table with a `sequence` column, before its order and limit are set. */
interface SequencedQuery<Row> {
  where(column: 'sequence', operator: '<' | '>', value: number): SequencedQuery<Row>;
  orderBy(column: 'sequence', direction: 'asc' | 'desc'): SequencedQuery<Row>;
  limit(most: number): SequencedQuery<Row>;
  execute(): Promise<Row[]>;
}

export async function readPage<Row extends { sequence: number }, View>(
  request: PageRequest,
  query: SequencedQuery<Row>,
  view: (row: Row) => View,
  order: 'newest first' | 'oldest first' = 'newest first',
): Promise<{ data: View[]; nextCursor: string | null }> {
  const limit = request.limit ?? defaultLimit;
  const newestFirst = order === 'newest first';
  const rest =
    request.cursor === undefined
      ? query
      : query.where('sequence', newestFirst ? '<' : '>', decodeCursor(request.cursor));
  const rows = await rest
    .orderBy('sequence', newestFirst ? 'desc' : 'asc')
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map(view),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last.sequence) : null,
  };
}

function encodeCursor(sequence: number): string {
  return Buffer.from(`before:${sequence}`).toString('base64url');
}

function decodeCursor(cursor: string): number {
  const [, digits] = /^before:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (digits === undefined) {
    const message = 'This cursor is not one of ours. Use `nextCursor` of the page before, or leave it out.';
    throw new Problem('invalid_request', message, { details: [{ path: 'cursor', message }] });
  }
  return Number(digits);
}
