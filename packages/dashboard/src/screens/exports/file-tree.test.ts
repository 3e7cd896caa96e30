import { expect, test } from 'vitest';
import { treeOf, type Folder } from './file-tree.ts';

const file = (path: string, sizeBytes: number) => ({ path, sizeBytes, sha256: '0'.repeat(64) });

test('files are grouped into folders with sizes and counts', () => {
  const root = treeOf([file('index.html', 1), file('guides/deep/a.html', 20), file('guides/b.html', 300)]);
  expect(shapeOf(root)).toEqual({
    '': [321, 3],
    'guides/': [320, 2],
    'guides/deep/': [20, 1],
  });
  expect(root.files.map(({ path }) => path)).toEqual(['index.html']);
  expect(root.folders[0]?.folders[0]?.files.map(({ path }) => path)).toEqual(['guides/deep/a.html']);
});

test('folders and files are sorted', () => {
  const root = treeOf([file('b.html', 1), file('z/1', 1), file('a.html', 1), file('y/1', 1)]);
  expect(root.folders.map(({ name }) => name)).toEqual(['y', 'z']);
  expect(root.files.map(({ path }) => path)).toEqual(['a.html', 'b.html']);
});

function shapeOf(folder: Folder): Record<string, [bytes: number, files: number]> {
  return Object.assign(
    { [folder.path]: [folder.sizeBytes, folder.fileCount] },
    ...folder.folders.map(shapeOf),
  ) as Record<string, [number, number]>;
}
