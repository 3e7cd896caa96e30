/** Files that not every system could hold stay out of the output, and the author is told. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadSite } from '../load.ts';
import { renderSite } from '../render-site.ts';
import { OutputNames } from './output-names.ts';

const folder = mkdtempSync(join(tmpdir(), 'docyard-names-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function rendered(files: Record<string, string>) {
  const root = mkdtempSync(join(folder, 'site-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const paths: string[] = [];
  const findings: string[][] = [];
  for await (const event of renderSite(await loadSite({ root }), { concurrency: 1 })) {
    if (event.type === 'file') paths.push(event.file.path);
    if (event.type === 'diagnostic' && event.diagnostic.code === 'file_name_unusable')
      findings.push([event.diagnostic.file, event.diagnostic.message]);
  }
  return { paths, findings };
}

test('pages and pictures with such names are left out one by one, and the rest is there', async () => {
  const { paths, findings } = await rendered({
    'docs.json': '{"name":"Site","navigation":{"pages":["index","Guide","guide","aux"]}}',
    'index.mdx': '![One](/a.png) ![Two](/A.png) ![Three](/b:c.png) [Manifest](/manifest.json)',
    'Guide.mdx': 'One',
    'guide.mdx': 'Two',
    'aux.mdx': 'Three',
    'a.png': '',
    'A.png': '',
    'b:c.png': '',
    'manifest.json': '{}',
  });
  expect(paths.filter((path) => /\.(html|png)$/.test(path) && !path.startsWith('_'))).toEqual(
    expect.arrayContaining(['index.html', 'Guide.html', 'A.png']),
  );
  for (const path of ['guide.html', 'guide.md', 'aux.html', 'a.png', 'b:c.png', 'manifest.json'])
    expect(paths).not.toContain(path);
  expect(findings).toEqual([
    ['guide.mdx', 'The name "guide.html" differs from "Guide.html" only in case, so the file is left out'],
    ['aux.mdx', 'The name "aux.html" has a part that Windows reserves, so the file is left out'],
    ['a.png', 'The name "a.png" differs from "A.png" only in case, so the file is left out'],
    ['b:c.png', 'The name "b:c.png" holds a character that not every system allows, so the file is left out'],
    [
      'manifest.json',
      'The name "manifest.json" is that of a file which every export has, so the file is left out',
    ],
  ]);
});

test.each([
  ['a.', 'has a part that ends in a dot or a space'],
  ['e\u0301', 'is not in Unicode’s composed form'],
  [`${'a/'.repeat(32)}a`, 'lies more than 32 folders deep'],
  ['x'.repeat(256), 'has a part of more than 255 bytes'],
  [`${'x'.repeat(250)}/`.repeat(4) + 'x', 'has more than 1000 bytes'],
  ['page/x', 'is that of a file and of a folder'],
  ['Folder', 'is that of a file and of a folder'],
])('%s: %s', (path, problem) => {
  const names = new OutputNames();
  for (const taken of ['page', 'folder/page', 'folder/page']) expect(names.take(taken)).toBeUndefined();
  expect(names.take(path)).toBe(problem);
});
