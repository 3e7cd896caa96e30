import { describe, expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-bench.ts';
import { editFile } from './edit-file.ts';
import { findPages } from './find-pages.ts';
import { readFile } from './read-file.ts';
import { search } from './search.ts';

const hooks = `---
title: Webhooks
description: Receive events.
---

Get notified.

## Rotate the signing secret {#rotate}

First paragraph.
Call the rotation endpoint to rotate the secret.

\`\`\`bash
# not a heading
\`\`\`
`;

const site = () =>
  bench({
    'docs.json': '{}',
    'guides/webhooks.mdx': hooks,
    'guides/boats.mdx': '---\ntitle: Boats\n---\n\nRow.\n\n## Oars\n\nPull them.\n',
    'snippets/part.md': 'A snippet about anchors.',
    'notes.txt': 'anchors',
  });

describe('find_pages', () => {
  test('a section is found by words of its heading with a typo, with the best line', async () => {
    const { text } = await site().run(findPages, { query: 'rotate webhok signing secrt' });
    expect(text).toBe(
      [
        '2 sections for “rotate webhook signing secret”, best first. Read a file with read_file.',
        'guides/webhooks.mdx:8 Rotate the signing secret (Webhooks)',
        '   11\tCall the rotation endpoint to rotate the secret.',
        'guides/webhooks.mdx:5 Webhooks',
        '    6\tGet notified.',
      ].join('\n'),
    );
  });

  test('pages without front matter are found, other files are not', async () => {
    expect((await site().run(findPages, { query: 'anchors' })).text).toBe(
      '1 section, best first. Read a file with read_file.\nsnippets/part.md:1\n    1\tA snippet about anchors.',
    );
  });

  test('every heading of a long page is found', async () => {
    const headings = Array.from({ length: 300 }, (_, at) => `## Release ${at}\n\nChange${at}.\n`).join('\n');
    const long = bench({ 'log.md': headings });
    expect((await long.run(findPages, { query: 'change250' })).text).toContain('log.md:1001 Release 250');
  });

  test('edits of the run are found at once, and removed text no longer', async () => {
    const changed = site();
    const run = async (query: string) => (await changed.run(findPages, { query })).text;
    expect(await run('oars')).toContain('guides/boats.mdx:7 Oars (Boats)');
    await changed.run(readFile, { path: 'guides/boats.mdx' });
    await changed.run(editFile, { path: 'guides/boats.mdx', old: '## Oars', new: '\n\n## Paddles' });
    expect(await run('paddles')).toContain('guides/boats.mdx:9 Paddles (Boats)');
    expect(await run('oars')).toContain('No page has these words');
  });

  test('a cancelled run stops the search', async () => {
    const { context } = site();
    await expect(
      findPages.run({ ...context, signal: AbortSignal.abort() }, { query: 'oars' }),
    ).rejects.toThrow();
  });
});

describe('a search without a match', () => {
  test('the closest sections are listed', async () => {
    const { text } = await site().run(search, { pattern: 'rotating the signing secrets' });
    expect(text).toContain('Nothing matches.');
    expect(text).toContain('Closest sections:\nguides/webhooks.mdx:8 Rotate the signing secret (Webhooks)');
  });

  test('no list is shown if no section is close', async () => {
    expect((await site().run(search, { pattern: 'qqq' })).text).not.toContain('Closest');
  });
});
