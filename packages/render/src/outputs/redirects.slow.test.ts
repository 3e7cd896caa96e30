import { describe, expect, test } from 'vitest';
import type { RenderOptions } from '../index.ts';
import { type Rendered, renderFiles, renderFixture } from '../../test/support/render-fixture.ts';

const pages = {
  'index.mdx': '# Home',
  'guide.mdx': '# Guide',
  'new/start.mdx': '# Start',
  'new/deep/er.mdx': '# Deeper',
};

function render(redirects: unknown[], options: RenderOptions = {}): Promise<Rendered> {
  const config = {
    name: 'Site',
    theme: 'mint',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index', 'guide', 'new/start', 'new/deep/er'] },
    redirects,
  };
  return renderFiles({ 'docs.json': JSON.stringify(config, null, 1), ...pages }, options);
}

function redirectFindings({ diagnostics }: Rendered): string[] {
  return diagnostics.flatMap(({ code, line }) => (code.startsWith('redirect_') ? `${code} ${line}` : []));
}

describe('an exact redirect', () => {
  test('is a page that redirects automatically, at any depth and from disk', async () => {
    const site = await render([{ source: '/old/place', destination: '/guide#part' }], {
      origin: 'https://docs.example.com',
      basePath: '/docs',
    });
    const stub = site.files.get('old/place.html');
    expect(stub).toContain('<meta http-equiv="refresh" content="0; url=../guide.html#part">');
    expect(stub).toContain('<link rel="canonical" href="https://docs.example.com/docs/guide.html#part">');
    expect(stub).toContain('<a href="../guide.html#part">Guide</a>');
    expect(redirectFindings(site)).toEqual([]);
  });

  test('follows chains to their end, which is permanent only when every step is', async () => {
    const site = await render([
      { source: '/a', destination: '/b' },
      { source: '/b', destination: '/v1/start', permanent: false },
      { source: '/v1/:slug*', destination: '/new/:slug*' },
      { source: '/c', destination: '/' },
    ]);
    expect(site.files.get('a.html')).toContain('url=new/start.html"');
    expect(site.files.get('_redirects')).toContain('\n/a /new/start.html 302\n');
    expect(site.files.get('_redirects')).toContain('\n/c /index.html 301\n');
  });

  test('is written for each URL style', async () => {
    const redirects = [{ source: '/old', destination: '/new/start' }];
    const clean = await render(redirects, { urlStyle: 'clean' });
    expect(clean.files.get('old.html')).toContain('url=new/start"');
    const directory = await render(redirects, { urlStyle: 'directory' });
    expect(directory.files.get('old/index.html')).toContain('url=../new/start/"');
  });
});

describe('a wildcard', () => {
  test('becomes a page for every destination page', async () => {
    const site = await render([{ source: '/v1/:slug*', destination: '/new/:slug*' }]);
    expect(site.files.get('v1/start.html')).toContain('url=../new/start.html"');
    expect(site.files.get('v1/deep/er.html')).toContain('url=../../new/deep/er.html"');
    expect(site.files.get('_redirects')).toContain('\n/v1/* /new/:splat 301\n');
    expect(JSON.parse(site.files.get('_hosts/s3-routing-rules.json') ?? '')).toEqual([
      {
        Condition: { HttpErrorCodeReturnedEquals: '404', KeyPrefixEquals: 'v1/' },
        Redirect: { HttpRedirectCode: '308', ReplaceKeyPrefixWith: 'new/' },
      },
    ]);
  });

  test('is written for `docyard site` with its destination pages, without the base path', async () => {
    const site = await render(
      [
        { source: '/v1/*/start', destination: '/new/start', permanent: false },
        { source: '/v2/:slug*', destination: '/new/:slug*' },
        { source: '/über', destination: '/guide#teil' },
      ],
      { basePath: '/docs' },
    );
    expect(JSON.parse(site.files.get('_hosts/docyard.json') ?? '')).toEqual({
      format: 1,
      basePath: '/docs',
      headers: {
        'Content-Security-Policy': expect.stringContaining("default-src 'none'"),
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'strict-origin-when-cross-origin',
      },
      redirects: [
        { from: '/über', to: '/guide.html#teil', permanent: true },
        { from: '/v1', to: '/new/start.html', permanent: false },
        { from: '/v2/start', to: '/new/start.html', permanent: true },
        { from: '/v2/deep/er', to: '/new/deep/er.html', permanent: true },
      ],
      patterns: [
        {
          from: [{ text: '/v1/' }, { name: '*', rest: true }, { text: '/start' }],
          to: [{ text: '/new/start.html' }],
          permanent: false,
        },
        {
          from: [{ text: '/v2/' }, { name: 'slug', rest: true }],
          to: [{ text: '/new/' }, { name: 'slug', rest: true }],
          permanent: true,
        },
      ],
    });
  });

  test('that would redirect missing pages endlessly applies to existing pages only', async () => {
    const site = await render([{ source: '/new/:slug*', destination: '/new/deep/:slug*' }]);
    expect(site.files.get('new/er.html')).toContain('url=../new/deep/er.html"');
    expect(site.files.get('_redirects')).not.toContain('/new');
    expect(site.files.get('_hosts/nginx.conf')).not.toContain('^/new');
  });

  test('may match one segment or the end of a segment', async () => {
    const site = await render([
      { source: '/u/:name/home', destination: 'https://example.com/:name' },
      { source: '/old-*', destination: '/guide' },
    ]);
    expect(site.files.get('_redirects')).toContain('\n/u/:name/home https://example.com/:name 301\n');
    expect(site.files.get('_redirects')).toContain('\n/old-* /guide.html 301\n');
  });
});

