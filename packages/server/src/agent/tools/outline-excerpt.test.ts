import { expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-bench.ts';
import { outlineExcerpts, readOutlineExcerpt } from './outline-excerpt.ts';

function largeSite(groups: number, pagesPerGroup: number) {
  const files: Record<string, string> = {};
  const navigation = Array.from({ length: groups }, (_, group) => {
    const pages = Array.from({ length: pagesPerGroup }, (_page, number) => `part-${group}/page-${number}`);
    for (const page of pages) files[`${page}.mdx`] = `---\ntitle: A page\n---\n\n## Introduction\n`;
    return { group: `Part ${group}`, pages };
  });
  files['docs.json'] = JSON.stringify({ navigation });
  return files;
}

test('a site that fits is shown completely', async () => {
  const excerpt = await readOutlineExcerpt(bench(largeSite(2, 2)).context, 'Fix it.');
  expect(excerpt(10_000)).toBe(
    [
      'Navigation in docs.json:',
      '  [Part 0]',
      '    part-0/page-0.mdx “A page”',
      '    part-0/page-1.mdx “A page”',
      '  [Part 1]',
      '    part-1/page-0.mdx “A page”',
      '    part-1/page-1.mdx “A page”',
    ].join('\n'),
  );
});

test('a page whose heading has words of the task comes first, and the others are counted', async () => {
  const files = largeSite(20, 20);
  files['part-17/page-13.mdx'] = '---\ntitle: Security\n---\n\n## Rotating webhook secrets\n';
  const excerpt = await readOutlineExcerpt(bench(files).context, 'Explain how to rotate the webhook secret.');
  const text = excerpt(2000);
  expect(text.length).toBeLessThanOrEqual(2000);
  expect(text).toContain('  [Part 17]\n    part-17/page-13.mdx “Security”\n    … 19 more pages');
  expect(text).toContain('  [Part 19]\n    … 20 more pages');
  expect(text).toMatch(/\nThe tool outline shows everything\.$/);
});

test('groups without room are part of the count above them', async () => {
  const excerpt = await readOutlineExcerpt(bench(largeSite(200, 3)).context, 'Fix it.');
  const text = excerpt(1000);
  expect(text.length).toBeLessThanOrEqual(1000);
  const counts = [...text.matchAll(/… (\d+) more/g)].map(([, count]) => Number(count));
  const shown = text.split('\n').filter((line) => line.includes('.mdx'));
  expect(counts.reduce((sum, count) => sum + count, shown.length)).toBe(600);
});

test('a configuration that cannot be read is named instead of the outline', async () => {
  const excerpt = await readOutlineExcerpt(bench({ 'docs.json': '{' }).context, 'Fix it.');
  expect(excerpt(1000)).toContain('docs.json');
});

test('words on most pages do not rank a page', () => {
  const lines = Array.from({ length: 100 }, (_, index) => ({
    text: `page ${String(index).padStart(2, '0')} ${'x'.repeat(50)}`,
    depth: 0,
    words: index === 99 ? 'guide export' : 'guide',
  }));
  expect(outlineExcerpts(lines, 'The export guide')(400).split('\n')).toContain(lines[99]?.text);
});
