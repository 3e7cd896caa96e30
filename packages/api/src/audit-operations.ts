import * as z from 'zod';
import { auditFormats } from './constants.ts';
import { Search, sortedBy } from './list-query.ts';
import { json, type Operation } from './operation.ts';
import * as schemas from './schemas.ts';

const filters = {
  action: z
    .string()
    .max(64)
    .regex(/^[a-z]+(?:\.[a-z_]+)?$/, 'must be an action such as key.create, or the part before its dot')
    .optional()
    .meta({ description: 'Only this action, such as `key.create`, or all that start with `key`.' }),
  actor: z
    .string()
    .min(1)
    .max(254)
    .optional()
    .meta({ description: 'Only changes by this key, user or program.' }),
  object: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'Only changes of the object with this id.' }),
  since: z.iso.datetime({ offset: true }).optional().meta({ description: 'At or after this time.' }),
  until: z.iso.datetime({ offset: true }).optional().meta({ description: 'Before this time.' }),
  q: Search.meta({
    description:
      'Words that the action, the actor, the object, one of their names, the address or the details must contain, case-insensitive.',
  }),
  sort: sortedBy(['at'], '-at'),
};

export const auditOperations = {
  listAuditLog: {
    method: 'get',
    path: '/v1/audit-log',
    tag: 'Organization',
    summary: 'List the audit log',
    description: 'Every change made by a key, a user or the command line, newest first.',
    scope: 'audit:read',
    organizationWide: true,
    query: z.strictObject({ ...filters, ...schemas.Page }),
    success: json(200, schemas.listOf(schemas.AuditEntry, 'AuditEntryList')),
    errors: [],
  },
  exportAuditLog: {
    method: 'get',
    path: '/v1/audit-log/export',
    tag: 'Organization',
    summary: 'Download the audit log',
    description:
      'All entries that match the filters, in one file: CSV with a header line, or a JSON array of the same records as the list.\n\nIn CSV, a cell that a spreadsheet would run as a formula starts with an apostrophe.',
    scope: 'audit:read',
    organizationWide: true,
    query: z.strictObject({
      ...filters,
      format: z.enum(auditFormats).optional().describe('The format of the file. Default: `csv`.'),
    }),
    success: {
      status: 200,
      kind: 'file',
      types: ['text/csv', 'application/json'],
      schema: schemas.AuditEntry,
    },
    errors: [],
  },
} as const satisfies Record<string, Operation>;
