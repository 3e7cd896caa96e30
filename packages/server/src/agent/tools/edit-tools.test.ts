import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deleteFile } from './delete-file.ts';
import { editFile, multiEdit } from './edit-file.ts';
import { readFile } from './read-file.ts';
import { bench, type TestBench } from '../../../test/support/tool-bench.ts';
import { writeFile } from './write-file.ts';

async function opened(site: TestBench, path: string): Promise<TestBench> {
  await site.run(readFile, { path });
  return site;
}

describe('edit_file', () => {
  test('one occurrence is replaced and shown with context', async () => {
    const site = await opened(bench({ 'a.mdx': 'one\ntwo\nthree\n' }), 'a.mdx');
    const result = await site.run(editFile, { path: 'a.mdx', old: 'two', new: 'deux\ntrois' });
    expect(result.text).toBe(
      'Changed a.mdx. It is 1 line longer.\n     1\tone\n-    2\ttwo\n+    2\tdeux\n+    3\ttrois\n     4\tthree',
    );
    expect(result.changes).toEqual([{ path: 'a.mdx', content: 'one\ndeux\ntrois\nthree\n' }]);
  });

  test('line endings and the byte order mark are preserved, also when mixed', async () => {
    const site = bench({ 'w.mdx': '\ufeffone\r\ntwo\r\nthree\r\n', 'm.mdx': 'a\r\nb\nc\n' });
    for (const path of ['w.mdx', 'm.mdx']) await site.run(readFile, { path });
    await site.run(editFile, { path: 'w.mdx', old: 'one\ntwo', new: '1\n2' });
    expect(site.read('w.mdx')).toBe('\ufeff1\r\n2\r\nthree\r\n');
    await site.run(editFile, { path: 'm.mdx', old: 'b\nc', new: 'B\nC' });
    expect(site.read('m.mdx')).toBe('a\r\nB\nC\n');
  });

  test('the current content must have been read', async () => {
    const site = bench({ 'a.mdx': 'one' });
    const edit = { path: 'a.mdx', old: 'one', new: 'two' };
    expect(await site.run(editFile, edit)).toEqual({
      text: 'a.mdx was not changed, because you have not read it. Send the call again if it fits this content:\na.mdx: lines 1–1 of 1\n    1\tone',
      isError: true,
    });
    expect(site.read('a.mdx')).toBe('one');
    site.write('a.mdx', 'one!');
    expect((await site.run(editFile, edit)).text).toMatch(/it has changed since you read it[^]+1\tone!$/);
    expect((await site.run(editFile, edit)).isError).toBeUndefined();
    expect((await site.run(editFile, { ...edit, old: 'two', new: 'three' })).isError).toBeUndefined();
  });

  test('ambiguous text lists every line, and replace_all changes all', async () => {
    const site = await opened(bench({ 'a.mdx': 'x\ny\nx\nx' }), 'a.mdx');
    const result = await site.run(editFile, { path: 'a.mdx', old: 'x', new: 'z' });
    expect(result.text).toContain('occurs 3 times in the file, at lines 1, 3, 4.');
    expect(site.read('a.mdx')).toBe('x\ny\nx\nx');
    await site.run(editFile, { path: 'a.mdx', old: 'x', new: 'z', replace_all: true });
    expect(site.read('a.mdx')).toBe('z\ny\nz\nz');
  });

  test('an addition that is repeated is made once', async () => {
    const site = await opened(bench({ 'a.mdx': 'intro\nSent on Monday. Paid by card.\n' }), 'a.mdx');
    const edit = { path: 'a.mdx', old: 'Sent on Monday.', new: 'Sent on Monday. Due in May.' };
    await site.run(editFile, edit);
    for (const repeated of [edit, { ...edit, replace_all: true }]) {
      const { isError, text } = await site.run(editFile, repeated);
      expect(isError).toBe(true);
      expect(text).toContain('The file already contains `new`, at line 2.');
    }
    expect(site.read('a.mdx')).toBe('intro\nSent on Monday. Due in May. Paid by card.\n');
  });

  test('missing text shows similar lines', async () => {
    const text = '# Rowing\n\nPull the oars hard.\n\nPull the oar softly.\n\nAnchor here.\n';
    const site = await opened(bench({ 'a.mdx': text }), 'a.mdx');
    const run = async (old: string, now = 'new') =>
      (await site.run(editFile, { path: 'a.mdx', old, new: now })).text;
    const near = await run('Pull the oars harder.');
    expect(near).toContain('Similar lines:\n    3\tPull the oars hard.\n   --\n    5\tPull the oar softly.');
    expect(await run('Steer left.', 'Anchor here.')).toContain('already is, at line 7');
    expect(await run('zzzz')).toContain('no line is similar');
    expect(await run('')).toContain('write_file creates new files');
    expect(await run('same', 'same')).toContain('nothing would change');
  });

  test('a marker stands for the invisible character, and new ones are refused', async () => {
    const site = await opened(bench({ 'a.mdx': 'a\u200bb c' }), 'a.mdx');
    expect((await site.run(editFile, { path: 'a.mdx', old: 'c', new: 'd\u202e' })).text).toContain('U+202E');
    await site.run(editFile, { path: 'a.mdx', old: 'a⟦U+200B⟧b', new: 'ab' });
    expect(site.read('a.mdx')).toBe('ab c');
  });

  test('replacement patterns are literal text', async () => {
    const site = await opened(bench({ 'a.mdx': 'price' }), 'a.mdx');
    await site.run(editFile, { path: 'a.mdx', old: 'price', new: "$& $1 $'" });
    expect(site.read('a.mdx')).toBe("$& $1 $'");
  });

  test('a file outside the scope is refused', async () => {
    const site = bench({ 'a.mdx': 'one', 'in/b.mdx': 'one', 'inside.mdx': 'one' }, { scopePaths: ['in/'] });
    for (const path of ['a.mdx', 'in/b.mdx', 'inside.mdx']) await site.run(readFile, { path });
    const run = async (path: string) => (await site.run(editFile, { path, old: 'one', new: 'two' })).text;
    expect(await run('a.mdx')).toContain('outside the scope of this job: in/');
    expect(await run('inside.mdx')).toContain('outside');
    expect(await run('in/b.mdx')).toContain('Changed');
  });
});

