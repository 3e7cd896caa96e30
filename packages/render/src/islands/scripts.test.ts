import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bundleIslandScript, islandScriptFile } from '../../test/support/island-bundle.ts';
import { IslandScripts } from './scripts.ts';

describe('the islands script', () => {
  it('the committed islands script matches its source', async () => {
    expect(
      await readFile(islandScriptFile, 'utf8'),
      'islands/files/islands.js is stale. Run `node scripts/islands.ts` and commit the result.',
    ).toBe(await bundleIslandScript());
  });

  it('the islands script stays within its size budget, contacts no host and evaluates no text', async () => {
    const script = await readFile(islandScriptFile, 'utf8');
    expect(gzipSync(script).length).toBeLessThan(14_900);
    expect(script).not.toMatch(/\beval\(|new Function|fetch\(|XMLHttpRequest|\bimport\(/);
    expect(script).not.toMatch(/https?:\/\/(?!www\.w3\.org\/)/);
  });
});

describe('the scripts of modules', () => {
  const module = { id: 'snippets/My Counter.mdx', factory: '(function () {})' };

  it('module scripts are named by their content and shared by all pages', () => {
    const scripts = new IslandScripts();
    const [path] = scripts.use([module]).modules;
    expect(scripts.use([module]).modules).toEqual([path]);
    expect(path).toMatch(/^_docyard\/islands\/my-counter\.[0-9a-f]{12}\.js$/);
    const changed = scripts.use([{ ...module, factory: '(function () { 1 })' }]).modules;
    expect(changed).not.toEqual([path]);
    expect(scripts.files().map((file) => file.path)).toEqual([
      '_docyard/islands.js',
      ...[path, ...changed].toSorted(),
    ]);
  });

  it('a module script only defines its module', () => {
    const scripts = new IslandScripts();
    const [path = ''] = scripts.use([module]).modules;
    expect(scripts.file(path)).toBe('docyardIslands.define("snippets/My Counter.mdx",(function () {}));\n');
  });

  it('only a site with islands has module scripts', () => {
    expect(new IslandScripts().files()).toEqual([]);
  });
});
