/** `docyard migrate`: applies or lists pending migrations. The service also applies them when it starts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { addLocalOptions, type LocalOptions } from './local.ts';

export function describeMigrate(command: Command): void {
  command.description('Apply pending database migrations.');
  addLocalOptions(command, false)
    .option('--plan', 'list pending migrations without applying them')
    .addHelpText('after', '\nExample:\n  docyard migrate --plan --data /var/lib/docyard')
    .action(migrate);
}

async function migrate(options: LocalOptions & { plan?: boolean }): Promise<void> {
  const [{ readConfig }, { openTables, listMigrations }, { lockDataFolder }] = await Promise.all([
    import('../config.ts'),
    import('../compose.ts'),
    import('../data-folder.ts'),
  ]);
  const given = options.data === undefined ? {} : { DATA_DIR: options.data };
  const config = readConfig({ ...process.env, ...given });
  const isEmbedded = config.databaseUrl === null;
  if (isEmbedded && !existsSync(join(config.dataDir, 'docyard.db')))
    throw new CommandError(`${config.dataDir} contains no Docyard data. Pass the data folder with --data.`);
  const unlock = isEmbedded && options.plan !== true ? await lockDataFolder(config.dataDir) : undefined;
  try {
    let applied: string[] = [];
    const opening = options.plan
      ? { skipMigrations: true }
      : { applied: (names: string[]) => (applied = names) };
    const database = await openTables(config, opening);
    const { known, newer } = await listMigrations(database);
    await database.destroy();
    const pending = known.filter(({ appliedAt }) => appliedAt === null).map(({ name }) => name);
    const result = options.plan ? { pending, newer } : { applied };
    const text = options.plan ? formatPlan(pending, newer) : formatApplied(applied);
    process.stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : text);
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

function formatApplied(applied: string[]): string {
  if (applied.length === 0) return 'The database was already up to date.\n';
  return `${steps(applied.length)} done: ${applied.join(', ')}.\n`;
}

function steps(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`;
}
