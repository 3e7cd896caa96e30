/**
 * Moves an installation from SQLite to an empty PostgreSQL database in one transaction, verified before the commit,
 * and its bundles to another store. An interrupted move can be repeated; bundles that have already arrived are
 * skipped.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql, type RawBuilder } from 'kysely';
import type { ExportFile } from '../exports/record.ts';
import type { Blobs } from '../ports/blobs.ts';
import { acquireLocks, schemaVersionName, type Database, type Tables } from '../ports/database.ts';

export class MoveError extends Error {
  override name = 'MoveError';
}

/** In the order of foreign keys, each with the columns of its primary key. */
const tableKeys = {
  organizations: ['id'],
  projects: ['sequence'],
  api_keys: ['sequence'],
  jobs: ['sequence'],
  queue_counts: ['organization_id'],
  job_events: ['sequence'],
  agent_runs: ['job_id', 'number'],
  agent_steps: ['sequence'],
  agent_messages: ['sequence'],
  project_settings: ['project_id', 'name'],
  secrets: ['project_id', 'name'],
  idempotency: ['organization_id', 'key'],
  audit_log: ['sequence'],
  installation: ['name'],
  people: ['sequence'],
  sessions: ['hash'],
  attempt_windows: ['subject'],
  rate_windows: ['caller_id', 'rate'],
  webhooks: ['sequence'],
  webhook_secrets: ['sequence'],
  webhook_messages: ['id'],
  webhook_deliveries: ['sequence'],
  webhook_attempts: ['delivery_id', 'number'],
  deployments: ['sequence'],
  deployment_counts: ['deployment_id', 'day', 'metric', 'name', 'reader', 'source'],
  deployment_feedback: ['deployment_id', 'id'],
  forge_events: ['sequence'],
  source_polls: ['project_id'],
  pull_requests: ['sequence'],
  review_tasks: ['id'],
  automation_files: ['project_id'],
  automations: ['project_id', 'name'],
  automation_events: ['sequence'],
  automation_runs: ['sequence'],
} as const satisfies Record<keyof Tables, readonly string[]>;

type TableName = keyof Tables;
type Row = Record<string, string | number | null>;

const tableNames = Object.keys(tableKeys) as TableName[];
const batchSize = 200;

/** The number of rows and the sum of their hashes, which is independent of the order. */
export interface TableDigest {
  table: string;
  rows: number;
  sum: string;
}

export async function copyTables(
  from: Database,
  to: Database,
  onProgress: (copied: TableDigest) => void = () => {},
): Promise<TableDigest[]> {
  return to.transaction().execute(async (inside) => {
    await acquireLocks(inside, 'move');
    // Opening the target has recorded its migrations; the source has the same record.
    await inside.deleteFrom('installation').where('name', '=', schemaVersionName).execute();
    await refuseFullTables(inside);
    const copied: TableDigest[] = [];
    for (const table of tableNames) {
      const digest = await copyTable(from, inside, table);
      copied.push(digest);
      onProgress(digest);
    }
    await refuseDifference(inside, copied);
    return copied;
  });
}

async function refuseFullTables(to: Database): Promise<void> {
  for (const table of tableNames) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(to);
    if (rows.length > 0) {
      throw new MoveError(
        `The PostgreSQL database is not empty: the table ${table} has rows. Nothing was copied.`,
      );
    }
  }
}

async function copyTable(from: Database, to: Database, table: TableName): Promise<TableDigest> {
  const digest = new Digest(table);
  for await (const rows of pages(from, table)) {
    digest.add(rows);
    try {
      await insertRows(to, table, rows);
    } catch (error) {
      throw new MoveError(
        `PostgreSQL rejected rows of ${table}: ${(error as Error).message}. Nothing was copied.`,
        {
          cause: error,
        },
      );
    }
  }
  if (tableKeys[table][0] === 'sequence') await continueNumbering(from, to, table);
  return digest.result;
}

