/** The audit log as CSV (RFC 4180), safe to open in a spreadsheet. */
import type { AuditEntry } from '@docyard/api';

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

export const csvHeader = `${columns.join(',')}\r\n`;

export function csvLine(entry: AuditEntry): string {
  return `${columns.map((column) => cellOf(entry[column])).join(',')}\r\n`;
}

/** Spreadsheets run a cell with one of these first characters as a formula. */
const formulaStart = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/u;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
