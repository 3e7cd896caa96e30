/** `test/mcp.slow.test.ts` tests the tools with the whole program. */
import { readFileSync } from 'node:fs';
import { DocyardClient } from '@docyard/api';
import { expect, test } from 'vitest';
import { serviceTools } from './server.ts';

const client = new DocyardClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'docyard_x' });
const { tools } = serviceTools({ client, server: '', projectId: undefined }, { readOnly: false });
const page = readFileSync(new URL('../../../../docs/guides/mcp.mdx', import.meta.url), 'utf8');

test('the manual lists every tool with its effect and title', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \|$/gm)].map((row) => row.slice(1));
  const expected = tools.map(({ name, title, annotations }) => [name, effectOf(annotations), title]);
  expect(rows).toEqual(expected);
});

function effectOf(annotations: (typeof tools)[number]['annotations']): string {
  if (annotations?.readOnlyHint) return 'reads';
  return annotations?.destructiveHint ? 'cancels' : 'creates';
}

test('the descriptions of all tools stay small', () => {
  const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(JSON.stringify(read).length).toBeLessThan(13_000);
});
