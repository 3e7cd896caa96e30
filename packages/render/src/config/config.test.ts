import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, renderFixture } from '../../test/support/render-fixture.ts';

describe('a site that sets everything', () => {
  let site: Rendered;
  let home: string;
  let css: string;

  beforeAll(async () => {
    site = await renderFixture('config/everything', { origin: 'https://docs.example.com' });
    home = site.files.get('index.html') ?? '';
    css = site.files.get('_docyard/site.css') ?? '';
  });

  it('has its theme, appearance, background and images', () => {
    expect(home).toMatch(
      /<html lang="en" data-look="aspen" data-decoration="grid" data-picture data-theme="dark"/,
    );
    expect(home).not.toContain('data-theme-toggle');
    expect(css).toContain('--dy-background: light-dark(#fffdf5, #14120a)');
    expect(css).toContain('--dy-picture-light: url("../logo/paper.svg")');
    expect(home).toMatch(/rel="icon" href="logo\/night.svg" media="\(prefers-color-scheme: dark\)"/);
    expect(home).toContain('<a class="dy-site-logo" href="guides/start.html">');
  });

  it('declares fonts that are files of the site', () => {
    expect(css).toContain(
      `@font-face { font-family: 'Own Face'; src: url("../fonts/own.woff2") format('woff2'); font-weight: 600;`,
    );
    expect(site.files.get('fonts/own.woff2')).toBe('copy');
    expect(css).toContain("--dy-heading-font: 'Own Face', var(--dy-system-sans)");
    expect(css).toContain('--dy-heading-weight: 600');
  });

  it('corrects and reports unreadable colors', () => {
    expect(
      site.diagnostics.filter(({ code }) => code === 'color_contrast').map(({ message }) => message),
    ).toEqual([expect.stringContaining('colors.primary #ffd400 is hard to read on the light background')]);
  });

  it('has a banner, header links, a button, footer columns and socials', () => {
    expect(home).toMatch(
      /class="dy-site-banner dy-banner-warning".*Version <strong>2<\/strong>.*data-banner-close/,
    );
    expect(home).toMatch(/<a href="https:\/\/github.com\/acme\/site"><svg.*?<\/svg>GitHub<\/a>/);
    expect(home).toContain('<a class="dy-button" href="guides/start.html">Start</a>');
    expect(home).toContain('aria-label="Hacker News"');
    expect(home).toContain('<p class="dy-footer-head">More</p>');
    expect(home).toContain('data-prompt="Look for…"');
  });

  it('shows breadcrumbs, badges, the date of the last change and group directories', () => {
    const start = site.files.get('guides/start.html') ?? '';
    expect(start).toMatch(
      /breadcrumbs.*<li class="breadcrumb-item"><a href="..\/index.html">Guides<\/a><\/li><li class="breadcrumb-item"><a href="..\/guides\/index.html">Deeper/,
    );
    expect(start).toContain('<span class="dy-page-tag">Beta</span>');
    expect(home).toContain('<time datetime="2026-03-04">March 4, 2026</time>');
    const group = site.files.get('guides/index.html') ?? '';
    expect(group).toMatch(
      /<nav class="dy-directory directory dy-directory-card dy-content".*href="..\/guides\/start.html".*Begin here/,
    );
    expect(home).toContain('<a class="dy-nav-label" href="guides/index.html"><span>Deeper</span>');
  });

  it('offers the contextual menu options that work without a server', () => {
    expect(home).toContain('data-copy-page="_docyard/copy-page.js"');
    expect(home).toContain('href="index.md"');
    expect(home).toContain(
      `https://claude.ai/new?q=${encodeURIComponent('Read https://docs.example.com/ and answer my questions about it.')}`,
    );
    expect(home).toContain('href="https://example.com/ask?page=%2Findex"');
    expect(site.codes).toContain('contextual_skipped');
    expect(site.files.get('guides/start.md')).toContain('# Start\n\n> Begin here\n\nStart.\n');
  });

  it('links a page to its translation, and mirrors right-to-left languages', () => {
    const start = site.files.get('guides/start.html') ?? '';
    const arabic = site.files.get('ar/guides/start.html') ?? '';
    expect(start).toContain(
      '<a class="nav-dropdown-item" href="../ar/guides/start.html" id="localization-select-item-ar" lang="ar" hreflang="ar">',
    );
    expect(start).toContain(
      '<link rel="alternate" hreflang="ar" href="https://docs.example.com/ar/guides/start">',
    );
    expect(arabic).toMatch(/<html lang="ar" dir="rtl"/);
    expect(arabic).toContain('العربية');
    expect(arabic).toContain('مدونة');
    expect(arabic).toMatch(/site-banner[^>]*><p>مرحبا<\/p>/);
    expect(arabic).not.toContain('Version <strong>');
  });

  it('skips pages with an external URL in the pagination', () => {
    expect(site.files.get('guides/start.html')).not.toContain('rel="next"');
    expect(home).toContain('href="https://example.com/next"');
    expect(site.codes).toContain('mode_unsupported');
  });

  it('has a not-found page', () => {
    expect(site.files.get('404.html')).toContain('<h1 class="not-found-title">Nothing here</h1>');
    expect(site.files.get('404.html')).not.toContain('http-equiv="refresh"');
  });
});

describe('a configuration with mistakes', () => {
  it('is reported with positions and suggestions, and the site is rendered', async () => {
    const { diagnostics, files } = await renderFixture('config/mistakes');
    expect(files.get('index.html')).toContain('data-look="mint"');
    const found = diagnostics.map(({ code, file, line, hint }) =>
      `${file}:${line ?? ''} ${code} ${hint?.startsWith('Did') ? hint : ''}`.trim(),
    );
    expect(found).toEqual([
      'docs.json:2 config_loose_syntax',
      'docs.json:3 theme_unknown Did you mean "mint"?',
      'docs.json:5 config_unknown_key Did you mean "colors"?',
      'docs.json:6 config_color',
      'docs.json:6 config_unknown_key Did you mean "colors.light"?',
      'docs.json:7 config_type',
      'docs.json:8 config_type',
      'docs.json:9 config_unknown_key Did you mean "navbar.links"?',
      'docs.json:10 config_unknown_key Did you mean "errors.404.title"?',
      'mint.json: config_older_ignored',
    ]);
  });
});

describe('a configuration in parts', () => {
  it('is merged, and findings refer to the part with the mistake', async () => {
    const { files, diagnostics } = await renderFixture('config/parts');
    expect(files.get('_docyard/site.css')).toContain('#0055aa');
    expect(files.get('index.html')).toMatch(
      /<ul class="dy-nav-anchors nav-anchors"><li class="nav-anchor"><a href="https:\/\/status.example.com">/,
    );
    expect(diagnostics.filter(({ code }) => code === 'nav_page_missing')).toMatchObject([
      { file: 'config/navigation.json', line: 3 },
    ]);
  });
});
