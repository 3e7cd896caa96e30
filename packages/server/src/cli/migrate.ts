/**
 * `docyard migrate`: applies or lists pending migrations, and ends. The service also applies them when it starts, unless
 * AUTO_MIGRATE is off.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { addLocalOptions, type LocalOptions } from './local.ts';

export function describeMigrate(command: Command): void {
  command.description('Apply pending database migrations and exit.');
  addLocalOptions(command, false)
    .option('--plan', 'list pending migrations without applying them')
    .option('--no-backup', 'do not copy an SQLite database before it is migrated')
    .addHelpText('after', '\nExample:\n  docyard migrate --plan --data /var/lib/docyard')
    .action(migrate);
}

interface MigrateOptions extends LocalOptions {
  plan?: boolean;
  backup: boolean;
}

async function migrate(options: MigrateOptions): Promise<void> {
  const [{ readConfig }, { openTables, listMigrations, migrateQueue }, { lockDataFolder }] =
    await Promise.all([import('../config.ts'), import('../compose.ts'), import('../data-folder.ts')]);
  const given = options.data === undefined ? {} : { DATA_DIR: options.data };
  const config = readConfig({ ...process.env, ...given });
  const isEmbedded = config.databaseUrl === null;
  if (isEmbedded && !existsSync(join(config.dataDir, 'docyard.db')))
    throw new CommandError(`${config.dataDir} contains no Docyard data. Pass the data folder with --data.`);
  const unlock = isEmbedded && options.plan !== true ? await lockDataFolder(config.dataDir) : undefined;
  try {
    const result: Applied = { applied: [], backup: null };
    const database = await openTables(
      config,
      options.plan
        ? { pending: 'leave' }
        : {
            backup: options.backup,
            migrating: ({ backup }) => (result.backup = backup),
            applied: (names) => (result.applied = names),
          },
    );
    const { known, newer } = await listMigrations(database);
    await database.destroy();
    if (!options.plan && config.databaseUrl !== null) await migrateQueue(config.databaseUrl);
    const pending = known.filter(({ appliedAt }) => appliedAt === null).map(({ name }) => name);
    const text = options.plan ? formatPlan(pending, newer) : formatApplied(result);
    const record = options.plan ? { pending, newer } : result;
    process.stdout.write(options.json ? `${JSON.stringify(record, null, 2)}\n` : text);
    if (newer.length > 0) process.exitCode = 1;
  } finally {
    unlock?.();
  }
}

function formatPlan(pending: string[], newer: string[]): string {
  if (newer.length > 0)
    return `A newer version of Docyard has migrated this database (${newer.join(', ')}). This version cannot use it.\n`;
  if (pending.length === 0) return 'The database is up to date.\n';
  const lines = [
    `${steps(pending.length)} to do:`,
    ...pending.map((name) => `  ${name}`),
    'Nothing was changed. Run docyard migrate or start the service to apply them.',
  ];
  return `${lines.join('\n')}\n`;
}

interface Applied {
  applied: string[];
  /** The file of the copy that was made before, of SQLite. */
  backup: string | null;
}

function formatApplied({ applied, backup }: Applied): string {
  if (applied.length === 0) return 'The database was already up to date.\n';
  const copied = backup === null ? '' : `Copied the database to ${backup}.\n`;
  return `${copied}${steps(applied.length)} done: ${applied.join(', ')}.\n`;
}

function steps(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`;
}
