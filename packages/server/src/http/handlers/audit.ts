import type { AuditEntry } from '@docyard/api';
import { eachAuditEntry, listAuditLog } from '../../audit/audit.ts';
import { csvHeader, csvLine } from '../../audit/csv.ts';
import type { Handlers } from '../request.ts';
import { streamOf } from '../text-stream.ts';

type AuditHandlers = Pick<Handlers, 'listAuditLog' | 'exportAuditLog'>;

export function auditHandlers(stopping: AbortSignal): AuditHandlers {
  return {
    listAuditLog: async ({ context, caller, input }) => ({
      body: await listAuditLog(context, { ...input.query, organizationId: caller.organizationId }),
    }),

    exportAuditLog: async ({ context, caller, input, web }) => {
      const { format = 'csv', ...filters } = input.query;
      const entries = eachAuditEntry(context, { ...filters, organizationId: caller.organizationId });
      const text = format === 'csv' ? csvOf(entries) : jsonOf(entries);
      const signal = AbortSignal.any([stopping, web.req.raw.signal]);
      const day = context.clock.now().toISOString().slice(0, 10);
      return new Response(web.req.method === 'HEAD' ? null : streamOf(text, signal), {
        headers: {
          'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
          'content-disposition': `attachment; filename="audit-log-${day}.${format}"`,
        },
      });
    },
  };
}

async function* csvOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string, void, undefined> {
  yield csvHeader;
  for await (const entry of entries) yield csvLine(entry);
}

async function* jsonOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string, void, undefined> {
  let before = '[';
  for await (const entry of entries) {
    yield `${before}\n${JSON.stringify(entry)}`;
    before = ',';
  }
  yield before === '[' ? '[]\n' : '\n]\n';
}
