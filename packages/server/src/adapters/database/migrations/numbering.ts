/**
 * Column types that differ between the databases. The SQLite types must not change, because existing
 * installations have them.
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
        // By default rather than always: rows imported from another database keep their numbers.
        sequence: (column) => column.primaryKey().generatedByDefaultAsIdentity(),
      }
    : {
        wholeNumber: 'integer',
        fraction: 'real',
        sequence: (column) => column.primaryKey().autoIncrement(),
      };
}
