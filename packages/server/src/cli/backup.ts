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
    .description('Write a data folder to one file. The service may be running.')
    .argument('<file>', 'output file, such as docyard-backup.tar.gz')
    .option('-d, --data <folder>', 'data folder of the service (default: ./data)')
    .option('--no-blobs', 'omit the bundles; they can be exported again')
    .addHelpText('after', '\nExample:\n  docyard backup docyard-backup.tar.gz --data /var/lib/docyard')
    .action(backup);
}

export function describeRestore(command: Command): void {
  command
    .description('Restore a backup into an empty data folder.')
    .argument('<file>', 'a file written by docyard backup')
    .requiredOption('-d, --data <folder>', 'target folder; must be empty or not exist')
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
    throw new CommandError(`${config.dataDir} contains no Docyard data. Pass the data folder with --data.`);
  const target = resolve(file);
  if (existsSync(target)) throw new CommandError(`${file} already exists. Choose another name.`);
  const manifest = await backUp(config, target, options);
  const { size } = await stat(target);
  const lines = [`Wrote ${file} (${(size / 1e6).toFixed(1)} MB).`, ...missingFrom(manifest)];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function restore(file: string, options: { data: string }): Promise<void> {
  const [{ restore: restoreTo, RestoreError }, { ArchiveError }, { knownMigrations }] = await Promise.all([
    import('../operations/restore.ts'),
    import('../operations/archive.ts'),
    import('../compose.ts'),
  ]);
  if (!existsSync(file)) throw new CommandError(`File not found: ${file}.`);
  const folder = resolve(options.data);
  const restored = await restoreTo(file, folder, knownMigrations).catch((error: unknown) => {
    if (error instanceof ArchiveError)
      throw new CommandError(`Cannot restore ${file}. ${error.message} Nothing was written.`);
    if (error instanceof RestoreError) throw new CommandError(error.message);
    throw error;
  });
  const lines = [
    `Restored ${restored.files.length} files from ${restored.createdAt} to ${folder}.`,
    ...missingFrom(restored),
    `Start it with: docyard serve --data ${options.data}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function missingFrom({
  database,
  secrets,
  blobs,
}: Pick<Manifest, 'database' | 'secrets' | 'blobs'>): string[] {
  return [
    database === 'postgres' &&
      'The backup does not include the database. Back up PostgreSQL with pg_dump --format=custom and restore it with pg_restore.',
    secrets === 'SECRET_KEY' &&
      'The backup does not include the secrets. Keep SECRET_KEY: without it, API keys and project secrets are unusable.',
    secrets === 'included' &&
      'The backup includes the secrets of the installation. Protect it like the data folder.',
    blobs === 'elsewhere' && 'The backup does not include the bundles, which are in the bucket of BLOBS_URL.',
    blobs === 'left out' && 'The backup does not include the bundles. Export them again after a restore.',
  ].filter((line) => line !== false);
}
