/** A very large site takes paths that save memory without changing a byte. */
import { expect, it, vi } from 'vitest';
import { loadSite } from './load.ts';
import { renderSite } from './render-site.ts';
import type { RenderOptions } from './site-plan.ts';
import { withFolder } from '../../test/support/render-fixture.ts';

const size = vi.hoisted(() => ({ isLarge: false }));

vi.mock(import('./process-settings.ts'), async (original) => ({
  ...(await original()),
  isLargeSite: () => size.isLarge,
}));

const pages = ['index', 'ropes', 'knots/bowline', 'knots/hitch'];
const site = {
  'docs.json': JSON.stringify({ name: 'Harbour', navigation: { pages } }),
  ...Object.fromEntries(
    pages.map((page) => [
      `${page}.mdx`,
      `---\ntitle: ${page}\n---\n\n## Rope\n\nA sentence about ${page}.\n`,
    ]),
  ),
};

it('a large site gives the same files with its texts spilled by the caller or compressed in memory', async () => {
  await withFolder(site, async (root) => {
    const plain = await filesOf(root);
    size.isLarge = true;
    expect(await filesOf(root)).toEqual(plain);
    const aside: Uint8Array[] = [];
    const spill = (bytes: Uint8Array): (() => Uint8Array) => {
      const kept = Uint8Array.from(bytes);
      aside.push(kept);
      return () => kept;
    };
    expect(await filesOf(root, { spill })).toEqual(plain);
    // Once for llms-full.txt and once for the printed output.
    expect(aside).toHaveLength(2 * pages.length);
  });
});

async function filesOf(root: string, options: RenderOptions = {}): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const event of renderSite(await loadSite({ root }), { concurrency: 1, ...options })) {
    if (event.type !== 'file') continue;
    const { path, content } = event.file;
    if ('read' in content) files[path] = Buffer.from(content.read()).toString('latin1');
    else if ('pieces' in content) files[path] = Buffer.concat([...content.pieces]).toString('latin1');
  }
  return files;
}
