/**
 * Each folder of `fixtures/openapi` is a small site with its expected pages, navigation and findings in
 * `expected.json`. Update with `npx vitest run packages/render/src/openapi/site-api.test.ts -u` and review the
 * diff.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadSite } from '../pipeline/load.ts';
import type { NavEntry } from '../navigation/tree.ts';
import { planSite, planTasks } from '../pipeline/site-plan.ts';
import { fixture, withFolder } from '../../test/support/render-fixture.ts';
import type { Site } from '../site/site.ts';

describe('sites with API descriptions', () => {
  it.each(readdirSync(fixture('openapi')).toSorted())('%s', async (name) => {
    const site = await loadSite({ root: fixture(`openapi/${name}`) });
    const expected = {
      pages: Object.fromEntries(site.pages.map(({ path }) => [path, pageText(site, path)])),
      navigation: site.navigation.branches.map(({ steps, entries }) => [
        steps.map(({ division }) => division.label).join(' > '),
        entries.map(entryText),
      ]),
      findings: site.diagnostics.map(
        ({ severity, code, file, line, column, message, hint }) =>
          `${severity} ${code} ${file}:${line ?? ''}:${column ?? ''} ${message}${hint ? ` [${hint}]` : ''}`,
      ),
    };
    await expect(`${JSON.stringify(expected, null, 2)}\n`).toMatchFileSnapshot(
      fixture(`openapi/${name}/expected.json`),
    );
  });
});

function pageText(site: Site, route: string): string {
  const meta = site.metas.get(route);
  if (!meta) return 'no page';
  const { title, description, endpoint, api, file } = meta;
  const marks = [
    meta.generated ? 'generated' : '',
    meta.deprecated ? 'deprecated' : '',
    meta.hidden ? 'hidden' : '',
    meta.hideApiMarker ? 'no marker' : '',
    meta.content ? 'with content' : '',
  ];
  return [
    title,
    description,
    endpoint ? `${endpoint.method} ${endpoint.path}` : '',
    api ? `${api.kind} of ${'spec' in api ? api.spec : 'the page'}` : `from ${file}`,
    ...marks,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

function entryText(entry: NavEntry): unknown {
  if (entry.kind === 'page') return entry.route;
  return entry.kind === 'link' ? entry.href : { [entry.label]: entry.entries.map(entryText) };
}

describe('coverage of API descriptions', () => {
  it('the operations without a page are reported', async () => {
    const paths = { '/a': { get: {}, put: {} }, '/b': { get: {}, post: { 'x-excluded': true } } };
    await withFolder(
      {
        'docs.json': '{}',
        'spec.json': JSON.stringify({ openapi: '3.1.0', paths, webhooks: { fired: { post: {} } } }),
        'page.mdx': '---\nopenapi: GET /a\n---\n',
      },
      async (root) =>
        expect((await loadSite({ root })).diagnostics).toMatchObject([
          {
            severity: 'info',
            code: 'openapi_unlisted',
            file: 'spec.json',
            message: '3 of 4 operations have no page: PUT /a, GET /b, webhook fired',
          },
        ]),
    );
  });

  it.each([
    ['expanded', 'openapi.yaml', 10],
    ['expanded', 'more.json', 1],
    ['swagger', 'swagger.yaml', 2],
    ['parts', 'api/openapi.yaml', 2],
    ['overlay', 'openapi.json', 2],
    ['asyncapi', 'asyncapi.yaml', 2],
  ])(
    '%s/%s: every operation has a page, or a mark that keeps it from having one',
    async (name, spec, count) => {
      const site = await loadSite({ root: fixture(`openapi/${name}`) });
      const document = site.specOf(spec) as Record<string, Record<string, Record<string, unknown>>>;
      const operations = ['paths', 'webhooks'].flatMap((part) =>
        Object.entries(document[part] ?? {}).flatMap(([path, item]) =>
          Object.entries(item)
            .filter(([method]) => /^(?:get|put|post|delete|patch)$/.test(method))
            .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
        ),
      );
      const channels = Object.keys(document['channels'] ?? {});
      const pages = new Set(
        [...site.metas.values()].flatMap(({ api }) => {
          if (!api || api.kind === 'front-matter' || api.kind === 'schema' || api.spec !== spec) return [];
          if (api.kind === 'channel') return [api.name];
          return [`${api.method} ${api.kind === 'operation' ? api.path : api.name}`];
        }),
      );
      const unshown = operations.filter((one) => !pages.has(one.name));
      expect(unshown.every(({ operation }) => Object.hasOwn(operation as object, 'x-excluded'))).toBe(true);
      expect(channels.filter((channel) => !pages.has(channel))).toEqual([]);
      expect(operations.length + channels.length).toBe(count);
    },
  );
});

describe('API descriptions of other hosts', () => {
  const remote = JSON.stringify({
    openapi: '3.1.0',
    paths: { '/things': { get: { summary: 'List things' } }, '/more': { get: { summary: 'More' } } },
  });

  it("are fetched with the caller's function", async () => {
    const asked: string[] = [];
    const site = await loadSite({
      root: fixture('openapi/remote'),
      fetchRemote: (url) => {
        asked.push(url);
        return Promise.resolve(Buffer.from(remote));
      },
    });
    expect(asked).toEqual(['https://example.com/openapi.json']);
    expect(site.pages.map(({ path }) => path)).toEqual([
      'index',
      'bound',
      'api-reference/list-things',
      'api-reference/more',
    ]);
    expect(site.metas.get('bound')?.title).toBe('List things');
    expect(site.diagnostics).toEqual([]);
  });

  it.each([
    ['refuses', () => Promise.reject(new Error('address not allowed'))],
    ['answers with more than 20 MB', () => Promise.resolve(new Uint8Array(20_000_001))],
    ['answers with something else', () => Promise.resolve(Buffer.from('<html></html>'))],
  ])('affect only their own entries when the function %s', async (_, fetchRemote) => {
    const site = await loadSite({ root: fixture('openapi/remote'), fetchRemote });
    expect(site.pages.map(({ path }) => path)).toEqual(['index', 'bound']);
    expect(site.diagnostics.map(({ severity }) => severity)).toEqual(['warning']);
  });
});

describe('the site plan for render processes', () => {
  it('contains only the API descriptions that pages of the output use', async () => {
    const site = await loadSite({ root: fixture('openapi/bound') });
    const names = (paths?: string[]): string[] => Object.keys(planSite(site, paths ? { paths } : {}).specs);
    expect(names()).toEqual(['guides/single.yml', 'specs/shop.json', 'specs/v2.yaml']);
    expect(names(['inherited'])).toEqual(['specs/v2.yaml']);
    expect(names(['index', 'written'])).toEqual([]);
  });

  it('contains the target of each page and texts from its API description', async () => {
    const site = await loadSite({ root: fixture('openapi/expanded') });
    const tasks = planTasks(site, planSite(site, { paths: ['teams/add'] }), new Map());
    expect(tasks[0]).toMatchObject({
      route: 'teams/add',
      file: 'openapi.yaml',
      generated: true,
      api: { kind: 'operation', spec: 'openapi.yaml', method: 'POST', path: '/teams/{team}/users/{id}' },
      content: 'Some <b>own</b> words.\n',
    });
  });

  it('excludes generated pages that are not visible to the given groups', async () => {
    const site = await loadSite({ root: fixture('openapi/expanded') });
    expect(planSite(site, { groups: ['guests'] }).rendered).not.toContain('teams/add');
    expect(planSite(site, { groups: ['staff'] }).rendered).toContain('teams/add');
  });
});

describe('finding descriptions', () => {
  const spec = (path: string, more: object = {}): string =>
    JSON.stringify({ ...more, openapi: '3.1.0', paths: { [path]: { get: { summary: path.slice(1) } } } });
  const routes = (files: Record<string, string>, config: object): Promise<string[]> =>
    withFolder({ 'index.mdx': 'Text.', 'docs.json': JSON.stringify(config), ...files }, async (root) =>
      (await loadSite({ root })).pages.map(({ path }) => path),
    );

  it('resolves a folder to all its API descriptions', async () => {
    const files = {
      'specs/b.json': spec('/b'),
      'specs/a.json': spec('/a'),
      'specs/data.json': '{"rows":[]}',
    };
    expect(await routes(files, { navigation: { groups: [{ group: 'API', openapi: 'specs' }] } })).toEqual([
      'api-reference/a',
      'api-reference/b',
      'index',
    ]);
  });

  it('detects an API description with sorted keys, whose version comes late', async () => {
    const components = { schemas: { Long: { description: 'x'.repeat(10_000) } } };
    const files = {
      'deep/late.json': spec('/late', { components }),
      'page.mdx': '---\nopenapi: GET /late\n---\n',
    };
    await withFolder({ ...files, 'docs.json': '{}' }, async (root) => {
      const site = await loadSite({ root });
      expect(site.metas.get('page')?.api).toMatchObject({ spec: 'deep/late.json' });
    });
  });

  it('generates pages in the configured directory', async () => {
    const config = {
      api: { openapi: { source: 'a.json', directory: 'endpoints' } },
      navigation: { pages: ['index', 'GET /a'] },
    };
    expect(await routes({ 'a.json': spec('/a') }, config)).toEqual(['index', 'endpoints/a']);
  });

  it('supports a site without any page file', async () => {
    await withFolder(
      {
        'docs.json': JSON.stringify({ navigation: { groups: [{ group: 'API', openapi: 'a.json' }] } }),
        'a.json': spec('/a'),
      },
      async (root) =>
        expect((await loadSite({ root })).pages.map(({ path }) => path)).toEqual(['api-reference/a']),
    );
  });

  it('reports problems of an API description only when pages use it', async () => {
    const wrong = JSON.stringify({
      openapi: '3.1.0',
      paths: { '/a': { get: { responses: { 200: { $ref: '#/nowhere' } } } } },
    });
    const codes = (matter: string): Promise<string[]> =>
      withFolder(
        { 'docs.json': '{}', 'a.json': wrong, 'b.json': spec('/b'), 'page.mdx': `---\n${matter}\n---\n` },
        async (root) => (await loadSite({ root })).diagnostics.map(({ code }) => code),
      );
    expect(await codes('openapi: GET /a')).toEqual(['openapi_ref_missing', 'openapi_unused']);
    expect(await codes('openapi: GET /b')).toEqual(['openapi_unused']);
  });

  it('reports a missing overlay', async () => {
    const openapi = { source: 'a.json', overlays: ['gone.yaml'] };
    await withFolder(
      {
        'docs.json': JSON.stringify({ navigation: { groups: [{ group: 'API', openapi }] } }),
        'a.json': spec('/a'),
      },
      async (root) =>
        expect((await loadSite({ root })).diagnostics).toMatchObject([
          {
            code: 'openapi_overlay',
            message: 'The overlay "gone.yaml" does not exist',
            file: 'docs.json',
            line: 1,
          },
        ]),
    );
  });

  it('does not read ignored files', async () => {
    const files = { '.mintignore': 'private/', 'private/a.json': spec('/a') };
    expect(await routes(files, { navigation: { pages: ['index', 'GET /a'] } })).toEqual(['index']);
  });
});

describe('lazy loading', () => {
  it('does not read unreferenced API descriptions', async () => {
    const site = await withFolder(
      {
        'docs.json': '{"api":{"openapi":"broken.json"}}',
        'index.mdx': 'Text.',
        'broken.json': '{"openapi":"3.1.0"',
      },
      (root) => loadSite({ root }),
    );
    expect(site.diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ['openapi_unused', 'broken.json'],
    ]);
  });

  it('reads unreferenced API descriptions only for operations that the configured ones lack', async () => {
    const files = {
      'docs.json': '{"api":{"openapi":"main.json"}}',
      'a.mdx': '---\nopenapi: GET /main\n---\n',
      'main.json': '{"openapi":"3.1.0","paths":{"/main":{"get":{}}}}',
      'broken.json': '{"openapi":"3.1.0"',
    };
    const codes = async (more: Record<string, string>): Promise<string[]> =>
      withFolder({ ...files, ...more }, async (root) =>
        (await loadSite({ root })).diagnostics
          .map(({ code }) => code)
          .filter((code) => code.startsWith('openapi')),
      );
    expect(await codes({})).toEqual(['openapi_unused']);
    expect(await codes({ 'b.mdx': '---\nopenapi: GET /other\n---\n' })).toEqual([
      'openapi_operation_missing',
      'openapi_invalid',
    ]);
  });
});
