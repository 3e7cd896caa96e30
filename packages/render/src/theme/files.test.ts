import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { themeFiles } from './files.ts';

const files = new Map(
  (await themeFiles()).map(({ path, content }) => [path.replace('_docyard/', ''), content]),
);
const packedBytes = (name: string): number => gzipSync(files.get(name) ?? '').length;

describe('the files every page loads', () => {
  it('stay within their budgets', () => {
    expect(packedBytes('app.js') + packedBytes('theme.js')).toBeLessThan(15_000);
    expect(packedBytes('style.css')).toBeLessThan(20_000);
  });

  it('ask no other host for anything', () => {
    for (const name of ['app.js', 'theme.js', 'style.css'])
      expect(files.get(name)).not.toMatch(/https?:|\/\/[a-z]|@import|fetch\(|url\(/);
  });
});
