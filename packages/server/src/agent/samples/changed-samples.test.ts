import { describe, expect, test } from 'vitest';
import { changedSamples } from './changed-samples.ts';

describe('the samples of a change', () => {
  const fence = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\`\n`;
  const samples = (before: string | null, after: string | null, path = 'a.mdx') =>
    changedSamples([{ path, before, after }], new Set(['bash', 'python'])).map(({ line, code }) => [
      line,
      code,
    ]);

  test('are the blocks that the page did not have before', () => {
    const old = fence('bash', 'echo old');
    const after = `Words.\n${old}${fence('Python title.py', 'print(1)')}${old}`;
    expect(samples(old, after)).toEqual([
      [6, 'print(1)'],
      [9, 'echo old'],
    ]);
    expect(samples(null, old)).toEqual([[2, 'echo old']]);
    expect(samples(old, null)).toEqual([]);
  });

  test('are in a language with a command, not empty, in a page, and without norun', () => {
    const after = [
      fence('ruby', 'puts 1'),
      fence('', 'text'),
      fence('bash', ''),
      fence('bash deploy.sh norun', 'rm -r build'),
    ].join('');
    expect(samples(null, after)).toEqual([]);
    expect(samples(null, fence('bash', 'true'), 'a.json')).toEqual([]);
  });

  test('include one that loses norun', () => {
    expect(samples(fence('bash norun', 'true'), fence('bash', 'true'))).toEqual([[2, 'true']]);
  });
});
