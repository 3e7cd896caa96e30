/**
 * How each database numbers the rows of a table, and the types that differ between them. What it gives for SQLite is
 * what installations have on disk and must not change.
 */
import type { ColumnDataType, ColumnDefinitionBuilder, Kysely } from 'kysely';
import { isPostgres } from '../../../ports/database.ts';

interface Numbering {
  wholeNumber: ColumnDataType;
  fraction: ColumnDataType;
  sequence: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
}

export function numbering(database: Kysely<unknown>): Numbering {
  return isPostgres(database)
    ? {
        wholeNumber: 'bigint',
        fraction: 'double precision',
        // By default, not always: rows that are brought from another database keep their numbers.
        sequence: (column) => column.primaryKey().generatedByDefaultAsIdentity(),
      }
    : {
        wholeNumber: 'integer',
        fraction: 'real',
        sequence: (column) => column.primaryKey().autoIncrement(),
      };
}
