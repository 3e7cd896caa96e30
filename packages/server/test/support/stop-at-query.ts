/** A context whose process ends before a chosen query: that one and all later ones fail. */
import type { KyselyPlugin } from 'kysely';
import type { TestContext } from './test-context.ts';

export interface StoppingContext {
  context: TestContext;
  /** The number of queries that were tried, including the one at which it stopped. */
  tried(): number;
}

export function stopAtQuery(context: TestContext, stopAt: number): StoppingContext {
  let tried = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      tried += 1;
      if (tried >= stopAt) throw new Error('The process ended.');
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const database = context.database.withPlugin(plugin);
  return { context: { ...context, database }, tried: () => tried };
}
