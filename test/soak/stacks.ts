/** The two installations of a soak: one process with a folder, or four processes with PostgreSQL and Ceph. */
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startPostgres } from '../postgres.ts';
import { startRgw } from '../rgw.ts';
import { startService, temporaryFolder, type Service } from '../service.ts';

export type StackName = 'single' | 'scale';

export interface Stack {
  /** With the name that figures use. */
  processes: { name: string; service: Service }[];
  /** The processes that answer requests. */
  apis: Service[];
  key: string;
  /** Rows by table, including the tables of the queue. */
  countRows(): Promise<Map<string, number>>;
  /** Bytes in the data folders, without the build cache and the database, whose size follows from its rows. */
  diskBytes(): number;
  buildCacheBytes(): number;
  countObjects(): Promise<number>;
  /** Returns the exit statuses of the processes. */
  stop(): Promise<(number | null)[]>;
  remove(): Promise<void>;
}

export async function startStack(name: StackName, environment: Record<string, string>): Promise<Stack> {
  return name === 'single' ? startSingle(environment) : startScale(environment);
}

async function startSingle(environment: Record<string, string>): Promise<Stack> {
  const dataDir = temporaryFolder('soak');
  const service = await startService({ dataDir, workingFolder: dataDir, sample: false, environment });
  return {
    processes: [{ name: 'process', service }],
    apis: [service],
    key: service.key,
    async countRows() {
      const database = new DatabaseSync(join(dataDir, 'docyard.db'), { readOnly: true, timeout: 5000 });
      try {
        const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all();
        return new Map(
          tables.map(({ name: table }) => {
            const counted = database.prepare(`select count(*) as count from "${String(table)}"`).get();
            return [String(table), Number(counted?.['count'])];
          }),
        );
      } finally {
        database.close();
      }
    },
    diskBytes: () => bytesBelow(dataDir, isLasting),
    buildCacheBytes: () => bytesBelow(dataDir, isBuildCache),
    countObjects: async () => filesBelow(join(dataDir, 'blobs')).length,
    stop: async () => [await service.stop()],
    remove: async () => {},
  };
}

async function startScale(environment: Record<string, string>): Promise<Stack> {
  const [postgres, rgw] = await Promise.all([startPostgres({ durable: true }), startRgw()]);
  const [databaseUrl, blobsUrl] = await Promise.all([postgres.createDatabase(), rgw.createBucket()]);
  const shared = {
    ...environment,
    ...rgw.credentials,
    DATABASE_URL: databaseUrl,
    BLOBS_URL: blobsUrl,
    SECRET_KEY: randomBytes(32).toString('hex'),
  };
  const processes: Stack['processes'] = [];
  for (const role of ['api', 'worker'] as const) {
    for (const number of [1, 2]) {
      const dataDir = temporaryFolder(`soak-${role}`);
      const service = await startService({
        role,
        dataDir,
        workingFolder: dataDir,
        sample: false,
        environment: shared,
      });
      processes.push({ name: `${role} ${number}`, service });
    }
  }
  const services = processes.map(({ service }) => service);
  const apis = services.slice(0, 2);
  const listTables = `select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in ('public', 'pgboss')`;
  return {
    processes,
    apis,
    key: apis[0]?.key ?? '',
    async countRows() {
      const tables = (await postgres.query(databaseUrl, listTables)).split('\n');
      const counts = tables.map((table) => `select '${table}', count(*) from ${table}`);
      const rows = (await postgres.query(databaseUrl, counts.join(' union all '))).split('\n');
      return new Map(
        rows.map((row) => {
          const [table = '', count] = row.split('|');
          return [table.replace(/^public\./, ''), Number(count)];
        }),
      );
    },
    diskBytes: () => services.reduce((sum, { dataDir }) => sum + bytesBelow(dataDir, isLasting), 0),
    buildCacheBytes: () => services.reduce((sum, { dataDir }) => sum + bytesBelow(dataDir, isBuildCache), 0),
    countObjects: async () => (await rgw.listObjects(blobsUrl)).length,
    stop: () => Promise.all(services.map((service) => service.stop())),
    async remove() {
      await Promise.all([postgres.remove(), rgw.remove()]);
    },
  };
}

const databaseFile = /docyard\.db(-wal|-shm)?$/;

const isBuildCache = (file: string): boolean => file.includes('/cache/exports/');
const isLasting = (file: string): boolean => !databaseFile.test(file) && !isBuildCache(file);

function bytesBelow(folder: string, isCounted: (file: string) => boolean): number {
  return filesBelow(folder)
    .filter(isCounted)
    .reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Files may disappear while they are listed. */
function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() ? [path] : [];
    });
  } catch {
    return [];
  }
}
