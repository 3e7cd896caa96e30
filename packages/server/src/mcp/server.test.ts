/** The manual against the tools. What the tools do is tested with the whole program, in test/mcp.test.ts. */
import { readFileSync } from 'node:fs';
import { DocyardClient } from '@docyard/api';
import { expect, test } from 'vitest';
import { serviceTools } from './server.ts';

const client = new DocyardClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'docyard_x' });
const { tools } = serviceTools({ client, server: '', projectId: undefined }, { readOnly: false });
const page = readFileSync(new URL('../../../../docs/guides/mcp.mdx', import.meta.url), 'utf8');

test('the page about editors lists every tool, what it changes, and its title', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \|$/gm)].map((row) => row.slice(1));
  const expected = tools.map(({ name, title, annotations }) => [name, changes(annotations), title]);
  expect(rows).toEqual(expected);
});

function changes(annotations: (typeof tools)[number]['annotations']): string {
  if (annotations?.readOnlyHint) return 'nothing';
  return annotations?.destructiveHint ? 'ends' : 'adds';
}

test('what a model has to read of all tools stays small', () => {
  const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(JSON.stringify(read).length).toBeLessThan(13_000);
});
