import { describe, expect, test } from 'vitest';
import { withFolder } from '../../test/support/render-fixture.ts';
import { audiencesOf, type SiteAudiences } from './audiences.ts';
import { loadSite } from './load.ts';

const page = (matter: string) => `---\n${matter}\n---\n\nText.`;
const audiences = (files: Record<string, string>): Promise<SiteAudiences> =>
  withFolder({ 'index.mdx': page('title: Home'), ...files }, async (root) =>
    audiencesOf(await loadSite({ root })),
  );
const forGroups = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [`${name}.mdx`, page(`groups: [${name}]`)]));
const docs = (settings: object) => ({ 'docs.json': JSON.stringify({ name: 'Harbor', ...settings }) });
const groupsOf = ({ audiences: all }: SiteAudiences) => all.map(({ groups }) => groups.join('+'));

describe('the audiences of a site', () => {
  test('are none without groups and public pages', async () => {
    expect(await audiences({})).toEqual({ audiences: [], excludedGroups: [], findings: [] });
  });

  test('are all combinations of up to four groups, also of groups that exclude', async () => {
    const excluding = page('groups:\n  - includes: ["*"]\n    excludes: [crew]');
    const found = await audiences({ ...forGroups('pilots', 'cooks'), 'shore.mdx': excluding });
    expect(groupsOf(found)).toEqual([
      'cooks',
      'crew',
      'cooks+crew',
      'pilots',
      'cooks+pilots',
      'crew+pilots',
      'cooks+crew+pilots',
    ]);
    expect(found.excludedGroups).toEqual(['crew']);
    expect(found.audiences.every(({ isSignedIn }) => isSignedIn)).toBe(true);
    expect(found.findings).toEqual([]);
  });

  test('of more groups are single groups, all groups and the declared combinations', async () => {
    const files = forGroups('a', 'b', 'c', 'd', 'e');
    const undeclared = await audiences(files);
    expect(groupsOf(undeclared)).toEqual(['a+b+c+d+e', 'a', 'b', 'c', 'd', 'e']);
    expect(undeclared.findings).toMatchObject([{ code: 'audiences_limited', severity: 'warning' }]);
    const access = { audiences: [['e', 'b', 'unknown'], ['unknown'], ['a']] };
    const declared = await audiences({ ...files, ...docs({ access }) });
    expect(groupsOf(declared)).toEqual(['b+e', 'a', 'a+b+c+d+e', 'b', 'c', 'd', 'e']);
    expect(declared.findings).toEqual([]);
  });

  test('never exceed the limit of a bundle', async () => {
    const names = Array.from({ length: 80 }, (_, index) => `group${index}`);
    const found = await audiences({ ...forGroups(...names), 'open.mdx': page('public: true') });
    expect(found.audiences).toHaveLength(64);
    expect(found.findings).toMatchObject([{ code: 'audiences_limited' }]);
  });

  test.each([
    ['a page', { 'open.mdx': page('public: true') }],
    [
      'a group of the navigation',
      docs({
        navigation: { groups: [{ group: 'Open', public: true, pages: [{ group: 'In', pages: ['index'] }] }] },
      }),
    ],
    ['the site', docs({ public: true })],
  ])('include readers who have not signed in if %s is public', async (_, files) => {
    expect((await audiences(files)).audiences).toEqual([{ isSignedIn: false, groups: [] }]);
  });

  test('do not include readers who have not signed in if every public page denies it', async () => {
    const navigation = { groups: [{ group: 'Open', public: true, pages: ['index'] }] };
    const files = { ...docs({ navigation }), 'index.mdx': page('public: false') };
    expect((await audiences(files)).audiences).toEqual([]);
  });

  test('contain the groups of API descriptions', async () => {
    const schema = { type: 'string', 'x-mint': { groups: ['crew'] }, 'x-mint-enum': { north: ['pilots'] } };
    const description = {
      openapi: '3.1.0',
      info: { title: 'Harbor', version: '1' },
      paths: { '/a': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } },
    };
    const files = {
      ...docs({ navigation: { groups: [{ group: 'API', openapi: 'api.json' }] } }),
      'api.json': JSON.stringify(description),
    };
    expect(groupsOf(await audiences(files))).toEqual(['crew', 'pilots', 'crew+pilots']);
  });
});
