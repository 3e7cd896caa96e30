/**
 * `docyard migrate-data`: from SQLite in a data folder to PostgreSQL, for an installation that has outgrown one machine.
 */
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
    .description('Copy everything from SQLite to an empty PostgreSQL database. The service must be stopped.')
    .option('--to <url>', 'postgres://… of the new database (default: DATABASE_URL)')
    .option('--blobs-to <url>', 's3://bucket/… or file:///folder to copy the bundles to')
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
    throw new CommandError('Where to? Give --to postgres://…, or set DATABASE_URL.', 'usage');
  if (!existsSync(join(dataDir, 'docyard.db')))
    throw new CommandError(`${dataDir} holds no Docyard data. Name its folder with --data.`);
  const say = (line: string) => {
    if (!options.json) process.stdout.write(`${line}\n`);
  };
  const unlock = await lockDataFolder(dataDir);
  try {
    // Bundles first: they may lie there for a while without rows, never the other way round.
    const blobs =
      options.blobsTo === undefined
        ? undefined
        : await move.copyBlobs(await openBlobs({ blobsUrl: null, dataDir }), await openBlobs(target));
    if (blobs !== undefined)
      say(`Copied ${blobs.objects} objects, ${(blobs.bytes / 1e6).toFixed(1)} MB, and read each one back.`);
    const from = await openTables({ databaseUrl: null, dataDir });
    const to = await openTables({ databaseUrl, dataDir });
    try {
      // Leaves their fingerprint among the rows: a process with other secrets will not start on the copy.
      const { secretKey, secretKeyPrevious, signingKey } = target;
      await openSecrets({ dataDir, secretKey, secretKeyPrevious, signingKey, databaseUrl: null }, from);
      const tables = await move.copyTables(from, to, ({ table, rows }) => say(`  ${table}: ${rows}`));
      say('Every table has the same rows on both sides. Committed.\n');
      say(nextSteps(dataDir, options.blobsTo));
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
    '  DATABASE_URL     the address that you have just used',
    `  BLOBS_URL        ${blobs}`,
    `  SECRET_KEY_FILE  a copy of ${join(dataDir, 'secrets.json')}, or the SECRET_KEY that was set before`,
    'Jobs that were waiting or running go on by themselves. Do not start the service without DATABASE_URL any more:',
    'what it did then would not be in PostgreSQL.',
  ].join('\n');
}
