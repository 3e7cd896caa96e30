/** The messages that the troubleshooting page explains are the messages of the code. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { blocksOf } from './document-blocks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/troubleshooting.mdx'), 'utf8');
const messages = blocksOf(page)
  .filter(({ language }) => language === 'text')
  .map(({ text }) => text.trim());

/** Long messages are joined from several literals. */
const code = globSync(['packages/*/src/**/*.ts', 'packages/server/bin/*.js', 'scripts/install.mjs'], {
  cwd: root,
  exclude: ['**/*.test.ts'],
})
  .map((file) => readFileSync(join(root, file), 'utf8').replaceAll(/['`],?\s*\+?\s*['`]/g, ' '))
  .join('\n')
  .replaceAll('\\`', '`');

it('explains at least one message in most sections', () => {
  expect(messages.length).toBeGreaterThan(30);
});

it.each(messages)('%s', (message) => {
  const parts = message.split('…').map((part) => part.trim());
  const missing = parts.filter((part) => part.length > 2 && !code.includes(part));
  expect(missing).toEqual([]);
});
