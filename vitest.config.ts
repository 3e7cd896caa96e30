import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    /** On two cores the default is one at a time, and most tests wait for other processes. */
    maxWorkers: Math.max(2, availableParallelism() - 1),
    /** A browser on a machine that is busy with something else may miss a moment; a broken one misses it twice. */
    retry: process.env['CI'] ? 1 : 0,
  },
});
