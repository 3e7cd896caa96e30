/**
 * `docyard migrate`: brings the tables up to date, or tells what that would do. The service does it by itself at its
 * start; this is for those who want to see it first, or to do it at a time of their own.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { addLocalOptions, type LocalOptions } from './local.ts';

export function describeMigrate(command: Command): void {
  command.description('Bring the tables of the database up to date.');
  addLocalOptions(command, false)
    .option('--plan', 'tell what would be done, and do nothing')
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
    throw new CommandError(`${config.dataDir} holds no Docyard data. Name its folder with --data.`);
  const unlock = isEmbedded && options.plan !== true ? await lockDataFolder(config.dataDir) : undefined;
  try {
    let applied: string[] = [];
    const opening = options.plan ? { asItIs: true } : { applied: (names: string[]) => (applied = names) };
    const database = await openTables(config, opening);
    const { known, newer } = await listMigrations(database);
    await database.destroy();
    const pending = known.filter(({ appliedAt }) => appliedAt === null).map(({ name }) => name);
    const told = options.plan ? { pending, newer } : { applied };
    const text = options.plan ? tellPlan(pending, newer) : tellApplied(applied);
    process.stdout.write(options.json ? `${JSON.stringify(told, null, 2)}\n` : text);
    if (newer.length > 0) process.exitCode = 1;
  } finally {
    unlock?.();
  }
}

function tellPlan(pending: string[], newer: string[]): string {
  if (newer.length > 0)
    return `A newer version of Docyard has changed these tables (${newer.join(', ')}). This one cannot use them.\n`;
  if (pending.length === 0) return 'The tables are up to date. There is nothing to do.\n';
  const lines = [
    `${steps(pending.length)} to do:`,
    ...pending.map((name) => `  ${name}`),
    'Nothing was changed. docyard migrate does it, and so does the next start of the service.',
  ];
  return `${lines.join('\n')}\n`;
}

function tellApplied(applied: string[]): string {
  if (applied.length === 0) return 'The tables were up to date already.\n';
  return `${steps(applied.length)} done: ${applied.join(', ')}.\n`;
}

function steps(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`;
}
