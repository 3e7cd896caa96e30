/**
 * A base and a delta yield the full bundle; a false delta is refused with a code and leaves nothing behind.
 */
import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary-resources.ts';
import { Archive } from './archive.ts';
import { makeDelta } from './make-delta.ts';
import type { DeltaDescription } from './delta-description.ts';
import { archiveKind, expandDelta, unpackDelta } from './delta.ts';
import { makePatch } from './patch.ts';
import { readEntries } from './reader.ts';
import { newSigningKey, publicKeyOf, sign, type SigningKey } from './signature.ts';
import { deltaOf, packBundle, packed, packEntries } from '../test/support/deltas.ts';
import { inChunks, manifestOf, type Files } from '../test/support/bundles.ts';
import { checkFolder, unpackBundle } from './unpack.ts';

const key = newSigningKey();
const page = (title: string, words = 400) =>
  `# ${title}\n${Array.from({ length: words }, (_, index) => `${title}-${index}`).join(' ')}\n`;

async function unpacked(bundle: Uint8Array): Promise<string> {
  const folder = join(temporaryFolder('base'), 'site');
  await unpackBundle(inChunks(bundle), folder);
  return folder;
}

/** The full bundle of base and delta. */
async function expanded(base: Uint8Array, delta: Uint8Array): Promise<Buffer> {
  const folder = temporaryFolder('expanded');
  const into = new Archive(join(folder, 'spool'));
  await expandDelta(inChunks(delta), { baseFolder: await unpacked(base), into });
  const bytes = await packed(into, join(folder, 'full'));
  into.close();
  return bytes;
}

async function entriesOf(archive: Uint8Array): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for await (const { path, content } of readEntries(inChunks(archive))) {
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part);
    found.set(path, Buffer.concat(parts));
  }
  return found;
}

function contentOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [file.slice(folder.length + 1), hash('sha256', readFileSync(file))]),
  );
}

const before: Files = {
  'index.html': page('Start'),
  'guides/a.html': page('A'),
  'guides/old.html': page('Old'),
  'images/logo.png': Buffer.alloc(3000, 'picture'),
  'ünïcode/日本.html': page('Japan'),
  empty: '',
};
const after: Files = {
  'index.html': page('Start'),
  'guides/a.html': page('A').replace('A-200', 'something else'),
  'guides/new.html': page('New'),
  'pictures/logo.png': Buffer.alloc(3000, 'picture'),
  'ünïcode/日本.html': page('Japan').replace('Japan-7', 'Nippon'),
  empty: '',
  '😀.txt': 'astral',
  'ﾀ.txt': 'sorted before it by bytes, and after it by JavaScript',
};

describe('base and delta', () => {
  test('yield the bytes of the full bundle', async () => {
    const [base, target] = [await packBundle(before), await packBundle(after)];
    const delta = await deltaOf(base, target);
    expect((await expanded(base, delta)).equals(target)).toBe(true);
  });

  test('yield the folder of the full bundle and its facts', async () => {
    const [base, target] = [await packBundle(before), await packBundle(after, { version: '2', key })];
    const delta = await deltaOf(base, target);
    const folder = join(temporaryFolder('applied'), 'site');
    const checked = await unpackDelta(
      inChunks(delta),
      { baseFolder: await unpacked(base), folder },
      { version: '2', publicKeys: [publicKeyOf(key)], sha256: hash('sha256', delta) },
    );
    expect(contentOf(folder)).toEqual(contentOf(await unpacked(target)));
    expect(checked).toMatchObject({
      manifest: { version: '2' },
      signedBy: publicKeyOf(key).keyId,
      archiveSha256: hash('sha256', delta),
      archiveBytes: delta.length,
    });
    await checkFolder(folder, { publicKeys: [publicKeyOf(key)] });
  });

  test('also work in the opposite direction', async () => {
    const [base, target] = [await packBundle(before, { key }), await packBundle(after)];
    expect((await expanded(target, await deltaOf(target, base))).equals(base)).toBe(true);
  });

  test.each<[string, Files, Files]>([
    ['nothing changed', before, before],
    ['there was nothing', {}, after],
    ['there is nothing left', before, {}],
    ['everything changed', { a: randomBytes(5000), b: 'x' }, { a: randomBytes(5000), b: 'y' }],
    ['a file became a folder', { a: 'file' }, { 'a/b': 'file in a folder' }],
    ['a folder became a file', { 'a/b': 'file in a folder' }, { a: 'file' }],
    ['two files changed places', { a: page('A'), b: page('B') }, { a: page('B'), b: page('A') }],
    [
      'a large file changed by a byte',
      { a: Buffer.alloc(300_000, 'ab') },
      { a: Buffer.alloc(300_001, 'ab') },
    ],
  ])('when %s', async (_when, old, now) => {
    const [base, target] = [await packBundle(old), await packBundle(now, { version: '2' })];
    expect((await expanded(base, await deltaOf(base, target))).equals(target)).toBe(true);
  });
});

