/** Runs the code blocks of the README, the quickstart and the tutorial in order, each from a fresh clone. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from './deploy/dockerfile.ts';
import { blocksOf, whyNotRun, type Block } from './document-blocks.ts';
import { PastedBlocks } from './pasted-blocks.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const readme = read('README.md');
const quickstart = read('docs/quickstart.mdx');
const firstSite = read('docs/get-started/first-site.mdx');
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

/** These documents name hosts only in requests that do not contact them. JSON and text blocks show output. */
function isPasted(block: Block): boolean {
  if (block.file !== '') return true;
  if (block.language !== 'bash') return false;
  return !['it needs the npm registry', 'the tests run it'].includes(whyNotRun(block) ?? '');
}

const bash = (text: string): Block => ({ language: 'bash', file: '', text });

function expectFiles({ folder }: PastedBlocks, files: string[]): void {
  for (const file of files) expect(existsSync(join(folder, file)), file).toBe(true);
}

async function siteAt(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/`)).text();
}

test('the blocks of the README, one after the other, do what it says', { timeout: 400_000 }, async () => {
  const pasted = await pasteAll('readme', readme);
  expectFiles(pasted, ['handbook/docs.json', 'dist/index.html', 'bundle.tar.gz', 'data/docyard.db']);
  // The last block starts the site, which serves while it installs the first release.
  await expect.poll(() => siteAt(pasted.port('4480')), { timeout: 60_000 }).toContain('Tern');
});

test(
  'the blocks of the quickstart, one after the other, need no variable that none of them sets',
  { timeout: 400_000 },
  async () => {
    const pasted = await pasteAll('quickstart', quickstart);
    expectFiles(pasted, ['bundle.tar.gz', 'latest.tar.gz', 'site/index.html', 'my-site/index.html']);
    expect(await siteAt(pasted.port('4480'))).toContain('Tern');
  },
);

test(
  'the blocks of the tutorial, one after the other, end in an exported site without findings',
  { timeout: 400_000 },
  async () => {
    const pasted = await pasteAll('first-site', firstSite);
    const pages = ['index.html', 'guides/mount.html', 'api-reference/readings/list-readings.html'];
    expectFiles(pasted, ['harbor.tar.gz', ...pages.map((page) => `harbor-site/${page}`)]);
    const report = JSON.parse(readFileSync(join(pasted.folder, 'harbor-site/report.json'), 'utf8')) as object;
    expect(report).toMatchObject({ errors: 0, warnings: 0, infos: 0 });

    const [correct, mistaken] = blocksOf(firstSite).filter(({ language }) => language === 'text');
    const check = 'npx docyard check ./harbor-docs --strict --quiet || [ $? = 7 ]\n';
    expect(await pasted.paste(bash(check))).toContain(correct?.text.trim());
    const mistake = "sed -i 's#(/guides/mount)#(/guides/mounting)#' harbor-docs/index.mdx\n";
    expect(await pasted.paste(bash(mistake + check))).toContain(mistaken?.text.trim());
  },
);

test('all begin with a clone', () => {
  for (const document of [readme, quickstart, firstSite])
    expect(blocksOf(document).find(isPasted)?.text).toMatch(/^git clone \S+ docyard\ncd docyard\n$/);
});

test('the README names both commands, and they are there', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const name of ['start', 'test']) {
    expect(scripts).toHaveProperty(name);
    expect(blocksOf(readme).filter(({ text }) => text.startsWith(`npm ${name} `))).toHaveLength(1);
  }
});
