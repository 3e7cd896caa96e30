import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, renderFiles } from '../../test/support/render-fixture.ts';

describe('media of another host', () => {
  let rendered: Rendered;

  beforeAll(async () => {
    rendered = await renderFiles({
      'docs.json': '{ "name": "Remote", "navigation": { "pages": ["index"] } }',
      'index.mdx': [
        '![A picture](https://example.com/a.png)',
        '[![A badge](https://example.com/badge.svg)](https://example.com/build)',
        '<img src="http://example.com/b.png" />',
        '<iframe src="https://www.youtube.com/embed/abc?start=1" title="A film" />',
        '<video controls><source src="https://example.com/film.mp4" /></video>',
      ].join('\n\n'),
      'own.css': [
        "@import url('https://fonts.example.com/css?family=A:wght@400;700&display=swap');",
        'body { background: url(//example.com/c.png); color: red }',
      ].join('\n'),
    });
  });

  it('remote media are links with their name and never loaded', () => {
    const html = rendered.content('index.html');
    expect(html).not.toMatch(/<(?:img|iframe|video|source)\b/);
    expect(html).toContain('href="https://example.com/a.png" rel="noopener">A picture</a>');
    expect(html).toContain('>Image on example.com</a>');
    expect(html).toContain('href="https://www.youtube.com/watch?v=abc"');
    expect(html).toContain('Opens on youtube.com');
    expect(rendered.files.get('index.html')).toContain("img-src 'self' data:;");
  });

  it('remote media inside a link do not become a nested link', () => {
    expect(rendered.content('index.html')).toMatch(
      /<a [^>]*href="https:\/\/example.com\/build"[^>]*>A badge<\/a>/,
    );
  });

  it('remote addresses are removed from stylesheets', () => {
    const css = rendered.files.get('own.css') ?? '';
    expect(css).not.toContain('example.com');
    expect(css).toContain('color: red');
  });

  it('remote media are reported to the author', () => {
    expect(rendered.codes.filter((code) => code.startsWith('remote_')).toSorted()).toEqual([
      'remote_asset',
      'remote_asset',
      'remote_embed',
      'remote_embed',
      'remote_image',
      'remote_image',
      'remote_image',
    ]);
  });
});
