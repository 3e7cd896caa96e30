/**
 * Compares the figures in the README and the manual with the committed report, and checks the corpus. `npm run bench --
 * --results bench/results` renews the figures.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawChart } from '../bench/chart.ts';
import { writeCorpus } from '../bench/corpus.ts';
import { filesBelow } from '../bench/plain-files.ts';
import { published } from '../bench/published-figures.ts';
import { renameInCode } from '../bench/rename-in-code.ts';
import { root } from './deploy/dockerfile.ts';
import { temporaryFolder } from './service.ts';

it.each([...published()])('%s shows what was measured', (file, content) => {
  expect(readFileSync(join(root, file), 'utf8')).toBe(content);
});

describe('the corpus', () => {
  const pages = (): Map<string, string> => {
    const { folder } = writeCorpus(temporaryFolder('corpus'), 40, { extension: 'md' });
    return new Map(filesBelow(folder).map((file) => [file.slice(folder.length), readFileSync(file, 'utf8')]));
  };
  const first = pages();

  it('is the same every time', () => {
    expect(pages()).toEqual(first);
  });

  it('has no code block twice', () => {
    const blocks = [...first.values()].flatMap((text) => text.match(/^```[^]*?^``` *$/gm) ?? []);
    expect(blocks.length).toBeGreaterThan(100);
    expect(new Set(blocks).size).toBe(blocks.length);
  });
});

describe('a renamed code block', () => {
  it('keeps the words of its language, and changes a name wherever it stands', () => {
    const block = '```js\nimport { add } from "sums";\nconst total = add(1);\nexport default total;\n```';
    expect(renameInCode(block, 7)).toBe(
      '```js\nimport { add } from "sums";\nconst total7 = add(1);\nexport default total7;\n```',
    );
  });

  it('changes what it can when nothing is declared', () => {
    expect(renameInCode('```js\nreturn fetchAll(this);\n```', 7)).toBe('```js\nreturn fetchAll7(this);\n```');
    expect(renameInCode('```sh\nnpm install\n```', 7)).toBe('```sh\nnpm install7\n```');
    expect(renameInCode('```\n1 + 1\n```', 7)).toBe('```\n7 1 + 1\n```');
  });
});

it('a chart shows every bar with its value, the longest across the whole width', () => {
  const bars = [
    { label: 'Docyard', value: 2, text: '2 s', isOwn: true },
    { label: 'Other <one>', value: 8, text: '8 s' },
  ];
  const svg = drawChart([{ title: 'Seconds', about: '', bars }], { title: 'Times', footer: 'today' });
  const widths = [...svg.matchAll(/width="([\d.]+)" height="16" rx="4" class="(?:bar|own)"/g)].map(
    ([, width]) => Number(width),
  );
  expect(widths[1]).toBe((widths[0] ?? 0) * 4);
  expect(svg).toContain('>Other &lt;one></text>');
  expect(svg).toContain('>8 s</text>');
});
