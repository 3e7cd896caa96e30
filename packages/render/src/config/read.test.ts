import { describe, expect, it } from 'vitest';
import { SiteLoadError } from '../model/diagnostic.ts';
import { withFolder } from '../../test/support/render-fixture.ts';
import { readApiSettings } from './api.ts';
import { readConfig } from './read.ts';
import { fromLegacyConfig } from './legacy-config.ts';
import { readSettings } from './settings.ts';

const read = (files: Record<string, string>): ReturnType<typeof readConfig> =>
  withFolder(files, (root) => readConfig(root));

describe('reading docs.json', () => {
  it('reports line, column and a hint for invalid JSON', async () => {
    const failure = await read({ 'docs.json': '{\n  "name": "A"\n  "theme": "mint"\n}' }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(SiteLoadError);
    expect((failure as SiteLoadError).diagnostic).toMatchObject({
      code: 'config_syntax',
      file: 'docs.json',
      line: 3,
      column: 3,
      message: 'docs.json is not valid JSON: a comma was expected',
      hint: 'Put a comma at the end of the entry before line 3.',
    });
  });

  it('reports excessive nesting, and ignores brackets in strings and comments', async () => {
    const brackets = '['.repeat(50_000);
    const failure = await read({ 'docs.json': `{\n"navigation": ${brackets}` }).catch(
      (error: unknown) => error,
    );
    expect((failure as SiteLoadError).diagnostic).toMatchObject({ code: 'config_syntax', line: 2 });
    const { config } = await read({ 'docs.json': `{ "name": "${brackets}" /* ${brackets} */ }` });
    expect(config).toEqual({ name: brackets });
  });

  it('accepts comments, trailing commas and a byte-order mark', async () => {
    const { config } = await read({ 'docs.json': '\uFEFF{ "name": "A", // why\n }' });
    expect(config).toEqual({ name: 'A' });
  });

  it('inlines $ref files; sibling keys win', async () => {
    const { config } = await read({
      'docs.json': '{ "navigation": { "$ref": "parts/nav.json", "tabs": [] } }',
      'parts/nav.json': '{ "tabs": [1], "groups": { "$ref": "groups.json" } }',
      'parts/groups.json': '["x"]',
    });
    expect(config).toEqual({ navigation: { tabs: [], groups: ['x'] } });
  });

  it('rejects a $ref that leaves the folder, is cyclic or does not exist', async () => {
    const { diagnostics } = await read({
      'docs.json':
        '{ "a": { "$ref": "../../etc/passwd" }, "b": { "$ref": "b.json" }, "c": { "$ref": "c.json" } }',
      'b.json': '{ "again": { "$ref": "b.json" } }',
    });
    expect(diagnostics.map(({ message }) => message).toSorted()).toEqual([
      '$ref "../../etc/passwd" leaves the site\'s folder',
      '$ref "b.json" refers back to itself',
      '$ref "c.json" names a file that does not exist',
    ]);
  });

  it('prefers docs.json over mint.json', async () => {
    const { file } = await read({ 'docs.json': '{}', 'mint.json': '{}' });
    expect(file).toBe('docs.json');
  });
});

describe('settings', () => {
  it('report unknown keys and invalid colors with their line', async () => {
    const source = await read({ 'docs.json': '{\n"topbarLinks": [],\n"colors": { "primary": "green" }\n}' });
    const { settings, diagnostics } = readSettings(source, 'folder');
    expect(settings.name).toBe('folder');
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
      ['config_unknown_key', 2],
      ['config_color', 3],
    ]);
  });
});

describe('the older format', () => {
  it('separates versions, with shared entries in each', () => {
    const { navigation } = fromLegacyConfig({
      versions: ['v2', { name: 'v1', default: true }],
      navigation: [
        { group: 'New', version: 'v2', pages: ['new'] },
        { group: 'Old', version: 'v1', pages: ['old'] },
        { group: 'Both', pages: ['both'] },
      ],
    });
    expect(navigation).toMatchObject({
      versions: [
        { version: 'v2', groups: [{ group: 'New' }, { group: 'Both' }] },
        { version: 'v1', default: true, groups: [{ group: 'Old' }, { group: 'Both' }] },
      ],
    });
  });

  it('converts API settings and the sources of tabs', () => {
    const { api, navigation } = fromLegacyConfig({
      openapi: 'openapi.json',
      api: {
        baseUrl: ['https://api.example.com', 'https://eu.example.com'],
        auth: { method: 'key', name: 'X-Key' },
        playground: { mode: 'hide' },
        request: { example: { languages: ['curl'] } },
        paramFields: { expanded: 'all' },
      },
      tabs: [{ name: 'API', url: 'reference', openapi: 'v2.json' }],
      navigation: [{ group: 'Start', pages: ['index'] }],
    });
    expect(readApiSettings(api)).toMatchObject({
      openapi: [{ source: 'openapi.json' }],
      playground: 'none',
      expandParameters: true,
      examples: { languages: ['curl'] },
      frontMatterDefaults: {
        servers: ['https://api.example.com', 'https://eu.example.com'],
        auth: { method: 'key', name: 'X-Key' },
      },
    });
    expect(navigation).toMatchObject({
      tabs: [
        { tab: 'Documentation' },
        { tab: 'API', openapi: { source: 'v2.json', directory: 'reference' } },
      ],
    });
  });
});
