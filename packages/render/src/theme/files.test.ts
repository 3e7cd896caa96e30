import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readThemeFile } from '../render-fixture.ts';

const packedBytes = async (name: string): Promise<number> => gzipSync(await readThemeFile(name)).length;

describe('the files every page loads', () => {
  it('stay within their budgets', async () => {
    expect((await packedBytes('app.js')) + (await packedBytes('theme.js'))).toBeLessThan(15_000);
    expect(await packedBytes('style.css')).toBeLessThan(20_000);
  });

  it('ask no other host for anything', async () => {
    for (const name of ['app.js', 'theme.js', 'style.css'])
      expect(await readThemeFile(name)).not.toMatch(/https?:|\/\/[a-z]|@import|fetch\(|url\(/);
  });
});
