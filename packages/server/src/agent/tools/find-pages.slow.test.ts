import { expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-bench.ts';
import { findPages } from './find-pages.ts';

const nouns =
  'token server webhook secret queue project event export schema layout invoice customer key'.split(' ');
const verbs = 'create rename rotate restore measure protect publish migrate schedule sign verify'.split(' ');

function page(number: number): string {
  const word = (list: readonly string[], step: number): string =>
    list[(number * step + step) % list.length] ?? '';
  const sections = Array.from({ length: 6 }, (_, at) => {
    const text = Array.from({ length: 30 }, (__, step) => word(step % 2 ? nouns : verbs, at + step)).join(
      ' ',
    );
    return `## ${word(verbs, at + 1)} the ${word(nouns, at + 2)} ${number}x${at}\n\n${text}\n`;
  });
  return `---\ntitle: ${word(nouns, 3)} ${number}\n---\n\n${sections.join('\n')}`;
}

test('a heading is found among 5,000 pages, with typos, and again after a change', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 5000 }, (_, at) => [`f${at % 50}/p${at}.mdx`, page(at)]),
  );
  const site = bench({
    ...files,
    'f7/p3207.mdx': `${page(3207)}\n## Rotate webhook signing secret\n\nHere.\n`,
  });
  const first = async (query: string) => (await site.run(findPages, { query })).text.split('\n').slice(1, 3);
  const expected = [
    expect.stringMatching(/^f7\/p3207\.mdx:\d+ Rotate webhook signing secret /),
    expect.stringContaining('Here.'),
  ];
  expect(await first('rotate webhook signing secret')).toEqual(expected);
  expect(await first('rotate webhok signing secrt')).toEqual(expected);
  site.write('f1/p1.mdx', '# Something\n\n## Anchor chains\n\nHeavy.\n');
  expect((await first('anchor chain'))[0]).toMatch(/^f1\/p1\.mdx:3 Anchor chains/);
}, 300_000);
