/**
 * Runs the shell blocks of the guides in order, in a fresh clone, except those that `whyNotRun` recognizes. The guides assume a service at https://docyard.example.com with
 * the project docs.example.com, its newest bundle, and a deployment that has an earlier release.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './deploy/dockerfile.ts';
import { blocksOf, whyNotRun, type Block } from './document-blocks.ts';
import { PastedBlocks } from './pasted-blocks.ts';

const names = readdirSync(join(root, 'docs/guides')).map((file) => `docs/guides/${file}`);
const guides = [...names, 'docs/get-started/migrate-from-mintlify.mdx'].map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}));

const bash = (text: string): Block => ({ language: 'bash', file: '', text });
const assumed = [
  'git clone https://git.example.com/docyard.git docyard\ncd docyard\n',
  'npm start\n',
  'export DOCYARD_API_KEY=docyard_...\n',
  'npx docyard projects create --name "Product docs" --domain docs.example.com --repository "$PWD/my-docs"\n',
  'npx docyard export start docs.example.com --download bundle.tar.gz\n',
  'npx docyard export ./my-docs --output earlier.tar.gz --quiet\n' +
    'npx docyard bundle import earlier.tar.gz --data /var/lib/docyard-site\n' +
    'mkdir -p /srv/docs\ncp -r my-docs/. /srv/docs\n',
];

let pasted: PastedBlocks;

beforeAll(async () => {
  pasted = await PastedBlocks.prepare('guides', guides.map(({ text }) => text).join('\n'));
});

afterAll(() => pasted.stop());

const isCommand = ({ language, file }: Block): boolean => language === 'bash' && file === '';

test('what the guides assume can be set up in a fresh clone', { timeout: 400_000 }, async () => {
  for (const text of assumed) await pasted.paste(bash(text));
});

test.each(guides)('the blocks of $file run one after the other', { timeout: 400_000 }, async ({ text }) => {
  pasted.openTerminal();
  await pasted.paste(bash('cd docyard\nexport DOCYARD_API_KEY=docyard_...\n'));
  for (const block of blocksOf(text))
    if (block.file !== '' || (isCommand(block) && whyNotRun(block) === undefined)) await pasted.paste(block);
});

test('the script of the guide on pipelines exports the site and checks its hash', async () => {
  const script = 'DOCYARD_DOMAIN=docs.example.com bash export.sh\n';
  expect(await pasted.paste(bash(script))).toMatch(/^Started se_[^]*\bbundle\.tar\.gz: OK\n$/);
});

test('most shell blocks of the guides are run', () => {
  const commands = guides.flatMap(({ text }) => blocksOf(text)).filter(isCommand);
  const run = commands.filter((block) => whyNotRun(block) === undefined);
  expect(run.length / commands.length).toBeGreaterThan(0.5);
});