describe('a delta', () => {
  test('contains new files and patches of changed ones, but no moved files', async () => {
    const delta = await deltaOf(await packBundle(before), await packBundle(after, { key }));
    const entries = await entriesOf(delta);
    expect([...entries.keys()]).toEqual([
      'delta.json',
      'manifest.json.patch',
      'manifest.json.minisig',
      'files/guides/a.html',
      'files/guides/new.html',
      'files/ünïcode/日本.html',
      'files/ﾀ.txt',
      'files/😀.txt',
    ]);
    expect(JSON.parse(String(entries.get('delta.json')))).toMatchObject({
      format: 1,
      base: { version: null },
      removed: ['guides/old.html', 'images/logo.png'],
      files: [
        { path: 'guides/a.html', how: 'patch' },
        { path: 'guides/new.html', how: 'whole' },
        { path: 'ünïcode/日本.html', how: 'patch' },
        { path: 'ﾀ.txt', how: 'whole' },
        { path: '😀.txt', how: 'whole' },
      ],
    });
    expect(entries.get('files/guides/a.html')?.length).toBeLessThan(60);
  });

  test('is returned with size and hash and leaves no spool file', async () => {
    const [base, target] = [await packBundle(before), await packBundle(after)];
    const folder = temporaryFolder('delta');
    const output = openSync(join(folder, 'delta'), 'w');
    const facts = await makeDelta({
      base: inChunks(base),
      target: inChunks(target),
      spool: join(folder, 'spool'),
      output,
    });
    closeSync(output);
    const bytes = readFileSync(join(folder, 'delta'));
    expect(facts).toMatchObject({ sizeBytes: bytes.length, sha256: hash('sha256', bytes) });
    expect(facts).toMatchObject({ changedFiles: 5, removedFiles: 2 });
    expect(readdirSync(folder)).toEqual(['delta']);
  });

  test('is the same each time', async () => {
    const [base, target] = [await packBundle(before), await packBundle(after)];
    expect((await deltaOf(base, target)).equals(await deltaOf(base, target))).toBe(true);
  });

  test('is distinguished from a bundle by its first entry', async () => {
    const [base, target] = [await packBundle(before), await packBundle(after)];
    const folder = temporaryFolder('kinds');
    const kindOf = (bytes: Uint8Array) => {
      writeFileSync(join(folder, 'file'), bytes);
      return archiveKind(join(folder, 'file'));
    };
    expect(await kindOf(base)).toBe('bundle');
    expect(await kindOf(await deltaOf(base, target))).toBe('delta');
    await expect(kindOf(await packEntries({ 'a.txt': 'a' }))).rejects.toMatchObject({
      refusal: 'manifest_missing',
    });
    await expect(kindOf(Buffer.from('no archive at all'))).rejects.toMatchObject({ refusal: 'not_a_bundle' });
  });

  test('is not made from a file that is not a bundle', async () => {
    const bundle = await packBundle(before);
    const folder = temporaryFolder('delta');
    const order = { spool: join(folder, 'spool'), output: openSync('/dev/null', 'w') };
    const none = await packEntries({ 'a.txt': 'a' });
    const making = (base: Buffer, target: Buffer) =>
      makeDelta({ ...order, base: inChunks(base), target: inChunks(target) });
    await expect(making(none, bundle)).rejects.toMatchObject({ refusal: 'manifest_missing' });
    await expect(making(bundle, bundle.subarray(0, -200))).rejects.toMatchObject({ refusal: 'truncated' });
    closeSync(order.output);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('reports a full disk and leaves no spool file', async () => {
    const folder = temporaryFolder('delta');
    const output = openSync('/dev/full', 'w');
    const bundle = await packBundle(before);
    const order = {
      base: inChunks(bundle),
      target: inChunks(bundle),
      spool: join(folder, 'spool'),
      output,
    };
    await expect(makeDelta(order)).rejects.toMatchObject({ code: 'ENOSPC' });
    closeSync(output);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** A delta from `{ a }` to the given files, with every part replaceable. */
const old: Files = { 'a.html': page('A'), 'b.html': page('B') };
const now: Files = { 'a.html': page('A').replace('A-9 ', 'nine '), 'c.html': page('C') };
/** The commit of every manifest here. */
const commit = 'c'.repeat(40);
const deltaEntries = ['delta.json', 'manifest.json.patch', 'manifest.json', 'manifest.json.minisig'];

interface Bent {
  description?: (honest: DeltaDescription) => unknown;
  entries?: (honest: Files) => Files;
  key?: SigningKey;
}

async function bent({ description, entries, key: signer }: Bent): Promise<Buffer> {
  const [oldManifest, manifest] = [manifestOf(old, null), manifestOf(now, null)];
  const honest: DeltaDescription = {
    format: 1,
    base: { manifestSha256: hash('sha256', oldManifest), version: null, commit },
    target: {
      manifestSha256: hash('sha256', manifest),
      manifestBytes: manifest.length,
      version: null,
      commit,
    },
    removed: ['b.html'],
    files: [
      { path: 'a.html', how: 'patch' },
      { path: 'c.html', how: 'whole' },
    ],
  };
  const content: Files = {
    'delta.json': JSON.stringify(description?.(honest) ?? honest),
    'manifest.json.patch': patchOf(oldManifest, manifest),
    ...(signer === undefined ? {} : { 'manifest.json.minisig': sign(signer, manifest, 'test') }),
    'files/a.html': patchOf(Buffer.from(page('A')), Buffer.from(now['a.html'] as string)),
    'files/c.html': now['c.html'] as string,
  };
  return packEntries(entries?.(content) ?? content, deltaEntries);
}

function patchOf(from: Uint8Array, to: Uint8Array): Uint8Array {
  const patch = makePatch(from, to);
  if (patch === undefined) throw new Error('There is no patch.');
  return patch;
}

async function applied(
  delta: Uint8Array,
  options: Parameters<typeof unpackDelta>[2] & { baseFolder?: string } = {},
) {
  const { baseFolder = await unpacked(await packBundle(old)), ...expectations } = options;
  const parent = temporaryFolder('applied');
  try {
    await unpackDelta(inChunks(delta), { baseFolder, folder: join(parent, 'site') }, expectations);
    return 'accepted';
  } catch (error) {
    expect(existsSync(join(parent, 'site'))).toBe(false);
    return (error as { refusal?: string }).refusal ?? error;
  }
}

describe('a false delta is refused', () => {
  const without = (content: Files, name: string) =>
    Object.fromEntries(Object.entries(content).filter(([path]) => path !== name));
  const other = newSigningKey();
  const cases: [name: string, refusal: string, Bent][] = [
    ['none of them, to begin with', 'accepted', {}],
    [
      'made from another base',
      'base_missing',
      {
        description: (honest) => ({ ...honest, base: { ...honest.base, manifestSha256: 'a'.repeat(64) } }),
      },
    ],
    [
      'that removes less than it says',
      'delta_invalid',
      { description: (honest) => ({ ...honest, removed: [] }) },
    ],
    [
      'that says to remove what stays',
      'delta_invalid',
      {
        description: (honest) => ({ ...honest, removed: ['a.html', 'b.html'] }),
      },
    ],
    [
      'that removes files outside the folder',
      'delta_invalid',
      {
        description: (honest) => ({ ...honest, removed: ['../../etc/passwd'] }),
      },
    ],
    [
      'with a file that the manifest does not list',
      'file_unlisted',
      {
        entries: (content) => ({ ...content, 'files/d.html': 'more' }),
      },
    ],
    [
      'that lists a file that the manifest does not',
      'file_unlisted',
      {
        description: (honest) => ({ ...honest, files: [...honest.files, { path: 'd.html', how: 'whole' }] }),
      },
    ],
    [
      'that lists a file twice',
      'duplicate',
      {
        description: (honest) => ({ ...honest, files: [...honest.files, ...honest.files] }),
      },
    ],
    [
      'with something beside the files',
      'file_unlisted',
      { entries: (content) => ({ ...content, 'extra.txt': 'x' }) },
    ],
    [
      'without a file that it lists',
      'file_missing',
      { entries: (content) => without(content, 'files/c.html') },
    ],
    [
      'without a file that it should list',
      'file_missing',
      {
        description: (honest) => ({ ...honest, files: honest.files.slice(0, 1) }),
        entries: (content) => without(content, 'files/c.html'),
      },
    ],
    [
      'that calls a changed file unchanged',
      'file_missing',
      {
        description: (honest) => ({ ...honest, files: honest.files.slice(1) }),
        entries: (content) => without(content, 'files/a.html'),
      },
    ],
    [
      'with another file of the same size',
      'file_changed',
      {
        entries: (content) => ({ ...content, 'files/c.html': page('D') }),
      },
    ],
    [
      'with a file of another size',
      'file_changed',
      {
        entries: (content) => ({ ...content, 'files/c.html': `${page('C')} and more` }),
      },
    ],
    [
      'with a patch out of range',
      'delta_invalid',
      {
        entries: (content) => ({
          ...content,
          'files/a.html': Uint8Array.of(0xb2, 0x10, 0, 0xb2, 0x10, 0xff, 0x7f),
        }),
      },
    ],
    [
      'with a patch that makes too much',
      'delta_invalid',
      {
        entries: (content) => ({
          ...content,
          'files/a.html': patchOf(Buffer.from(page('A')), Buffer.from(page('A') + page('A'))),
        }),
      },
    ],
    [
      'with a patch to something else',
      'file_changed',
      {
        entries: (content) => ({
          ...content,
          'files/a.html': patchOf(Buffer.from(page('A')), Buffer.from(page('A').replace('A-8 ', 'nine '))),
        }),
      },
    ],
    [
      'that patches what the base does not have',
      'delta_invalid',
      {
        description: (honest) => ({
          ...honest,
          files: honest.files.map(({ path }) => ({ path, how: 'patch' })),
        }),
      },
    ],
    [
      'that calls a patch a whole file',
      'file_changed',
      {
        description: (honest) => ({
          ...honest,
          files: honest.files.map(({ path }) => ({ path, how: 'whole' })),
        }),
      },
    ],
    [
      'with a manifest that it does not name',
      'delta_invalid',
      {
        entries: (content) => ({
          ...without(content, 'manifest.json.patch'),
          'manifest.json': manifestOf(before, null),
        }),
      },
    ],
    [
      'with a manifest of another size',
      'delta_invalid',
      {
        description: (honest) => ({ ...honest, target: { ...honest.target, manifestBytes: 10_000_000 } }),
      },
    ],
    [
      'with a manifest of absurd size',
      'delta_invalid',
      {
        description: (honest) => ({ ...honest, target: { ...honest.target, manifestBytes: 2 ** 40 } }),
      },
    ],
    [
      'that names another version than its manifest',
      'delta_invalid',
      {
        description: (honest) => ({ ...honest, target: { ...honest.target, version: '3' } }),
      },
    ],
    [
      'without a manifest',
      'manifest_missing',
      { entries: (content) => without(content, 'manifest.json.patch') },
    ],
    ['of a format to come', 'format_unknown', { description: (honest) => ({ ...honest, format: 2 }) }],
    ['with an unknown field', 'delta_invalid', { description: (honest) => ({ ...honest, run: 'rm' }) }],
    [
      'whose description is not JSON',
      'delta_invalid',
      { entries: (content) => ({ ...content, 'delta.json': '{' }) },
    ],
    ['that is a bundle', 'delta_invalid', { entries: () => ({ 'manifest.json': manifestOf({}, null) }) }],
    [
      'whose signature is none',
      'signature_invalid',
      { entries: (content) => ({ ...content, 'manifest.json.minisig': 'trust me' }) },
    ],
  ];

  test.each(cases)('%s: %s', async (_name, refusal, how) => {
    expect(await applied(await bent(how))).toBe(refusal);
  });

  test('when another manifest or another key was used, or the signature is missing', async () => {
    const publicKeys = [publicKeyOf(key)];
    expect(await applied(await bent({ key }), { publicKeys })).toBe('accepted');
    expect(await applied(await bent({ key: other }), { publicKeys })).toBe('wrong_key');
    expect(await applied(await bent({}), { publicKeys })).toBe('signature_missing');
    const signature = sign(key, manifestOf(before, null), 'test');
    const foreign = await bent({
      entries: (content) => ({ ...content, 'manifest.json.minisig': signature }),
    });
    expect(await applied(foreign, { publicKeys })).toBe('signature_invalid');
  });

  test('when it has another version or hash, or is truncated', async () => {
    const delta = await bent({});
    expect(await applied(delta, { version: '2' })).toBe('wrong_version');
    expect(await applied(delta, { sha256: 'a'.repeat(64) })).toBe('wrong_hash');
    expect(await applied(delta.subarray(0, -100))).toBe('truncated');
  });

  test.each(['../out.html', '/etc/passwd', 'a/../../out.html', 'c:out.html', 'A.HTML'])(
    'when its manifest leads to %s',
    async (path) => {
      const evil: Files = { ...now, [path]: 'evil' };
      const manifest = manifestOf(evil, null);
      const delta = await bent({
        description: (honest) => ({
          ...honest,
          target: {
            ...honest.target,
            manifestSha256: hash('sha256', manifest),
            manifestBytes: manifest.length,
          },
          files: [...honest.files, { path, how: 'whole' }],
        }),
        entries: (content) => ({ ...without(content, 'manifest.json.patch'), 'manifest.json': manifest }),
      });
      expect(await applied(delta)).toBe(path === 'A.HTML' ? 'duplicate' : 'unsafe_path');
    },
  );
});

test('the description of a delta is escaped for a terminal', async () => {
  const delta = await bent({ description: (honest) => ({ ...honest, '\u001b[2J': true }) });
  const baseFolder = await unpacked(await packBundle(old));
  const folder = join(temporaryFolder('applied'), 'site');
  const refused = unpackDelta(inChunks(delta), { baseFolder, folder });
  await expect(refused).rejects.toThrow(/Unrecognized key.*\[2J.*\[delta_invalid\]$/);
  await expect(refused).rejects.not.toThrow('\u001b');
});

describe('the base', () => {
  const [delta, base] = [bent({}), packBundle({ ...old, 'kept.html': page('Kept') })];

  test('that was damaged after its installation is detected', async () => {
    const target = await packBundle({ ...now, 'kept.html': page('Kept') });
    const whole = await deltaOf(await base, target);
    const baseFolder = await unpacked(await base);
    const kept = join(baseFolder, 'kept.html');
    expect(await applied(whole, { baseFolder })).toBe('accepted');
    writeFileSync(kept, page('Kept').replace('Kept-3', 'Kept-4'));
    expect(await applied(whole, { baseFolder })).toBe('file_changed');
    rmSync(kept);
    expect(await applied(whole, { baseFolder })).toBe('base_missing');
    symlinkSync('/etc/hostname', kept);
    expect(await applied(whole, { baseFolder })).toBe('base_missing');
  });

  test('that is another one or missing is reported', async () => {
    expect(await applied(await delta, { baseFolder: await unpacked(await base) })).toBe('base_missing');
    const empty = join(temporaryFolder('base'), 'empty');
    mkdirSync(empty);
    expect(await applied(await delta, { baseFolder: empty })).toBe('base_missing');
  });

  test('shares no inode with the new site', async () => {
    const baseFolder = await unpacked(await base);
    const folder = join(temporaryFolder('applied'), 'site');
    const whole = await deltaOf(await base, await packBundle({ ...now, 'kept.html': page('Kept') }));
    await unpackDelta(inChunks(whole), { baseFolder, folder });
    writeFileSync(join(baseFolder, 'kept.html'), 'edited in place');
    expect(readFileSync(join(folder, 'kept.html'), 'utf8')).toBe(page('Kept'));
  });
});