test('invalid redirects are reported with their position', async () => {
  const site = await render([
    { source: '/guide', destination: '/new/start' },
    { source: '/x', destination: '/nowhere' },
    { source: '/l1', destination: '/l2' },
    { source: '/l2', destination: '/l1' },
    { source: '/y', destination: '/guide' },
    { source: '/y', destination: '/index' },
    { source: '/q?a=b', destination: '/guide' },
    { source: '/s', destination: 'javascript:alert(1)' },
    { source: '/p/:a*', destination: '/q/:b*' },
    { source: '/one/:s*', destination: '/two/:s*' },
    { source: '/two/:s*', destination: '/one/:s*' },
  ]);
  expect(redirectFindings(site).map((text) => text.replace(/ \d+$/, ''))).toEqual([
    'redirect_shadowed',
    'redirect_duplicate',
    'redirect_invalid',
    'redirect_invalid',
    'redirect_invalid',
    'redirect_broken',
    'redirect_loop',
    'redirect_loop',
    'redirect_loop',
    'redirect_loop',
  ]);
  expect(redirectFindings(site)[0]).toMatch(/ \d+$/);
  expect([...site.files.keys()].filter((path) => /^(?:x|l1|l2|s|p|one|two)\b/.test(path))).toEqual([]);
  expect(site.files.get('guide.html')).toContain('<h1 id="page-title">Guide');
});