/** Continues the sequences, including numbers of deleted rows, because cursors may contain them. */
async function continueNumbering(from: Database, to: Database, table: TableName): Promise<void> {
  const last = sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`;
  const [row] = (await last.execute(from)).rows;
  if (row === undefined || row.seq < 1) return;
  await sql`select setval(pg_get_serial_sequence(${table}, 'sequence'), ${row.seq})`.execute(to);
}

async function insertRows(to: Database, table: TableName, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(to);
}

/** Compares the copy before the commit. */
async function refuseDifference(to: Database, copied: TableDigest[]): Promise<void> {
  for (const { table, rows, sum } of copied) {
    const digest = new Digest(table);
    for await (const page of pages(to, table as TableName)) digest.add(page);
    const { result } = digest;
    if (result.rows === rows && result.sum === sum) continue;
    throw new MoveError(
      `${table} differs: ${result.rows} rows in PostgreSQL, ${rows} in SQLite. Nothing was copied.`,
    );
  }
}

/** All rows in batches, in the order of each database. */
async function* pages(database: Database, table: TableName): AsyncGenerator<Row[]> {
  const keys = tableKeys[table];
  const columns = sql.join(keys.map((key) => sql.ref(key)));
  let after: RawBuilder<unknown> = sql``;
  for (;;) {
    const query = sql<Row>`select * from ${sql.table(table)} ${after} order by ${columns} limit ${sql.lit(batchSize)}`;
    const { rows } = await query.execute(database);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < batchSize) return;
    after = sql`where (${columns}) > (${sql.join(keys.map((key) => last[key]))})`;
  }
}

const modulus = 2n ** 256n;

class Digest {
  readonly #table: string;
  #rows = 0;
  #sum = 0n;

  constructor(table: string) {
    this.#table = table;
  }

  add(rows: Row[]): void {
    for (const row of rows) {
      const text = JSON.stringify(Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1)));
      const hash = createHash('sha256').update(text).digest('hex');
      this.#sum = (this.#sum + BigInt(`0x${hash}`)) % modulus;
    }
    this.#rows += rows.length;
  }

  get result(): TableDigest {
    return { table: this.#table, rows: this.#rows, sum: this.#sum.toString(16).padStart(64, '0') };
  }
}

const fileNames = ['bundle.tar.gz', 'manifest.json', 'report.json'] as const satisfies ExportFile[];

export interface CopiedBlobs {
  objects: number;
  bytes: number;
  /** Objects that an earlier attempt had already copied. */
  kept: number;
}

export async function copyBlobs(
  from: Blobs,
  to: Blobs,
  onProgress: (sofar: CopiedBlobs) => void = () => {},
): Promise<CopiedBlobs> {
  await to.check();
  const copied = { objects: 0, bytes: 0, kept: 0 };
  for await (const { owner, generations } of from.listOwners()) {
    for (const generation of generations) {
      for (const name of fileNames.map((file) => `${owner}/${generation}/${file}`)) {
        const found = await from.stat(name);
        if (found === undefined) continue;
        const isSkipped = await copyBlob(from, to, { name, sizeBytes: found.sizeBytes });
        copied.objects += 1;
        copied.bytes += found.sizeBytes;
        copied.kept += isSkipped ? 1 : 0;
        onProgress(copied);
      }
    }
  }
  return copied;
}

/** True when the object already existed. */
async function copyBlob(
  from: Blobs,
  to: Blobs,
  { name, sizeBytes }: { name: string; sizeBytes: number },
): Promise<boolean> {
  const there = await to.stat(name);
  if (there?.sizeBytes === sizeBytes && (await hashOf(from, name)) === (await hashOf(to, name))) return true;
  const hash = createHash('sha256');
  async function* through() {
    for await (const chunk of from.read(name) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await to.putStream(name, Readable.from(through()));
  if ((await hashOf(to, name)) !== hash.digest('hex'))
    throw new MoveError(`${name} was corrupted during the copy. Run the command again.`);
  return false;
}

async function hashOf(blobs: Blobs, name: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of blobs.read(name) as AsyncIterable<Uint8Array>) hash.update(chunk);
  return hash.digest('hex');
}
