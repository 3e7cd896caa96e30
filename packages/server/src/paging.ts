/**
 * Cursor pagination. A cursor contains the sequence number of the last row, and in a sorted list also its sort value,
 * so that rows added in between shift nothing.
 */
import { sql, type Expression, type SelectQueryBuilder, type SqlBool } from 'kysely';
import type { Tables } from './ports/database.ts';
import { Problem } from './problem.ts';

export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface ListPage<View> {
  data: View[];
  nextCursor: string | null;
}

const defaultLimit = 20;

interface SequencedQuery<Row> {
  where(column: 'sequence', operator: '<' | '>', value: number): SequencedQuery<Row>;
  orderBy(column: 'sequence', direction: 'asc' | 'desc'): SequencedQuery<Row>;
  limit(max: number): SequencedQuery<Row>;
  execute(): Promise<Row[]>;
}

export async function readPage<Row extends { sequence: number }, View>(
  request: PageRequest,
  query: SequencedQuery<Row>,
  view: (row: Row) => View,
  order: 'newest first' | 'oldest first' = 'newest first',
): Promise<ListPage<View>> {
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
  return pageOf(rows, limit, view, ({ sequence }) => encodeCursor(`before:${sequence}`));
}

/** A column or expression that is never null, for each sort name of the API. */
export type SortColumns = Readonly<Record<string, Expression<string>>>;

/** The order of creation is the order of the sequence and needs no value in the cursor. */
const byCreation = 'createdAt';

/** `sort` is a name of `columns` or `createdAt`, with a minus sign for descending order. */
export async function readSortedPage<Table extends keyof Tables, Row extends { sequence: number }, View>(
  request: PageRequest & { sort?: string | undefined },
  query: SelectQueryBuilder<Tables, Table, Row>,
  view: (row: Row) => View,
  columns: SortColumns,
): Promise<ListPage<View>> {
  const { sort = `-${byCreation}` } = request;
  const isDescending = sort.startsWith('-');
  const column = columns[sort.replace('-', '')];
  if (column === undefined) {
    const sequenced = query as unknown as SequencedQuery<Row>;
    return readPage(request, sequenced, view, isDescending ? 'newest first' : 'oldest first');
  }
  const limit = request.limit ?? defaultLimit;
  const direction = isDescending ? 'desc' : 'asc';
  const beyond = isDescending ? sql`<` : sql`>`;
  let rest = query.select(sql<string>`${column}`.as('sort_value'));
  if (request.cursor !== undefined) {
    const { value, sequence } = decodeSortedCursor(request.cursor, sort);
    rest = rest.where(
      sql<SqlBool>`(${column} ${beyond} ${value} or (${column} = ${value} and sequence ${beyond} ${sequence}))`,
    );
  }
  const rows = await rest
    .orderBy(column, direction)
    .orderBy(sql`sequence`, direction)
    .limit(limit + 1)
    .execute();
  return pageOf(rows as (Row & { sort_value: string })[], limit, view, ({ sort_value, sequence }) =>
    encodeCursor(JSON.stringify([sort, sequence, sort_value])),
  );
}

function pageOf<Row, View>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => View,
  cursorAfter: (row: Row) => string,
): ListPage<View> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map(view),
    nextCursor: rows.length > limit && last !== undefined ? cursorAfter(last) : null,
  };
}

function encodeCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decodeCursor(cursor: string): number {
  const [, digits] = /^before:(\d{1,15})$/.exec(textOf(cursor)) ?? [];
  if (digits === undefined) throw unknownCursor();
  return Number(digits);
}

function decodeSortedCursor(cursor: string, sort: string): { value: string; sequence: number } {
  const [, order, digits, value] = /^\["(-?\w{1,32})",(\d{1,15}),(".*")\]$/su.exec(textOf(cursor)) ?? [];
  if (order !== sort || digits === undefined || value === undefined) throw unknownCursor();
  return { value: stringOf(value), sequence: Number(digits) };
}

function stringOf(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'string' && !value.includes('\0')) return value;
  } catch {
    // Rejected below.
  }
  throw unknownCursor();
}

function textOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString();
}

function unknownCursor(): Problem {
  const message =
    'This cursor does not belong to this list and order. Use `nextCursor` of the previous page, or omit it.';
  return new Problem('invalid_request', message, { details: [{ path: 'cursor', message }] });
}
