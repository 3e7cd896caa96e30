import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadSite } from '../pipeline/load.ts';
import { renderSite } from '../pipeline/render-site.ts';
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

test('pages and images with unportable names are renamed and reported', async () => {
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
  expect(paths).toEqual(
    expect.arrayContaining([
      'index.html',
      'Guide-2.html',
      'guide.html',
      'aux_.html',
      'A-2.png',
      'a.png',
      'b-c.png',
      'manifest-2.json',
    ]),
  );
  for (const path of ['Guide.html', 'aux.html', 'A.png', 'b:c.png', 'manifest.json'])
    expect(paths).not.toContain(path);
  expect(findings.map(([file]) => file)).toEqual([
    'Guide.mdx',
    'aux.mdx',
    'A.png',
    'b:c.png',
    'manifest.json',
  ]);
  expect(findings[1]?.[1]).toBe(
    'The name "aux.mdx" has a part that Windows reserves; readers find it at "aux_", and its old address leads there',
  );
});

test.each([
  ['a.', 'has a part that ends in a dot or a space'],
  ['e\u0301', 'is not in Unicode’s composed form'],
  [`${'a/'.repeat(32)}a`, 'lies more than 32 folders deep'],
  ['x'.repeat(256), 'has a part of more than 255 bytes'],
  [`${'x'.repeat(250)}/`.repeat(4) + 'x', 'has more than 1000 bytes'],
  ['page/x', 'is that of a file and of a folder'],
  ['Folder', 'is that of a file and of a folder'],
])('the name %s is checked: %s', (path, problem) => {
  const names = new OutputNames();
  for (const taken of ['page', 'folder/page', 'folder/page']) expect(names.take(taken)).toBeUndefined();
  expect(names.take(path)).toBe(problem);
});
