import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRelease, makeSite } from '../../test/support/served-releases.ts';
import { openSite, type ServedSite } from './served-site.ts';

const rules = {
  format: 1,
  basePath: '',
  headers: {},
  redirects: [
    { from: '/old', to: '/guide.html', permanent: true },
    { from: '/soon', to: '/guide.html#later', permanent: false },
    { from: '/away', to: 'https://example.com/there', permanent: true },
  ],
  patterns: [
    {
      from: [{ text: '/v1/' }, { name: 'slug', rest: true }],
      to: [{ text: '/guides/' }, { name: 'slug', rest: true }],
      permanent: true,
    },
    {
      from: [{ text: '/user/' }, { name: 'name', rest: false }, { text: '/page' }],
      to: [{ text: 'https://example.com/u/' }, { name: 'name', rest: false }],
      permanent: false,
    },
  ],
};

const flatFiles = {
  'index.html': 'home',
  'guide.html': 'guide',
  'guide.md': '# guide',
  'guides/start.html': 'start',
  'cli/index.html': 'cli',
  'äpfel.html': 'äpfel',
  'old.html': 'a page that leads on',
  'images/a.svg': '<svg/>',
  '404.html': 'not found',
  _redirects: '/old /guide.html 301',
  '_hosts/docyard.json': JSON.stringify(rules),
};

const folderFiles = {
  'index.html': 'home',
  'guide/index.html': 'guide',
  'guides/start/index.html': 'start',
  '404.html': 'not found',
};

/** The served file, or `status location`. */
function shown(site: ServedSite, path: string): string | undefined {
  const found = site.find(path);
  if (found === undefined) return undefined;
  if ('file' in found) {
    const { content } = found.file.plain;
    return 'file' in content ? content.file.split('/site/')[1] : undefined;
  }
  return `${found.redirect.permanent ? 308 : 307} ${found.redirect.to}`;
}

describe('a site with a file for each page', () => {
  test.each([
    ['/', 'index.html'],
    ['/index.html', 'index.html'],
    ['/index', 'index.html'],
    ['/guide.html', 'guide.html'],
    ['/guide', 'guide.html'],
    ['/guide/', '308 /guide'],
    ['/guide.html/', '308 /guide.html'],
    ['/guides/start', 'guides/start.html'],
    ['/guides/start/', '308 /guides/start'],
    ['/guides/', undefined],
    ['/guides', undefined],
    ['/cli/', 'cli/index.html'],
    ['/cli', '308 /cli/'],
    ['/cli.html', '308 /cli/'],
    ['/äpfel', 'äpfel.html'],
    ['/äpfel/', '308 /%C3%A4pfel'],
    ['/guide.md', 'guide.md'],
    ['/images/a.svg', 'images/a.svg'],
    ['/images/a.svg/', undefined],
    ['/nowhere', undefined],
    ['/_redirects', undefined],
    ['/_hosts/docyard.json', undefined],
    ['//guide', '308 /guide'],
    ['//cli', '308 /cli/'],
    ['/guides//start', '308 /guides/start'],
    ['//example.net', undefined],
    ['//example.net/guide', undefined],
    ['/Guide', undefined],
    ['/constructor', undefined],
    ['/__proto__', undefined],
  ])('%s', async (path, expected) => {
    expect(shown(await flatSite, path)).toBe(expected);
  });
});

describe('a site with a folder for each page', () => {
  test.each([
    ['/guide/', 'guide/index.html'],
    ['/guide', '308 /guide/'],
    ['/guide.html', '308 /guide/'],
    ['/guide/index.html', 'guide/index.html'],
    ['/guides/start', '308 /guides/start/'],
    ['/guides/', undefined],
  ])('%s', async (path, expected) => {
    expect(shown(await folderSite, path)).toBe(expected);
  });
});

