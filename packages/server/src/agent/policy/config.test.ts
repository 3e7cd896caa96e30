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
  ])('may get %j', (change) => expect(setting(change)).toBe('pass'));

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
  ])('may not get %j', (change) => expect(setting(change)).toBe('block config'));

  it('may get what the project opens', () => {
    const change = { redirects: [{ source: '/a', destination: 'https://docs.acme.io/a' }] };
    expect(setting(change, { allowedConfigKeys: ['redirects'] })).toBe('pass');
  });

  it('asks people to look at other tags and at new parts', () => {
    expect(setting({ seo: { metatags: { robots: 'noindex' } } })).toBe('draft config');
    expect(setting({ navigation: { $ref: './nav.json' } })).toBe('draft config');
  });

  it.each([
    ['broken', changed('docs.json', '{}', '{')],
    ['removed', changed('docs.json', '{}', null)],
    ['moved', changed('docs.json', '{}', '{}', { status: 'moved', from: 'other.json' })],
    ['nested past any depth', changed('docs.json', '{}', `${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  ])('may not be %s', (_, file) => expect(outcomeOf([file])).toContain('block config'));

  it('reads order and repeats of a list as no change', () => {
    const list = (pages: string[]) => JSON.stringify({ scripts: pages });
    expect(outcomeOf([changed('docs.json', list(['a', 'b']), list(['b', 'a']))])).toBe('pass');
    expect(outcomeOf([changed('docs.json', list(['a']), list(['a', 'a']))])).toBe('block config');
  });
});

describe('a file that is part of docs.json', () => {
  const existing = {
    ...plainSettings.existing,
    configParts: new Map([['parts/tracking.json', 'integrations']]),
  };

  it('is judged by the key it stands for', () => {
    const edit = changed('parts/tracking.json', '{}', '{"gtm":{"tagId":"GTM-1"}}');
    expect(outcomeOf([edit], { existing })).toBe('block config');
    expect(outcomeOf([edit])).toBe('pass');
  });

  it('is also found when the same change makes it one', () => {
    const edit = [
      changed('docs.json', '{}', '{"integrations":{"$ref":"./new.json"}}'),
      changed('new.json', null, '{"gtm":{"tagId":"GTM-1"}}'),
    ];
    expect(outcomeOf(edit)).toBe('block config');
  });

  it('below another docs root', () => {
    const edit = changed('site/docs.json', '{}', '{"scripts":["/a.js"]}');
    expect(outcomeOf([edit], { docsRoot: 'site' })).toBe('block config');
  });
});
