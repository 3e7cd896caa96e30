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
    .meta({ description: 'Only this action, such as `key.create`, or all that begin with `key`.' }),
  actor: z
    .string()
    .min(1)
    .max(254)
    .optional()
    .meta({ description: 'Only actions of this key, user or program.' }),
  object: z.string().min(1).max(64).optional().meta({ description: 'Only actions on this object.' }),
  since: z.iso.datetime({ offset: true }).optional().meta({ description: 'At or after this time.' }),
  until: z.iso.datetime({ offset: true }).optional().meta({ description: 'Before this time.' }),
  q: Search.meta({
    description:
      'Words that the action, the actor, the object, one of their names, the address or the details must contain.',
  }),
  sort: sortedBy(['at'], '-at'),
};

export const auditOperations = {
  listAuditLog: {
    method: 'get',
    path: '/v1/audit-log',
    tag: 'Organization',
    summary: 'List the audit log',
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
      'All entries that match the filters, as one file: CSV with a header line, or a JSON array of the records of the list.',
    scope: 'audit:read',
    organizationWide: true,
    query: z.strictObject({
      ...filters,
      format: z.enum(auditFormats).optional().meta({ description: 'Default `csv`.' }),
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
