/** `docyard migrate-data`: copies an installation from SQLite to PostgreSQL. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from './errors.ts';

interface MigrateDataOptions {
  to?: string;
  blobsTo?: string;
  data?: string;
  json?: boolean;
}

export function describeMigrateData(command: Command): void {
  command
    .description('Copy all data from SQLite to an empty PostgreSQL database. Stop the service first.')
    .option('--to <url>', 'postgres:// URL of the new database (default: DATABASE_URL)')
    .option('--blobs-to <url>', 'also copy the bundles to s3://bucket/… or file:///folder')
    .option('-d, --data <folder>', 'data folder to copy from (default: ./data)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  docyard migrate-data --to postgres://docyard@db.example.com/docyard')
    .action(migrateData);
}

async function migrateData(options: MigrateDataOptions): Promise<void> {
  const [{ readConfig }, { openTables, openBlobs }, { lockDataFolder }, { openSecrets }, move] =
    await Promise.all([
      import('../config.ts'),
      import('../compose.ts'),
      import('../data-folder.ts'),
      import('../secrets.ts'),
      import('../operations/move.ts'),
    ]);
  const environment = { ...process.env, ...(options.data === undefined ? {} : { DATA_DIR: options.data }) };
  const target = readConfig({
    ...environment,
    ...(options.to === undefined ? {} : { DATABASE_URL: options.to, DATABASE_URL_FILE: '' }),
    ...(options.blobsTo === undefined ? {} : { BLOBS_URL: options.blobsTo }),
  });
  const { databaseUrl, dataDir } = target;
  if (databaseUrl === null)
    throw new CommandError('No target database. Pass --to postgres://…, or set DATABASE_URL.', 'usage');
  if (!existsSync(join(dataDir, 'docyard.db')))
    throw new CommandError(`${dataDir} contains no Docyard data. Pass the data folder with --data.`);
  const report = (line: string) => {
    if (!options.json) process.stdout.write(`${line}\n`);
  };
  const unlock = await lockDataFolder(dataDir);
  try {
    // Bundles first: a bundle without a row is harmless, a row without a bundle is not.
    const blobs =
      options.blobsTo === undefined
        ? undefined
        : await move.copyBlobs(await openBlobs({ blobsUrl: null, dataDir }), await openBlobs(target));
    if (blobs !== undefined)
      report(`Copied and verified ${blobs.objects} objects, ${(blobs.bytes / 1e6).toFixed(1)} MB.`);
    const from = await openTables({ databaseUrl: null, dataDir });
    const to = await openTables({ databaseUrl, dataDir });
    try {
      // Records the fingerprint, so that a process with other secrets cannot start on the copy.
      const { secretKey, secretKeyPrevious, signingKey } = target;
      await openSecrets({ dataDir, secretKey, secretKeyPrevious, signingKey, databaseUrl: null }, from);
      const tables = await move.copyTables(from, to, ({ table, rows }) => report(`  ${table}: ${rows}`));
      report('Verified that every table has the same rows. Committed.\n');
      report(nextSteps(dataDir, options.blobsTo));
      if (options.json)
        process.stdout.write(`${JSON.stringify({ tables, blobs: blobs ?? null }, null, 2)}\n`);
    } finally {
      await Promise.all([from.destroy(), to.destroy()]);
    }
  } catch (error) {
    throw error instanceof move.MoveError ? new CommandError(error.message) : error;
  } finally {
    unlock();
  }
}

function nextSteps(dataDir: string, blobsTo: string | undefined): string {
  const blobs = blobsTo ?? `file://${join(dataDir, 'blobs')}`;
  return [
    'Start every process with:',
    '  DATABASE_URL     the URL that you have just used',
    `  BLOBS_URL        ${blobs}`,
    `  SECRET_KEY_FILE  a copy of ${join(dataDir, 'secrets.json')}, or the SECRET_KEY that was set before`,
    'Queued and running jobs resume automatically. Do not start the service without DATABASE_URL again:',
    'its changes would not be in PostgreSQL.',
  ].join('\n');
}
