/**
 * Readers of two groups on a private site from the real exporter: no file, search, answer or agent shows a reader a word of a group
 * that they are not in.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { secretKeyText } from '@docyard/bundle';
import {
  contentKey,
  contentKeyFile,
  type GroupSite,
  readerHeaders,
  signingKey,
  startGroupSite,
} from '../packages/site/test/support/group-site.ts';
import { canarySite, secrets, words } from '../packages/server/test/support/canary-site.ts';
import { docyard } from '../packages/server/test/support/run-command.ts';
import { cleanUp } from './cleanups.ts';
import { temporaryFolder } from './temporary-resources.ts';

type Word = (typeof words)[number];

/** By the groups of a reader, undefined for readers who have not signed in. */
const readers: [name: string, groups: readonly string[] | undefined, own: readonly Word[]][] = [
  ['a reader who has not signed in', undefined, []],
  ['a reader without a group', [], []],
  ['a partner', ['partners'], ['amber']],
  ['a member of the staff', ['staff'], ['birch']],
  ['a member of both groups', ['staff', 'partners'], ['amber', 'birch']],
];

let site: GroupSite;
let origin: string;
let paths: string[];

beforeAll(async () => {
  const folder = temporaryFolder('canary');
  for (const [path, content] of Object.entries(canarySite)) {
    mkdirSync(dirname(join(folder, 'site', path)), { recursive: true });
    writeFileSync(join(folder, 'site', path), content);
  }
  vi.stubEnv('SIGNING_KEY', secretKeyText(signingKey));
  const bundle = join(folder, 'bundle.tar.gz');
  const key = ['--content-key-file', contentKeyFile(contentKey)];
  const options = ['--origin', 'https://docs.example.com', '--offline', '--quiet', '--output', bundle];
  const { status, stderr } = await docyard('export', join(folder, 'site'), ...key, ...options);
  expect(status, stderr).toBe(0);
  site = await startGroupSite({
    bundle: readFileSync(bundle),
    environment: { ASSISTANT_ENABLED: 'on', ANALYTICS_ENABLED: 'on' },
  });
  origin = `http://127.0.0.1:${site.port}`;
  paths = await pathsOf(folder);
}, 300_000);

/** Every path of a plain export with all pages, and of guesses. */
async function pathsOf(folder: string): Promise<string[]> {
  const out = join(folder, 'all');
  const groups = Object.values(secrets).flatMap((group) => ['--group', group]);
  const options = ['--offline', '--quiet', '--origin', 'https://docs.example.com'];
  const built = await docyard('build', join(folder, 'site'), '--out', out, ...options, ...groups);
  expect(built.status, built.stderr).toBe(0);
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
  const guesses = words.flatMap((word) => [
    `${word}old`,
    `private/${word}page`,
    `private/${word}feed/rss.xml`,
    `api-reference/${word}summary`,
    `private/llms.txt`,
    `_docyard/search/t0.js`,
    `${word}tab`,
  ]);
  return [...new Set([...files, ...guesses, 'manifest.json', '_docyard/sealed/index', 'feedback'])];
}

const hiddenFrom = (own: readonly Word[]) => words.filter((word) => !own.includes(word));

describe.each(readers)('%s', (_, groups, own) => {
  const headers = readerHeaders(groups);

  test('gets no word of other groups from any address, as a page or as Markdown', async () => {
    for (const path of paths) {
      for (const accept of ['text/html', 'text/markdown', '*/*']) {
        const answer = await fetch(`${origin}/${path}`, {
          headers: { ...headers, Accept: accept },
          redirect: 'manual',
        });
        const location = answer.headers.get('location') ?? '';
        const shown = `${location.includes('/_docyard/access/') ? '' : location} ${await answer.text()}`;
        for (const word of hiddenFrom(own))
          expect(shown.includes(word), `${accept} ${path} shows ${word}`).toBe(false);
      }
    }
    for (const word of own)
      expect((await site.get(`/private/${word}page`, groups)).text).toContain(`${word}text`);
  }, 120_000);

  test('is answered from the pages of their own groups only', async () => {
    const ask = async (question: string) => {
      const answer = await fetch(`${origin}/_docyard/ask`, {
        method: 'POST',
        headers: { ...headers, Accept: 'application/json', 'Content-Type': 'application/json' },
        body: JSON.stringify({ question }),
      });
      return answer.text();
    };
    for (const word of words) {
      const questions = [`What does ${word}heading say?`, `${word}text ${word}title`, `${word}summary`];
      const answers = (await Promise.all(questions.map(ask))).join('\n');
      if (own.includes(word)) expect(answers).toContain(`${word}text`);
      else expect(answers).not.toContain(word);
    }
  });

  test('lets an agent see the pages of their own groups only', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
      requestInit: { headers },
    });
    await client.connect(transport);
    cleanUp(() => client.close());
    const call = async (name: string, input: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name, arguments: input })).content);
    const listed = [
      JSON.stringify(client.getInstructions()),
      await call('list_navigation', {}),
      await call('list_api_operations', {}),
    ];
    for (const word of words) {
      const found = [
        await call('search', { query: `${word}heading` }),
        await call('fetch_page', { page: `/private/${word}page` }),
        await call('describe_api_operation', { target: `/${word}path` }),
      ];
      // An error repeats the input.
      const shown = [...listed, ...found.filter((text) => !text.includes('There is no'))].join('\n');
      if (own.includes(word)) expect(shown).toContain(`${word}text`);
      else expect(shown).not.toContain(word);
    }
  });
});
