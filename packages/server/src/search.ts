/** Search conditions of lists: every word must occur in at least one column. */
import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';

const maxWords = 8;

function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

function wordsOf(search: string): string[] {
  return search.split(/\s+/).filter(Boolean).slice(0, maxWords);
}

/** SQLite lowercases ASCII letters only, so a word is also compared in its original case. */
export function contains(column: Expression<unknown>, word: string): RawBuilder<SqlBool> {
  const folded = likePattern(word.toLowerCase());
  return sql<SqlBool>`(lower(${column}) like ${folded} escape '\\' or ${column} like ${likePattern(word)} escape '\\')`;
}

export function matchesSearch(
  search: string,
  conditionsOf: (word: string) => readonly Expression<SqlBool>[],
): RawBuilder<SqlBool> {
  const words = wordsOf(search).map((word) => sql`(${sql.join(conditionsOf(word), sql` or `)})`);
  return words.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(words, sql` and `)})`;
}

export function columnsContain(columns: readonly string[], search: string): RawBuilder<SqlBool> {
  return matchesSearch(search, (word) => columns.map((column) => contains(sql.ref(column), word)));
}
