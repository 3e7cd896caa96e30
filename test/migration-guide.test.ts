/** Renders what the migration guide says about parts of the format that differ or have no effect. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diagnosticCodes } from '@docyard/render/report';
import { expect, it } from 'vitest';
import { renderFiles } from '../packages/render/test/support/render-fixture.ts';

const docs = fileURLToPath(new URL('../docs', import.meta.url));
const guide = readFileSync(join(docs, 'get-started/migrate-from-mintlify.mdx'), 'utf8');

const config = (more: object) =>
  JSON.stringify({
    name: 'Harbor',
    theme: 'mint',
    colors: { primary: '#1d5a8e', light: '#7dd3fc' },
    navigation: { pages: ['index'] },
    ...more,
  });

it('names only findings that exist', () => {
  const named = [...guide.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code = '']) => code);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((code) => !Object.hasOwn(diagnosticCodes, code))).toEqual([]);
});

it('settings that need a hosted site and pages of groups are omitted without a finding', async () => {
  const { files, codes } = await renderFiles(
    {
      'index.mdx': 'Text.\n',
      'secret.mdx': '---\ntitle: Secret\ngroups: [crew]\n---\n\nText.\n',
      'docs.json': config({
        integrations: { ga4: { measurementId: 'G-1' } },
        analytics: { ga4: { measurementId: 'G-1' } },
        feedback: { thumbsRating: true },
        public: false,
      }),
    },
    { groups: [] },
  );
  expect(codes).toEqual([]);
  expect(files.has('secret.html')).toBe(false);
  expect(files.get('404.html')).not.toContain('http-equiv="refresh"');
});

it('parts that differ are reported under the codes that the guide names', async () => {
  const { codes } = await renderFiles({
    'index.mdx': 'The level is {{level}}.\n\n<iframe src="https://video.example.com/1" title="Tides" />\n',
    'assistant.mdx': "---\ntitle: Assistant\nmode: assistant\n---\n\nimport chart from 'chart'\n\nText.\n",
    'comment.mdx': '<!-- hidden -->\n\nText.\n',
    'tides.js': 'console.log(1)',
    'docs.json': config({
      contextual: { options: ['assistant', 'mcp', 'cursor'] },
      navigation: {
        tabs: [
          { tab: 'Manual', pages: ['index', 'assistant', 'comment'] },
          { tab: 'GraphQL', graphql: 'a.graphql' },
        ],
      },
      tides: true,
    }),
  });
  const differing = [
    'config_unknown_key',
    'contextual_skipped',
    'custom_script_skipped',
    'expression_unsupported',
    'import_ignored',
    'mdx_repaired',
    'mode_unsupported',
    'reference_unsupported',
    'remote_embed',
  ];
  expect(codes).toEqual(expect.arrayContaining(differing));
  expect(differing.filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
});
