/**
 * Whether code of the authors may run while a site is rendered: only behind the walls that the operator insists on. Without
 * them every other page is rendered, and such a page says what is missing.
 */
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { findIsolation, type Isolation, type IsolationLevel } from './isolation.ts';

export type CustomCode = 'run' | { refused: string };

export async function judgeCustomCode(
  context: Pick<Context, 'config' | 'database'>,
): Promise<{ isolation: Isolation; customCode: CustomCode }> {
  const [isolation, least] = await Promise.all([findIsolation(), leastLevel(context)]);
  return { isolation, customCode: customCodeAt(isolation, least) };
}

export function customCodeAt(
  { level, statement }: Pick<Isolation, 'level' | 'statement'>,
  least: IsolationLevel,
): CustomCode {
  if (level >= least) return 'run';
  return {
    refused: `Isolation is at level ${level}, and RENDER_ISOLATION_MIN asks for ${least}. ${statement}`,
  };
}

/** What the operator has set; otherwise one tenant must be kept from others, and a single one only from the machine's limits. */
export async function leastLevel({
  config,
  database,
}: Pick<Context, 'config' | 'database'>): Promise<IsolationLevel> {
  if (config.renderIsolationMin !== null) return config.renderIsolationMin;
  const some = await database.selectFrom('organizations').select('id').limit(2).execute();
  return leastLevelFor(some.length);
}

/** Elsewhere than on Linux there is no way to limit a process: there it is for those who write on their own machine. */
function leastLevelFor(organizations: number): NonNullable<Config['renderIsolationMin']> {
  if (organizations > 1) return 3;
  return process.platform === 'linux' ? 1 : 0;
}
