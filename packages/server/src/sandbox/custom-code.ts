/**
 * Decides whether custom code may run while a site is rendered: only at the isolation level that the operator
 * requires. Otherwise pages with custom code report what is missing.
 */
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { findIsolation, type Isolation, type IsolationLevel } from './isolation.ts';

export type CustomCode = 'run' | { refused: string };

export async function judgeCustomCode(
  context: Pick<Context, 'config' | 'database'>,
): Promise<{ isolation: Isolation; customCode: CustomCode }> {
  const [isolation, required] = await Promise.all([findIsolation(), minLevel(context)]);
  return { isolation, customCode: customCodeAt(isolation, required) };
}

export function customCodeAt(
  { level, statement }: Pick<Isolation, 'level' | 'statement'>,
  required: IsolationLevel,
): CustomCode {
  if (level >= required) return 'run';
  return {
    refused: `Isolation is at level ${level}, and RENDER_ISOLATION_MIN requires ${required}. ${statement}`,
  };
}

/** Without a setting, several organizations need full isolation, and a single one only resource limits. */
export async function minLevel({
  config,
  database,
}: Pick<Context, 'config' | 'database'>): Promise<IsolationLevel> {
  if (config.renderIsolationMin !== null) return config.renderIsolationMin;
  const some = await database.selectFrom('organizations').select('id').limit(2).execute();
  return minLevelFor(some.length);
}

/** Only Linux can limit processes; on other systems authors render their own sites. */
function minLevelFor(organizations: number): NonNullable<Config['renderIsolationMin']> {
  if (organizations > 1) return 3;
  return process.platform === 'linux' ? 1 : 0;
}
