import { describe, expect, it } from 'vitest';
import { renderFiles, renderFixture } from '../../test/support/render-fixture.ts';
import { problemOf, renamedFile } from './output-names.ts';
import { renamedPaths, safePath } from './safe-names.ts';

describe('a name that not every file system can hold', () => {
  it.each([
    ['guides/a:b', 'guides/a-b'],
    ['what?', 'what-'],
    ['a > b', 'a - b'],
    ['con', 'con_'],
    ['aux.png', 'aux_.png'],
    ['folder./page', 'folder/page'],
    ['trailing ', 'trailing'],
    ['lpt1/x', 'lpt1_/x'],
  ])('the name %j becomes %j', (name, safe) => {
    expect(safePath(name)).toBe(safe);
    expect(problemOf(`${safe}.html`)).toBeUndefined();
  });

  it.each(['???', '...', 'x'.repeat(300), 'ü'.repeat(200), 'a\u0308'])(
    'the name %j becomes portable',
    (name) => {
      expect(problemOf(`${safePath(name)}.html`)).toBeUndefined();
    },
  );

  it('among names that differ only in case, the lower-case one is kept', () => {
    expect([...renamedPaths(['Guide', 'GUIDE', 'guide', 'Other'])]).toEqual([
      ['GUIDE', 'GUIDE-2'],
      ['Guide', 'Guide-3'],
    ]);
  });

  it('a name in use is kept by its file', () => {
    expect([...renamedPaths(['a-b.png', 'a:b.png'])]).toEqual([['a:b.png', 'a-b-2.png']]);
  });
});

describe('a site with such names', () => {
  const files = {
    'docs.json': JSON.stringify({
      name: 'Site',
      navigation: { pages: ['index', 'api/user:create', 'a > b', 'Case', 'case', 'aux', 'dot.'] },
    }),
    'index.mdx': [
      '[one](/api/user:create) [two](/a%20%3E%20b) [three](/Case#part) [four](/case) [five](/aux) [six](/dot.)',
      '![A picture](/images/a:b.png) ![Another](/images/Logo.svg) ![Third](/images/logo.svg)',
    ].join('\n\n'),
    'api/user:create.mdx': '# Create',
    'a > b.mdx': '# Greater',
    'Case.mdx': '# Upper\n\n## Part',
    'case.mdx': '# Lower',
    'aux.mdx': '# Reserved',
    'dot..mdx': '# Dot',
    'images/a:b.png': 'png',
    'images/Logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'images/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  };

  it('every page and file is written under a usable name, linked to, redirected from its own, and reported', async () => {
    const site = await renderFiles(files);
    const pages = ['api/user-create', 'a - b', 'Case-2', 'case', 'aux_', 'dot'];
    for (const page of pages) expect([...site.files.keys()]).toContain(`${page}.html`);
    expect([...site.files.keys()]).toEqual(
      expect.arrayContaining(['images/a-b.png', 'images/Logo-2.svg', 'images/logo.svg']),
    );
    for (const path of site.files.keys()) expect(problemOf(path), path).toBeUndefined();
    const lowerCase = [...site.files.keys()].map((path) => path.toLowerCase());
    expect(new Set(lowerCase).size).toBe(lowerCase.length);

    const home = site.content('index.html');
    for (const href of [
      'api/user-create.html',
      'a%20-%20b.html',
      'Case-2.html#part',
      'case.html',
      'aux_.html',
      'dot.html',
    ])
      expect(home).toContain(`href="${href}"`);
    expect(home).toContain('src="images/a-b.png"');

    const redirects = site.files.get('_redirects') ?? '';
    expect(redirects).toContain('\n/api/user%3Acreate /api/user-create.html 301\n');
    expect(redirects).toContain('\n/a%20%3E%20b /a%20-%20b.html 301\n');
    expect(redirects).toContain('\n/images/a%3Ab.png /images/a-b.png 301\n');
    expect(site.files.get('_hosts/nginx.conf')).toContain('location = "/api/user:create" {');
    expect(site.files.get('_hosts/Caddyfile')).toContain('path_regexp `^/Case(?:/|\\.html)?$`');
    expect(site.files.get('_hosts/docyard.json')).toContain('"from": "/Case"');

    const found = site.diagnostics.filter(({ code }) => code === 'file_name_unusable');
    expect(found.map(({ severity, file }) => `${severity} ${file}`).toSorted()).toEqual(
      [
        'Case.mdx',
        'a > b.mdx',
        'api/user:create.mdx',
        'aux.mdx',
        'dot..mdx',
        'images/Logo.svg',
        'images/a:b.png',
      ].map((file) => `warning ${file}`),
    );
    expect(site.codes).not.toContain('broken_link');
    expect(site.codes).not.toContain('nav_page_missing');
  });

  it('a folder of such files becomes pages with redirects from their own addresses', async () => {
    const site = await renderFixture('names-of-files');
    const renamed = {
      'api/user%3Acreate': 'api/user-create.html',
      'a%20%3E%20b': 'a%20-%20b.html',
      'say%20%22hi%22': 'say%20-hi-.html',
      aux: 'aux_.html',
    };
    const redirects = site.files.get('_redirects') ?? '';
    for (const [from, to] of Object.entries(renamed)) {
      expect(redirects).toContain(`\n/${from} /${to} 301\n`);
      expect(site.content('index.html')).toContain(`href="${to}"`);
      expect([...site.files.keys()]).toContain(decodeURIComponent(to));
    }
    expect(redirects).toContain('\n/images/a%3Ab.svg /images/a-b.svg 301\n');
    expect(site.content('index.html')).toContain('src="images/a-b.svg"');
    expect(site.codes.filter((code) => code !== 'file_name_unusable')).toEqual([]);
    expect(site.codes).toHaveLength(5);
  });

  it('a name that no address can express is reported without a promise of a redirect', () => {
    const { message } = renamedFile(
      'half \ud800.mdx',
      'half \ufffd',
      'contains a character that some systems do not allow',
    );
    expect(message).toContain('nothing leads there from its name');
  });
});
