import { describe, expect, it } from 'vitest';
import type { PolicySettings } from './rule.ts';
import { changed, outcomeOf, plainSettings } from '../../../test/support/policy-verdicts.ts';

const site = {
  theme: 'mint',
  name: 'A',
  navigation: { pages: ['index'] },
  integrations: { ga4: { measurementId: 'G-1' } },
};
const setting = (change: object, settings: Partial<PolicySettings> = {}) =>
  outcomeOf([changed('docs.json', JSON.stringify(site), JSON.stringify({ ...site, ...change }))], settings);

describe('docs.json', () => {
  it.each([
    { navigation: { pages: ['a', 'index'] } },
    { redirects: [{ source: '/a', destination: '/b' }] },
    { name: 'B' },
    { colors: { primary: '#fff' } },
    { banner: { content: 'New: [read](/a)' } },
  ])('the change %j passes', (change) => expect(setting(change)).toBe('pass'));

  it.each([
    { integrations: { ga4: { measurementId: 'G-2' } } },
    { integrations: {} },
    { scripts: ['/a.js'] },
    { api: { proxy: 'https://docs.acme.io' } },
    { api: { playground: { proxy: true } } },
    { api: { mdx: { server: 'https://docs.acme.io' } } },
    { customDomain: 'docs.acme.io' },
    { canonical: 'docs.acme.io' },
    { seo: { metatags: { 'google-site-verification': 'x' } } },
    { redirects: [{ source: '/a', destination: 'https://docs.acme.io/a' }] },
    { api: { openapi: 'https://docs.acme.io/openapi.json' } },
    { navigation: { $ref: '../outside.json' } },
    { navigation: { $ref: '/etc/passwd' } },
    { navigation: { $ref: 'https://docs.acme.io/nav.json' } },
    { logo: { href: 'java\tscript:x' } },
    { banner: { content: '<script>x</script>' } },
    { banner: { content: '<b onclick="x">a</b>' } },
  ])('the change %j is blocked', (change) => expect(setting(change)).toBe('block config'));

  it('a key that the project allows passes', () => {
    const change = { redirects: [{ source: '/a', destination: 'https://docs.acme.io/a' }] };
    expect(setting(change, { allowedConfigKeys: ['redirects'] })).toBe('pass');
  });

  it('other meta tags and new parts make a draft', () => {
    expect(setting({ seo: { metatags: { robots: 'noindex' } } })).toBe('draft config');
    expect(setting({ navigation: { $ref: './nav.json' } })).toBe('draft config');
  });

  it.each([
    ['broken', changed('docs.json', '{}', '{')],
    ['removed', changed('docs.json', '{}', null)],
    ['moved', changed('docs.json', '{}', '{}', { status: 'moved', from: 'other.json' })],
    ['nested past any depth', changed('docs.json', '{}', `${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  ])('docs.json that is %s is blocked', (_, file) => expect(outcomeOf([file])).toContain('block config'));

  it('order and repetitions in a list are not a change', () => {
    const list = (pages: string[]) => JSON.stringify({ scripts: pages });
    expect(outcomeOf([changed('docs.json', list(['a', 'b']), list(['b', 'a']))])).toBe('pass');
    expect(outcomeOf([changed('docs.json', list(['a']), list(['a', 'a']))])).toBe('block config');
  });
});

describe('a file that docs.json includes', () => {
  const existing = {
    ...plainSettings.existing,
    configParts: new Map([['parts/tracking.json', 'integrations']]),
  };

  it('an included file is judged by its key', () => {
    const edit = changed('parts/tracking.json', '{}', '{"gtm":{"tagId":"GTM-1"}}');
    expect(outcomeOf([edit], { existing })).toBe('block config');
    expect(outcomeOf([edit])).toBe('pass');
  });

  it('a file that the same change includes is found', () => {
    const edit = [
      changed('docs.json', '{}', '{"integrations":{"$ref":"./new.json"}}'),
      changed('new.json', null, '{"gtm":{"tagId":"GTM-1"}}'),
    ];
    expect(outcomeOf(edit)).toBe('block config');
  });

  it('included files below another docs root are found', () => {
    const edit = changed('site/docs.json', '{}', '{"scripts":["/a.js"]}');
    expect(outcomeOf([edit], { docsRoot: 'site' })).toBe('block config');
  });
});
