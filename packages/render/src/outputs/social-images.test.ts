import { describe, expect, it } from 'vitest';
import { renderFiles } from '../../test/support/render-fixture.ts';
import { drawable, socialImageSvg } from '../theme/social-image-svg.ts';

const image = {
  siteName: 'Tide tables',
  label: 'Harbours',
  above: 'Guides',
  color: '#0e7490',
  appearance: 'light',
} as const;

describe('the drawing', () => {
  it('shows the site, the section and its division', () => {
    const svg = socialImageSvg(image);
    for (const text of ['>Tide tables<', '>Harbours<', '>Guides<']) expect(svg).toContain(text);
  });

  it('wraps long names and marks truncation', () => {
    const svg = socialImageSvg({ ...image, label: 'a name of many words '.repeat(20) });
    expect(svg.match(/font-size="68"/g)).toHaveLength(3);
    expect(svg).toContain('…</text>');
  });

  it('escapes names', () => {
    const svg = socialImageSvg({ ...image, label: '<image/>\u0000\u0008' });
    expect(svg).toContain('>&lt;image/&gt;<');
    expect(svg).not.toMatch(/[\u0000\u0008]/);
  });

  it.each([
    ['Café & Москва', 'Café & Москва'],
    ['🚀 Start `here`', 'Start here'],
    ['Flags 🇩🇪 and 👩‍💻', 'Flags and'],
    ['はじめに', ''],
    ['Guide 指南', ''],
  ])('draws %s as "%s"', (name, drawn) => {
    expect(drawable(name)).toBe(drawn);
  });
});

describe('the social images of a site', () => {
  it('are deterministic, one per outermost group', async () => {
    const files = {
      'docs.json': JSON.stringify({
        name: 'Tides',
        navigation: {
          groups: [
            { group: 'One', pages: ['a', { group: 'Inner', pages: ['b'] }] },
            { group: 'Two', pages: ['c'] },
          ],
        },
      }),
      'a.mdx': 'A',
      'b.mdx': 'B',
      'c.mdx': 'C',
    };
    const pictures = async (): Promise<[string, string][]> =>
      [...(await renderFiles(files, { origin: 'https://a.example' })).files].filter(([path]) =>
        path.endsWith('.png'),
      );
    const first = await pictures();
    expect(first).toHaveLength(2);
    expect(await pictures()).toEqual(first);
  });
});
