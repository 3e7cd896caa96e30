/** `If-Match` and `If-None-Match` of a write: the comparison and the write are one step. */
import { operation, operationIds, type Operation, type OperationId } from '@docyard/api';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/authenticate.ts';
import { exclusively, isPostgres, type Database } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { requireRights } from './auth.ts';
import { defaultQuery } from './body.ts';
import { isConditional, requireConditions } from './conditions.ts';
import type { Commit, Reply, Web } from './request.ts';
import { writtenOf } from './serialized-reply.ts';

interface ConditionalWrite {
  web: Web;
  described: Operation;
  caller: Caller | undefined;
  params: Readonly<Record<string, string>>;
  read: (context: Context, id: OperationId, input: ReadInput) => Promise<Reply<unknown> | Response>;
}

interface ReadInput {
  params: unknown;
  query: unknown;
  body: undefined;
}

export interface Condition {
  require: (context: Context) => Promise<void>;
  /** Compares again inside the transaction, where no other writer can change the resource before this one. */
  guard: (commit: Commit) => Commit;
}

export function conditionOf(write: ConditionalWrite): Condition | undefined {
  const { web, described, caller } = write;
  if (described.method === 'get' || !isConditional(web)) return undefined;
  const reader = readerOf(described);
  // The answer tells whether a tag is the current one, which only a reader may know.
  if (reader !== undefined && caller !== undefined) requireRights(caller, operation(reader));
  const require = async (context: Context) => {
    const etag = reader === undefined ? undefined : await readTag(context, reader, write);
    requireConditions(web, etag, { isRead: false });
  };
  const guard =
    (commit: Commit): Commit =>
    (work) =>
      commit(async (inside) => {
        await holdResource(inside.database, write);
        await require(inside);
        return work(inside);
      });
  return { require, guard };
}

/** The operation that shows what another one changes. */
function readerOf({ path }: Operation): OperationId | undefined {
  return operationIds.find((id) => {
    const reader = operation(id);
    return reader.path === path && reader.method === 'get' && reader.success.kind === 'json';
  });
}

/** The tag of a resource is that of the answer to reading it; what cannot be read has none. */
async function readTag(
  context: Context,
  reader: OperationId,
  { params, read }: ConditionalWrite,
): Promise<string | undefined> {
  const input = { params, query: defaultQuery(operation(reader)), body: undefined };
  try {
    const reply = await read(context, reader, input);
    return reply instanceof Response ? undefined : writtenOf(reply).etag;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The rows that the parameters of paths name. */
const tables = {
  projectId: 'projects',
  jobId: 'jobs',
  webhookId: 'webhooks',
  deploymentId: 'deployments',
} as const;

/** SQLite has one writer at a time anyway. */
async function holdResource(
  database: Database,
  { described, caller, params }: ConditionalWrite,
): Promise<void> {
  if (!isPostgres(database) || caller === undefined) return;
  const { organizationId } = caller;
  await exclusively(database, `resource:${organizationId}:${described.path}`);
  for (const [name, table] of Object.entries(tables)) {
    const id = params[name];
    if (id === undefined) continue;
    await database
      .selectFrom(table)
      .select('id')
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .forUpdate()
      .execute();
  }
}