describe('redirects of the bundle', () => {
  test.each([
    ['/old', '308 /guide.html'],
    ['/old/', '308 /guide.html'],
    ['/old.html', '308 /guide.html'],
    ['/old/index.html', '308 /guide.html'],
    ['/soon', '307 /guide.html#later'],
    ['/away', '308 https://example.com/there'],
    ['/v1/start', '308 /guides/start'],
    ['/v1/a/b', '308 /guides/a/b'],
    ['/v1/a/b/', '308 /guides/a/b/'],
    ['/v1', '308 /guides/'],
    ['/v1/ä?#', '308 /guides/%C3%A4%3F%23'],
    ['/v1//example.net', '308 /guides/example.net'],
    ['/v1/\\example.net', undefined],
    ['/v10/start', undefined],
    ['/user/ann/page', '307 https://example.com/u/ann'],
    ['/user/ann/page/', '307 https://example.com/u/ann'],
    ['/user/a/b/page', undefined],
    ['/user//page', undefined],
  ])('%s', async (path, expected) => {
    expect(shown(await flatSite, path)).toBe(expected);
  });

  test.each([
    ['no text', 'nothing'],
    ['another format', JSON.stringify({ ...rules, format: 2 })],
    ['a header of its own', JSON.stringify({ ...rules, headers: { 'Set-Cookie': 'a=b' } })],
    ['a line end', JSON.stringify({ ...rules, headers: { 'Referrer-Policy': 'a\r\nSet-Cookie: b' } })],
    [
      'another host',
      JSON.stringify({ ...rules, redirects: [{ from: '/a', to: '//b.test', permanent: true }] }),
    ],
    [
      'a script',
      JSON.stringify({ ...rules, redirects: [{ from: '/a', to: 'javascript:x', permanent: true }] }),
    ],
    ['a prototype', '{"__proto__":{"format":1}}'],
  ])('rules with %s are ignored, and the site is served', async (_, text) => {
    const site = await makeSite({ ...flatFiles, '_hosts/docyard.json': text });
    expect(shown(site, '/old')).toBe('old.html');
    expect(shown(site, '/guide')).toBe('guide.html');
    expect(site.headers).toContain('nosniff');
    expect(site.headers.join('\n')).not.toContain('Set-Cookie');
  });

  test('every path is matched quickly by any pattern', async () => {
    const parts = ['a', 'b', 'c', 'd'].flatMap((name) => [{ text: '-' }, { name, rest: false }]);
    const slow = {
      from: [{ text: '/' }, ...parts, { text: '!' }],
      to: [{ text: '/guide' }],
      permanent: true,
    };
    const site = await makeSite({
      ...flatFiles,
      '_hosts/docyard.json': JSON.stringify({ ...rules, patterns: Array.from({ length: 500 }, () => slow) }),
    });
    expect(site.find(`/${'-'.repeat(4000)}`)).toBeUndefined();
  });
});

test('only files of the manifest are found', async () => {
  const site = await flatSite;
  const known = new Set(Object.keys(flatFiles));
  const pieces = [
    '/',
    '.',
    '..',
    '//',
    '\\',
    '\0',
    '%2e',
    'guide',
    '.html',
    'index',
    'cli',
    'etc',
    'ä',
    '?',
    '#',
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 }), (parts) => {
      const place = shown(site, `/${parts.join('')}`);
      if (place === undefined) return;
      if (place.startsWith('30')) expect(place).toMatch(/^30[78] (?:https:\/\/example\.com\/|\/(?![/\\]))/);
      else expect(known).toContain(place);
    }),
    { numRuns: 2000 },
  );
});

test('a bundle without rules and compressed files is served', async () => {
  const release = await makeRelease(folderFiles, { isCompressed: false });
  const site = await openSite(release);
  expect(shown(site, '/guide/')).toBe('guide/index.html');
  expect(site.basePath).toBe('');
});

const flatSite = makeSite(flatFiles);
const folderSite = makeSite(folderFiles);

test('a site lists its files and reads their text', async () => {
  const site = await makeSite(flatFiles);
  expect([...site.paths()]).toEqual(
    Object.keys(flatFiles).filter((path) => !['_redirects', '_hosts/docyard.json'].includes(path)),
  );
  expect(await site.readText('äpfel.html')).toBe('äpfel');
  for (const path of ['guide', '/guide.html', '../release.json', '_redirects', 'manifest.json'])
    expect(await site.readText(path)).toBeUndefined();
});
