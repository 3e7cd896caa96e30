import { describe, expect, it } from 'vitest';
import { renderFiles } from '../../test/support/render-fixture.ts';
import type { SourceFacts } from '../model/source-facts.ts';

const sourceFacts: SourceFacts = {
  changedOn: new Map([
    ['index.mdx', '2026-05-14'],
    ['own.mdx', '2026-05-14'],
  ]),
  links: {
    edit: 'https://git.example.com/quay/edit/main/docs/',
    newIssue: 'https://git.example.com/quay/issues/new?title=',
  },
};

const site = (config: object): Record<string, string> => ({
  'docs.json': JSON.stringify({
    name: 'Harbour',
    navigation: { pages: ['index', 'own', 'never', 'a folder/unknown'] },
    ...config,
  }),
  'index.mdx': 'Quay',
  'own.mdx': '---\nlastUpdatedDate: 2025-01-02\n---\nCrane',
  'never.mdx': '---\ntimestamp: false\n---\nBuoy',
  'a folder/unknown.mdx': 'Rope',
});

const options = { origin: 'https://docs.example.com', sourceFacts };

describe('the date of the last change', () => {
  it('is that of the front matter, otherwise of the last commit, and absent if neither is known', async () => {
    const { files } = await renderFiles(site({ metadata: { timestamp: true } }), options);
    const dayIn = (path: string): string | undefined =>
      /<time datetime="([^"]+)"/.exec(files.get(path) ?? '')?.[1];
    expect(dayIn('index.html')).toBe('2026-05-14');
    expect(dayIn('own.html')).toBe('2025-01-02');
    expect(dayIn('never.html')).toBeUndefined();
    expect(dayIn('a folder/unknown.html')).toBeUndefined();
    expect(files.get('sitemap.xml')).toContain('<lastmod>2026-05-14</lastmod>');
    expect(files.get('index.html')).toContain('"dateModified":"2026-05-14"');
  });

  it('is absent when the site does not ask for it', async () => {
    const { files } = await renderFiles(site({}), options);
    expect(files.get('index.html')).not.toContain('2026');
    expect(files.get('sitemap.xml')).not.toContain('2026');
  });
});

describe('links to the source of a page', () => {
  it('lead to the file in the repository, if the site asks for them', async () => {
    const feedback = { suggestEdit: true, raiseIssue: true };
    const { files, diagnostics } = await renderFiles(site({ feedback }), options);
    const html = files.get('a folder/unknown.html') ?? '';
    expect(html).toContain('href="https://git.example.com/quay/edit/main/docs/a%20folder/unknown.mdx"');
    expect(html).toContain('href="https://git.example.com/quay/issues/new?title=a%20folder%2Funknown.mdx"');
    expect(diagnostics).toEqual([]);
  });

  it('are absent without settings, and without a known repository', async () => {
    const silent = await renderFiles(site({ feedback: { thumbsRating: true } }), options);
    expect(silent.files.get('index.html')).not.toContain('git.example.com');
    const unknown = await renderFiles(site({ feedback: { suggestEdit: true } }));
    expect(unknown.files.get('index.html')).not.toContain('dy-page-links');
  });
});
