/** `If-Match` and `If-None-Match` of a write. Comparison and write are atomic. */
import { operation, operationIds, type Operation, type OperationId } from '@docyard/api';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/authenticate.ts';
import { acquireLocks, isPostgres, type Database } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { requireRights } from './auth.ts';
import { defaultQuery } from './body.ts';
import { isConditional, requireConditions } from './conditions.ts';
import type { Commit, Reply, Web } from './request.ts';
import { serialize } from './serialized-reply.ts';

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
  /** Compares again inside the transaction, where no other writer can change the resource. */
  guard: (commit: Commit) => Commit;
}

export function conditionOf(write: ConditionalWrite): Condition | undefined {
  const { web, described, caller } = write;
  if (described.method === 'get' || !isConditional(web)) return undefined;
  const reader = readerOf(described);
  // The response reveals whether a tag is current, so the caller needs the right to read.
  if (reader !== undefined && caller !== undefined) requireRights(caller, operation(reader));
  const require = async (context: Context) => {
    const etag = reader === undefined ? undefined : await readTag(context, reader, write);
    requireConditions(web, etag, { isRead: false });
  };
  const guard =
    (commit: Commit): Commit =>
    (work) =>
      commit(async (inside) => {
        await lockResource(inside.database, write);
        await require(inside);
        return work(inside);
      });
  return { require, guard };
}

/** The operation that reads the resource. */
function readerOf({ path }: Operation): OperationId | undefined {
  return operationIds.find((id) => {
    const reader = operation(id);
    return reader.path === path && reader.method === 'get' && reader.success.kind === 'json';
  });
}

/** The ETag of a resource is that of its read response; a resource that cannot be read has none. */
async function readTag(
  context: Context,
  reader: OperationId,
  { params, read }: ConditionalWrite,
): Promise<string | undefined> {
  const input = { params, query: defaultQuery(operation(reader)), body: undefined };
  try {
    const reply = await read(context, reader, input);
    return reply instanceof Response ? undefined : serialize(reply).etag;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The tables of the path parameters. */
const tables = {
  projectId: 'projects',
  jobId: 'jobs',
  webhookId: 'webhooks',
  deploymentId: 'deployments',
} as const;

/** SQLite has a single writer and needs no lock. */
async function lockResource(
  database: Database,
  { described, caller, params }: ConditionalWrite,
): Promise<void> {
  if (!isPostgres(database) || caller === undefined) return;
  const { organizationId } = caller;
  await acquireLocks(database, `resource:${organizationId}:${described.path}`);
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
