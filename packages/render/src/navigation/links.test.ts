import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../outputs/site-outputs.ts';
import { createLinkResolver } from './links.ts';

const links = createLinkResolver({
  routes: ['index', 'guides/start', 'guides/deep/index', 'api/first', 'api/second', 'CamelCase'],
  files: ['img/logo.png', 'guides/pic.png'],
  redirects: [
    { source: '/old/:slug*', destination: '/guides/:slug*', permanent: true },
    { source: '/one/:id/two', destination: '/guides/start', permanent: true },
    { source: 'away', destination: 'https://example.com/x', permanent: true },
    { source: '/loop', destination: '/loop', permanent: true },
  ],
  basePath: '/help',
  generatedFiles: generatedFiles({ hasOrigin: true }),
});

const resolve = (href: string, from = 'guides/start.mdx'): string => {
  const target = links.resolve(href, from);
  if (target.kind === 'page') return target.route + target.suffix;
  if (target.kind === 'file') return `file ${target.file}`;
  if (target.kind === 'output') return `output ${target.path}`;
  if (target.kind === 'outside') return target.href;
  return target.kind === 'here' ? `here ${target.suffix}` : target.kind;
};

describe('a link', () => {
  it.each([
    ['/guides/start', 'guides/start'],
    ['/guides/start/', 'guides/start'],
    ['/guides/start.mdx#x', 'guides/start#x'],
    ['/guides/start.html?tab=1', 'guides/start?tab=1'],
    ['./deep', 'guides/deep/index'],
    ['deep/index', 'guides/deep/index'],
    ['../api/first', 'api/first'],
    ['../../api/first', 'api/first'],
    ['api/first', 'api/first'],
    ['/', 'index'],
    ['/help', 'index'],
    ['/help/', 'index'],
    ['../', 'index'],
    ['/api', 'api/first'],
    ['/camelcase', 'CamelCase'],
    ['/help/guides/start', 'guides/start'],
    ['/docs/guides/start', 'guides/start'],
    ['/old/start', 'guides/start'],
    ['/llms.txt', 'output llms.txt'],
    ['/sitemap.xml', 'output sitemap.xml'],
    ['/rss.xml', 'output rss.xml'],
    ['/print.html', 'output print.html'],
    ['/guides/start/rss.xml', 'output guides/start/rss.xml'],
    ['/guides/nowhere/rss.xml', 'broken'],
    ['/one/7/two#a', 'guides/start#a'],
    ['/away', 'https://example.com/x'],
    ['/loop', 'broken'],
    ['/img/logo.png', 'file img/logo.png'],
    ['pic.png', 'file guides/pic.png'],
    ['#part', 'here #part'],
    ['', 'here '],
    ['//example.com/a', 'https://example.com/a'],
    ['https://example.com', 'https://example.com'],
    ['mailto:a@b.c', 'mailto:a@b.c'],
    ['/nowhere', 'broken'],
    ['../../../../etc/passwd', 'broken'],
  ])('to %s is %s', (href, meaning) => {
    expect(resolve(href)).toBe(meaning);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'java\u0000script:alert(1)',
    '\u0001javascript:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:x',
  ])('to %j is unsafe', (href) => {
    expect(resolve(href)).toBe('unsafe');
  });

  it.each(['/', '../', '/help', '/help/'])(
    'to %s is the file at the root on a site without a root page',
    (href) => {
      const routes = ['guides/start', 'api/first'];
      const rootless = createLinkResolver({
        routes,
        files: [],
        redirects: [],
        basePath: '/help',
        generatedFiles: [],
      });
      const home = { kind: 'output', path: 'index.html', suffix: '' };
      expect(rootless.resolve(href, 'guides/start.mdx')).toEqual(home);
    },
  );
});
