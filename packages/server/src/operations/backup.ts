/**
 * Backs up the data folder while the service runs: a consistent snapshot of the database, the secrets and the
 * bundles. PostgreSQL and S3 buckets are only named; they have their own backup tools.
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import type { Config } from '../config.ts';
import { version } from '../version.ts';
import { packArchive, type Manifest } from './archive.ts';

type Located = Pick<Config, 'dataDir' | 'databaseUrl' | 'blobsUrl' | 'secretKey'>;
type Facts = Omit<Manifest, 'format' | 'files'>;

/** Writes `file` atomically, readable only by the owner. */
export async function backUp(config: Located, file: string, options: { blobs: boolean }): Promise<Facts> {
  const scratch = await mkdtemp(join(dirname(file), `.${basename(file)}-`));
  const unfinished = join(scratch, 'backup.tar.gz');
  try {
    const database = config.databaseUrl === null ? copyDatabase(config.dataDir, scratch) : undefined;
    const blobsFolder = options.blobs ? folderOfBlobs(config) : undefined;
    const facts: Facts = {
      version,
      createdAt: new Date().toISOString(),
      database: database === undefined ? 'postgres' : 'sqlite',
      migrations: database?.migrations ?? [],
      secrets: config.secretKey === null ? 'included' : 'SECRET_KEY',
      blobs: blobsFolder !== undefined ? 'included' : options.blobs ? 'elsewhere' : 'left out',
    };
    // The database comes first: objects are stored before the row that names them, so every named object is included.
    const files = filesOf(config, { database: database?.file, blobsFolder });
    const output = createWriteStream(unfinished, { mode: 0o600, flush: true });
    await pipeline(Readable.from(packArchive(files, facts)), createGzip({ level: 3 }), output);
    await rename(unfinished, file);
    return facts;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A consistent snapshot of a database in use. */
function copyDatabase(dataDir: string, scratch: string): { file: string; migrations: string[] } {
  const file = join(scratch, `${randomBytes(4).toString('hex')}.db`);
  const connection = new DatabaseSync(join(dataDir, 'docyard.db'), { timeout: 10_000 });
  try {
    connection.prepare('VACUUM INTO ?').run(file);
  } finally {
    connection.close();
  }
  const copy = new DatabaseSync(file);
  try {
    const rows = copy.prepare('SELECT name FROM kysely_migration ORDER BY name').all();
    return { file, migrations: rows.map(({ name }) => String(name)) };
  } finally {
    copy.close();
  }
}

function folderOfBlobs({ blobsUrl, dataDir }: Located): string | undefined {
  if (blobsUrl === null) return join(dataDir, 'blobs');
  return blobsUrl.startsWith('file:') ? fileURLToPath(blobsUrl) : undefined;
}

async function* filesOf(
  config: Located,
  places: { database: string | undefined; blobsFolder: string | undefined },
): AsyncGenerator<{ name: string; handle: FileHandle }> {
  if (places.database !== undefined) yield { name: 'docyard.db', handle: await open(places.database) };
  if (config.secretKey === null) {
    yield { name: 'secrets.json', handle: await open(join(config.dataDir, 'secrets.json')) };
  }
  if (places.blobsFolder !== undefined) yield* filesBelow(places.blobsFolder, 'blobs');
  yield* filesBelow(join(config.dataDir, 'sample-docs'), 'sample-docs');
}

/** Retention may remove files in the meantime; unfinished files have temporary names. */
async function* filesBelow(
  folder: string,
  name: string,
): AsyncGenerator<{ name: string; handle: FileHandle }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path, `${name}/${entry.name}`);
    if (!entry.isFile() || entry.name.endsWith('.tmp')) continue;
    const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    if (handle !== undefined) yield { name: `${name}/${entry.name}`, handle };
  }
}
