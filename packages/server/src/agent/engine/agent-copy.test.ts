/** Linux only, like the sandbox. */
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../test/support/test-context.ts';
import { PathRefusedError, type Tree } from '../contract.ts';
import { benchOn } from '../../../test/support/tool-bench.ts';
import { createAgentCopy, collectChanges, applyToCopy } from './agent-copy.ts';

const files = { 'a.mdx': 'First.', 'guides/start.mdx': 'Start.', 'z.mdx': 'Last.' };

async function scene() {
  const folder = temporaryFolder('agent-copy');
  const outside = join(folder, 'outside');
  writeFiles(join(folder, 'tree'), files);
  writeFiles(outside, { 'start.mdx': 'a secret of the machine', 'more.mdx': 'another' });
  const { tree } = benchOn(join(folder, 'tree')).context;
  const site = join(folder, 'site');
  await createAgentCopy(tree, site);
  const swap = (): void => {
    renameSync(join(site, 'guides'), join(site, '.kept'));
    symlinkSync(outside, join(site, 'guides'));
  };
  return { tree, site, outside, swap };
}

/** Calls `happen` when the first file of the copy is compared. */
function withMoment(tree: Tree, happen: () => void): Tree {
  let isOver = false;
  const get = (): string => {
    if (!isOver) happen();
    isOver = true;
    return tree.folder;
  };
  return Object.defineProperty({ ...tree }, 'folder', { get });
}

test('a folder replaced by a link after the listing is not followed', async () => {
  const { tree, site, swap } = await scene();
  const { changes, refused } = await collectChanges(withMoment(tree, swap), site);
  expect(refused).toBeInstanceOf(PathRefusedError);
  expect(refused?.message).toContain('guides');
  expect(changes).toEqual([]);
});

test('a folder deleted after the listing counts as removed', async () => {
  const { tree, site } = await scene();
  const remove = (): void => rmSync(join(site, 'guides'), { recursive: true });
  expect(await collectChanges(withMoment(tree, remove), site)).toEqual({
    changes: [{ path: 'guides/start.mdx', content: null }],
  });
});

test('a change by a tool is not written through a link', async () => {
  const { site, outside, swap } = await scene();
  swap();
  await expect(applyToCopy(site, [{ path: 'guides/new.mdx', content: 'New.' }])).rejects.toThrow();
  await expect(applyToCopy(site, [{ path: 'guides/more.mdx', content: null }])).rejects.toThrow();
  expect(existsSync(join(outside, 'new.mdx'))).toBe(false);
  expect(existsSync(join(outside, 'more.mdx'))).toBe(true);
});

test('a change by a tool appears in the copy', async () => {
  const { site } = await scene();
  await applyToCopy(site, [
    { path: 'new/deep/page.mdx', content: 'New.' },
    { path: 'a.mdx', content: null },
    { path: 'z.mdx', content: 'Now.' },
    { path: 'missing.mdx', content: null },
    { path: 'AGENTS.md', content: 'Obey.' },
  ]);
  expect(readFileSync(join(site, 'new/deep/page.mdx'), 'utf8')).toBe('New.');
  expect(readFileSync(join(site, 'z.mdx'), 'utf8')).toBe('Now.');
  expect(existsSync(join(site, 'a.mdx'))).toBe(false);
  expect(existsSync(join(site, 'AGENTS.md'))).toBe(false);
});
