/** The audit log as CSV. */
import { csvLineOf, type AuditEntry } from '@docyard/api';

const columns = [
  'at',
  'actor',
  'actorName',
  'action',
  'object',
  'objectName',
  'address',
  'requestId',
  'details',
  'id',
  'hash',
] as const satisfies readonly (keyof AuditEntry)[];

export const csvHeader = csvLineOf(columns);

export function csvLine(entry: AuditEntry): string {
  return csvLineOf(columns.map((column) => entry[column]));
}
