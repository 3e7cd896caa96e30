/** The part of the table of operations that is about the audit log. */
import { z } from 'zod';
import { Search, sortedBy } from './list-query.ts';
import { json, type Operation } from './operation.ts';
import * as schemas from './schemas.ts';

/** The forms in which the audit log can be downloaded. */
export const auditFormats = ['csv', 'json'] as const;

const filters = {
  action: z
    .string()
    .max(64)
    .regex(/^[a-z]+(?:\.[a-z_]+)?$/, 'must be an action such as key.create, or the part before its dot')
    .optional()
    .meta({ description: 'Only this action, such as `key.create`, or all that begin with `key`.' }),
  actor: z.string().min(1).max(254).optional().meta({ description: 'Only what this one did.' }),
  object: z.string().min(1).max(64).optional().meta({ description: 'Only what was done to this.' }),
  since: z.iso.datetime({ offset: true }).optional().meta({ description: 'At or after this moment.' }),
  until: z.iso.datetime({ offset: true }).optional().meta({ description: 'Before this moment.' }),
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
      'Every entry that the filters leave, as one file: CSV with a header line, or a JSON array of the same records as the list.',
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
