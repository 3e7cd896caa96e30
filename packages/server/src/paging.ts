/**
 * Lists, newest first, with an opaque cursor. The cursor is the sequence number of the last row shown.
 */
import { Problem } from './problem.ts';

export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

const defaultLimit = 20;

export async function readPage<Row extends { sequence: number }, View>(
  request: PageRequest,
  load: (beforeSequence: number | undefined, most: number) => Promise<Row[]>,
  view: (row: Row) => View,
): Promise<{ data: View[]; nextCursor: string | null }> {
  const limit = request.limit ?? defaultLimit;
  const rows = await load(request.cursor === undefined ? undefined : decodeCursor(request.cursor), limit + 1);
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
