/** Runs the code blocks of the README and the quickstart in order. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from './deploy/dockerfile.ts';
import { blocksOf, PastedBlocks, type Block } from './pasted-blocks.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const quickstart = readFileSync(join(root, 'docs/quickstart.mdx'), 'utf8');
const opened: PastedBlocks[] = [];

afterAll(() => {
  for (const pasted of opened) pasted.stop();
});

async function pasteAll(name: string, document: string): Promise<PastedBlocks> {
  const pasted = await PastedBlocks.prepare(name, document);
  opened.push(pasted);
  for (const block of blocksOf(document).filter(isPasted)) await pasted.paste(block);
  return pasted;
}

/** The clone exists, `npm test` would recurse, and JSON blocks show responses. */
function isPasted({ language, text }: Block): boolean {
  return !/^(?:git clone|npm test)\b/.test(text) && language !== 'json';
}

function expectFiles({ folder }: PastedBlocks, files: string[]): void {
  for (const file of files) expect(existsSync(join(folder, file)), file).toBe(true);
}

async function siteAt(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/`)).text();
}

test('the blocks of the README, one after the other, do what it says', { timeout: 240_000 }, async () => {
  const pasted = await pasteAll('readme', readme);
  const archives = ['bundle.tar.gz', 'newest.tar.gz', 'my-docs.tar.gz'];
  expectFiles(pasted, [...archives, 'my-site/index.html', 'data/docyard.db']);
  expect(await siteAt(pasted.port('4480'))).toContain('Tern');
});

test(
  'the blocks of the quickstart, one after the other, need no variable that none of them sets',
  { timeout: 240_000 },
  async () => {
    const pasted = await pasteAll('quickstart', quickstart);
    expectFiles(pasted, ['bundle.tar.gz', 'latest.tar.gz', 'site/index.html', 'my-site/index.html']);
    expect(await siteAt(pasted.port('4480'))).toContain('Tern');
  },
);

test('both begin with a clone', () => {
  for (const document of [readme, quickstart])
    expect(blocksOf(document)[0]?.text).toMatch(/^git clone \S+ docyard\ncd docyard\n$/);
});

test('the README names both commands, and they are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const name of ['start', 'test']) {
    expect(scripts).toHaveProperty(name);
    expect(blocksOf(readme).filter(({ text }) => text.startsWith(`npm ${name} `))).toHaveLength(1);
  }
});