describe('multi_edit', () => {
  test('all edits are made in order, or none with the number of the failed one', async () => {
    const site = await opened(bench({ 'a.mdx': 'one two' }), 'a.mdx');
    const edits = [
      { old: 'one', new: 'two' },
      { old: 'two two', new: 'three' },
    ];
    const failing = await site.run(multiEdit, {
      path: 'a.mdx',
      edits: [...edits, { old: 'gone', new: 'x' }],
    });
    expect(failing.text).toContain('Edit 3 failed and none was made.');
    expect(site.read('a.mdx')).toBe('one two');
    await site.run(multiEdit, { path: 'a.mdx', edits });
    expect(site.read('a.mdx')).toBe('three');
  });
});

describe('write_file', () => {
  const files = { 'docs.json': '{ "navigation": { "pages": ["a"] } }', 'a.mdx': 'one\r\n', 'b.mdx': 'b' };

  test('a new file is created, and a missing navigation entry is reported', async () => {
    const site = bench(files);
    const { text, changes } = await site.run(writeFile, { path: 'new/page.mdx', content: '# New\n' });
    expect(text).toBe(
      'Created new/page.mdx: 1 line. It is not in the navigation yet: add "new/page" to a "pages" list in docs.json.',
    );
    expect(changes).toEqual([{ path: 'new/page.mdx', content: '# New\n' }]);
    const again = await site.run(editFile, { path: 'new/page.mdx', old: 'New', new: 'Newer' });
    expect(again.isError).toBeUndefined();
  });

  test('a leading slash means the docs root only before a folder of the docs or a single name', async () => {
    const site = bench({ ...files, 'guides/start.mdx': 'start' });
    const written = async (path: string) => (await site.run(writeFile, { path, content: '# New\n' })).text;
    expect(await written('/guides/next.mdx')).toContain('Created guides/next.mdx');
    expect(await written('/next.mdx')).toContain('Created next.mdx');
    expect(await written('/tmp/next.mdx')).toContain('/tmp/next.mdx is absolute');
  });

  test('only a file that was read is overwritten, keeping its style', async () => {
    const site = bench(files);
    const input = { path: 'a.mdx', content: 'two\nthree\n' };
    expect((await site.run(writeFile, input)).text).toContain('because you have not read it');
    await site.run(writeFile, input);
    expect(site.read('a.mdx')).toBe('two\r\nthree\r\n');
  });

  test('invisible characters are refused', async () => {
    const result = await bench(files).run(writeFile, { path: 'c.mdx', content: 'a\u200b' });
    expect(result.text).toContain('invisible characters: U+200B');
  });
});

describe('delete_file', () => {
  const site = () =>
    bench({
      'docs.json': '{\n  "navigation": { "pages": ["a", "b"] }\n}',
      'a.mdx': '---\ntitle: A\n---\n\n[b](/b) ![p](p.png)',
      'b.mdx': 'b',
      'c.mdx': 'c',
      'p.png': 'x',
    });

  test('a file in use is refused with the places that use it', async () => {
    const bound = site();
    const result = await bound.run(deleteFile, { path: 'b.mdx' });
    expect(result.text).toBe(
      'b.mdx is still in use. Change these first, or set force:\n- docs.json:2 navigation entry "b"\n- a.mdx:5 link /b',
    );
    expect((await bound.run(deleteFile, { path: 'p.png' })).text).toContain('- a.mdx:5 link p.png');
    expect(existsSync(join(bound.folder, 'b.mdx'))).toBe(true);
  });

  test('an unused file is removed, and with force a used one', async () => {
    const free = site();
    expect((await free.run(deleteFile, { path: 'c.mdx' })).changes).toEqual([
      { path: 'c.mdx', content: null },
    ]);
    const forced = await free.run(deleteFile, { path: 'b.mdx', force: true });
    expect(forced.text).toContain('These are now broken:\n- docs.json:2');
    expect(existsSync(join(free.folder, 'b.mdx'))).toBe(false);
  });

  test('the configuration is never removed', async () => {
    const result = await site().run(deleteFile, { path: 'docs.json', force: true });
    expect(result.text).toContain('is the configuration of the site and cannot be deleted');
    expect((await site().run(deleteFile, { path: 'bb.mdx' })).text).toContain('Did you mean b.mdx?');
  });
});
