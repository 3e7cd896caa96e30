import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { MemoryCache } from '../../test/support/memory-cache.ts';
import { fixture, renderFixture } from '../../test/support/render-fixture.ts';

vi.mock(import('../pipeline/process-pool.ts'), () => import('../../test/support/in-process-pool.ts'));

const fixtures = readdirSync(fixture('.'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:^|\/)(?:docs|mint)\.json$/.test(file))
  .map(dirname)
  .toSorted();

async function built(name: string, cache?: MemoryCache) {
  const reused: string[] = [];
  const { files, reportFiles, diagnostics } = await renderFixture(name, {
    ...(cache && {
      cache,
      engine: 'test',
      onCacheDecision: ({ output, isReused }) => isReused && reused.push(output),
    }),
  });
  const findings = diagnostics.map((finding) => JSON.stringify(finding)).toSorted();
  return { output: { files, reportFiles, findings }, reused };
}

describe('the fixture', () => {
  it.each(fixtures)(
    'the fixture %s has the same output with an empty, a warm and a damaged cache',
    async (name) => {
      const { output: fresh } = await built(name);
      const cache = new MemoryCache();
      expect((await built(name, cache)).output).toEqual(fresh);
      const hasPages = [...cache.values.keys()].some((key) => key.startsWith('summary:'));
      const warm = await built(name, cache);
      expect(warm.output).toEqual(fresh);
      expect(warm.reused.length > 0).toBe(hasPages);
      cache.damage(name.length);
      expect((await built(name, cache)).output).toEqual(fresh);
    },
  );
});