test('author text cannot inject server configuration', async () => {
  const hostile = [
    '"',
    "'",
    ';',
    '{',
    '}',
    '$uri',
    '`',
    '\n',
    '\r',
    '\\',
    '#',
    ' ',
    '\u0000',
    '{env.HOME}',
    '<b>',
  ];
  const site = await render(
    hostile.flatMap((text, index) => [
      { source: `/s${index}${text}x`, destination: '/guide' },
      { source: `/d${index}`, destination: `/guide?q=${text}return 200` },
      { source: `/w${index}/:slug*`, destination: `https://example.com/${text}/:slug*` },
      { source: `/h${index}/:slug*`, destination: `https://exa${text}mple.com/:slug*` },
    ]),
  );
  const plainDestination = String.raw`[A-Za-z0-9\-._~/?#@!&=+,:%]+`;
  const lines = (site.files.get('_redirects') ?? '').split('\n').slice(1, -1);
  expect(lines.length).toBeGreaterThan(hostile.length);
  for (const line of lines) expect(line).toMatch(new RegExp(String.raw`^/\S* ${plainDestination} 30[12]$`));
  const exact = new RegExp(
    String.raw`^location = "/[\w' -]+(?:/|\.html)?" \{ absolute_redirect off; return 308 "${plainDestination}(?:\$is_args\$args)?(?:#[\w%]*)?"; \}$`,
  );
  for (const line of (site.files.get('_hosts/nginx.conf') ?? '').split('\n'))
    if (line.startsWith('location =')) expect(line).toMatch(exact);
  expect(site.files.get('_hosts/Caddyfile')).not.toMatch(/\{env|\$uri|<b>/);
});

test('optional parameters and sources in any script lead to their pages', async () => {
  const site = await renderFixture('anomalies/unusual-text');
  const lines = (site.files.get('_redirects') ?? '').split('\n');
  expect(lines).toContain(`${encodeURI('/руководство')} /guides/start.html 301`);
  expect(lines).toContain(`${encodeURI('/ガイド/')}:page /guides/:page 301`);
  expect(lines.filter((line) => line.startsWith('/old'))).toEqual([
    '/old /guides/start.html 301',
    '/old/:name /guides/:name 301',
  ]);
  for (const path of ['old/start.html', 'руководство.html', 'ガイド/start.html'])
    expect(site.files.get(path), path).toContain('guides/start.html"');
  expect(redirectFindings(site)).toEqual([]);
});

test('a redirect never replaces another file of the site', async () => {
  const site = await render([
    { source: '/404', destination: '/guide' },
    { source: '/guide.html/deeper', destination: '/new/start' },
    { source: '/_docyard/app', destination: '/guide' },
    { source: '/print', destination: '/guide' },
    { source: '/a/../../up', destination: '/guide' },
  ]);
  expect(site.files.get('404.html')).toContain('Page not found');
  for (const path of site.files.keys()) expect(path).not.toMatch(/\.\.|^_docyard\/app\.html|guide\.html\//);
});

describe('an optional parameter', () => {
  test('matches a path with and without it in every output format', async () => {
    const site = await render([{ source: '/v1/:lang?/start', destination: '/new/:lang?/start' }]);
    expect(site.files.get('v1/start.html')).toContain('url=../new/start.html"');
    expect(site.files.get('v1/deep/start.html')).toBeUndefined();
    expect(site.files.get('_redirects')).toContain('\n/v1/start /new/start.html 301\n');
    expect(redirectFindings(site)).toEqual(['redirect_broken 16']);

    const outside = await render([
      { source: '/blog/:year?/:post?', destination: 'https://example.com/b/:year?/:post?' },
    ]);
    expect(redirectFindings(outside)).toEqual([]);
    expect(outside.files.get('_redirects')).toContain(
      '\n/blog/:year/:post https://example.com/b/:year/:post 301',
    );
    expect(outside.files.get('_redirects')).toContain('\n/blog/:year https://example.com/b/:year 301');
    expect(outside.files.get('_redirects')).toContain('\n/blog https://example.com/b 301');
    for (const file of ['_hosts/nginx.conf', '_hosts/Caddyfile'])
      expect(outside.files.get(file)).toContain('"/blog"'.replaceAll('"', file.endsWith('conf') ? '"' : '`'));
    const rules = JSON.parse(outside.files.get('_hosts/docyard.json') ?? '') as {
      redirects: { from: string }[];
      patterns: unknown[];
    };
    expect(rules.redirects.map(({ from }) => from)).toEqual(['/blog']);
    expect(rules.patterns).toHaveLength(3);
  });

  test('may precede a query in the destination', async () => {
    const site = await render([{ source: '/s/:term?', destination: 'https://example.com/s/:term?ref=docs' }]);
    expect(site.files.get('_redirects')).toContain('\n/s/:term https://example.com/s/:term?ref=docs 301');
    expect(site.files.get('_redirects')).toContain('\n/s https://example.com/s?ref=docs 301');
  });
});

describe('a source in any script', () => {
  test.each(['/über-uns', '/%C3%BCber-uns', '/日本語/はじめに', '/🚀-launch', '/привет–мир', '/„neu“'])(
    'redirects from %s in every output format',
    async (source) => {
      const site = await render([{ source, destination: '/guide' }]);
      const path = decodeURIComponent(source);
      expect(redirectFindings(site)).toEqual([]);
      expect(site.files.get(`${path.slice(1)}.html`)).toContain('guide.html');
      expect(site.files.get('_redirects')).toContain(`\n${encodeURI(path)} /guide.html 301`);
      expect(site.files.get('_hosts/nginx.conf')).toContain(`location = "${path}"`);
      expect(site.files.get('_hosts/Caddyfile')).toContain(`\`${path}\``);
      expect(site.files.get('_hosts/docyard.json')).toContain(`"from": "${path}"`);
    },
  );

  test('may contain placeholders', async () => {
    const site = await render([{ source: '/日本語/:slug*', destination: '/new/:slug*' }]);
    expect(site.files.get('日本語/start.html')).toContain('url=../new/start.html"');
    expect(site.files.get('_redirects')).toContain('\n/%E6%97%A5%E6%9C%AC%E8%AA%9E/* /new/:splat 301');
  });
});
