/**
 * `docyard backup` and `docyard restore`: everything of a data folder in one file, and back.
 */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Manifest } from '../operations/archive.ts';
import { CommandError } from './errors.ts';

interface BackupOptions {
  data?: string;
  blobs: boolean;
}

export function describeBackup(command: Command): void {
  command
    .description('Write everything that is kept to one file, also while the service runs.')
    .argument('<file>', 'where to, such as docyard-backup.tar.gz')
    .option('-d, --data <folder>', 'data folder of the service (default: ./data)')
    .option('--no-blobs', 'leave out the bundles; exports can be made again')
    .addHelpText('after', '\nExample:\n  docyard backup docyard-backup.tar.gz --data /var/lib/docyard')
    .action(backup);
}

export function describeRestore(command: Command): void {
  command
    .description('Put a backup into an empty data folder.')
    .argument('<file>', 'a file that docyard backup has written')
    .requiredOption('-d, --data <folder>', 'the folder; it must be empty or not exist')
    .addHelpText('after', '\nExample:\n  docyard restore docyard-backup.tar.gz --data ./restored')
    .action(restore);
}

async function backup(file: string, options: BackupOptions): Promise<void> {
  const [{ readConfig }, { backUp }] = await Promise.all([
    import('../config.ts'),
    import('../operations/backup.ts'),
  ]);
  const given = options.data === undefined ? {} : { DATA_DIR: options.data };
  const config = readConfig({ ...process.env, ...given });
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'docyard.db')))
    throw new CommandError(`${config.dataDir} holds no Docyard data. Name its folder with --data.`);
  const target = resolve(file);
  if (existsSync(target)) throw new CommandError(`${file} is there already. Choose another name.`);
  const made = await backUp(config, target, options);
  const { size } = await stat(target);
  const lines = [`Wrote ${file} (${(size / 1e6).toFixed(1)} MB).`, ...missingFrom(made)];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function restore(file: string, options: { data: string }): Promise<void> {
  const [{ restore: restoreTo, RestoreError }, { ArchiveError }, { knownMigrations }] = await Promise.all([
    import('../operations/restore.ts'),
    import('../operations/archive.ts'),
    import('../compose.ts'),
  ]);
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}.`);
  const folder = resolve(options.data);
  const restored = await restoreTo(file, folder, knownMigrations).catch((error: unknown) => {
    if (error instanceof ArchiveError)
      throw new CommandError(`${file} cannot be restored. ${error.message} Nothing was written.`);
    if (error instanceof RestoreError) throw new CommandError(error.message);
    throw error;
  });
  const lines = [
    `Restored ${restored.files.length} files of ${restored.createdAt} to ${folder}.`,
    ...missingFrom(restored),
    `Start it with: docyard serve --data ${options.data}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** What somebody must see to, besides this file. */
function missingFrom({
  database,
  secrets,
  blobs,
}: Pick<Manifest, 'database' | 'secrets' | 'blobs'>): string[] {
  return [
    database === 'postgres' &&
      'It does not hold the database: back up PostgreSQL with pg_dump --format=custom, restore it with pg_restore.',
    secrets === 'SECRET_KEY' &&
      'It does not hold the secrets: keep SECRET_KEY itself. Without it no API key and no project secret can be used.',
    secrets === 'included' && 'It holds the secrets of the installation. Keep it as safe as the data folder.',
    blobs === 'elsewhere' && 'It does not hold the bundles: they are in the bucket that BLOBS_URL names.',
    blobs === 'left out' && 'It does not hold the bundles: exports from before must be made again.',
  ].filter((line) => line !== false);
}
