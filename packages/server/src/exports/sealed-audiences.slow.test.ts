/** Secret words of a group must not be readable in a bundle without the content key, and with it only for the members. */
import { createReadStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  audienceOf,
  newContentKey,
  openAudiences,
  parseContentKey,
  parseManifest,
  sealedIndexPath,
  sealedPathOf,
  unpackBundle,
  unsealFile,
  type Audience,
  type Audiences,
  type ContentKey,
  type Manifest,
} from '@docyard/bundle';
import { temporaryFolder } from '../../test/support/test-context.ts';
import { canarySite as site, openPages as open, secrets, words } from '../../test/support/canary-site.ts';
import { docyard } from '../../test/support/run-command.ts';

const work = temporaryFolder('sealed');
const at = (name: string) => join(work, name);
const origin = ['--origin', 'https://docs.example.com', '--offline', '--quiet'];
let key: ContentKey;

function write(folder: string, files: Record<string, string>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(at(folder), path)), { recursive: true });
    writeFileSync(join(at(folder), path), content);
  }
  return at(folder);
}

async function exported(name: string, folder: string, ...options: string[]) {
  const bundle = at(`${name}.tar.gz`);
  const ended = await docyard('export', folder, '--output', bundle, ...origin, ...options);
  expect(ended.status, ended.stderr).toBe(0);
  await unpackBundle(createReadStream(bundle), at(name));
  const files = new Map(
    readdirSync(at(name), { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(at(name).length + 1), readFileSync(file)]),
  );
  const manifest = parseManifest(files.get('manifest.json') ?? Buffer.alloc(0));
  return { bundle: readFileSync(bundle), files, manifest, stderr: ended.stderr };
}

type Exported = Awaited<ReturnType<typeof exported>>;

/** What the members of an audience read, by path. */
function opened(
  { files, manifest }: Exported,
  { files: listed }: Pick<Audience, 'files'>,
): Map<string, Buffer> {
  const inManifest = new Map(manifest.files.map((file) => [file.path, file]));
  return new Map(
    listed.map((file) => {
      const isOpen = inManifest.get(file.path)?.sha256 === file.sha256;
      const bytes = files.get(isOpen ? file.path : sealedPathOf(key, file.sha256)) ?? Buffer.alloc(0);
      return [file.path, isOpen ? bytes : unsealFile(key, file, bytes)];
    }),
  );
}

function placesOf(word: string, files: ReadonlyMap<string, Uint8Array>): string[] {
  return [...files].flatMap(([path, content]) =>
    path.includes(word) || Buffer.from(content).includes(word) ? [path] : [],
  );
}

function filesOf(
  audiences: Audiences,
  manifest: Manifest,
  reader?: { groups: string[] },
): Pick<Audience, 'files'> {
  const audience = audienceOf(audiences, reader);
  if (audience === undefined) throw new Error('no audience');
  return audience === 'manifest' ? manifest : audience;
}

beforeAll(async () => {
  await docyard('content-key', 'create', '--out', at('content.key'));
  key = parseContentKey(readFileSync(at('content.key'), 'utf8'));
});

describe('a bundle of a site with groups', () => {
  let sealed: Exported;
  let audiences: Audiences;

  beforeAll(async () => {
    sealed = await exported('sealed', write('site', site), '--content-key-file', at('content.key'));
    audiences = openAudiences(key, sealed.files.get(sealedIndexPath) ?? Buffer.alloc(0), sealed.manifest);
  });

  test('has no secret word in any file, name or field of the manifest', () => {
    for (const word of words) expect(placesOf(word, sealed.files)).toEqual([]);
    expect(sealed.manifest.access).toEqual({ format: 1, keyId: key.keyId });
    const names = sealed.manifest.files
      .map(({ path }) => path)
      .filter((path) => path.startsWith('_docyard/sealed/'));
    expect(names.length).toBeGreaterThan(10);
    expect(names.every((name) => /^_docyard\/sealed\/(?:index|[0-9a-f]{32})$/.test(name))).toBe(true);
  });

  test('shows members of each group their own pages and nothing of the other group', () => {
    for (const word of words) {
      const files = opened(sealed, filesOf(audiences, sealed.manifest, { groups: [secrets[word]] }));
      const other = words.find((each) => each !== word) ?? word;
      expect(placesOf(other, files)).toEqual([]);
      const text = [...files].map(([path, content]) => path + content.toString()).join('\n');
      const parts =
        'title page heading text picture snippet news path summary schema property tab group'.split(' ');
      expect(parts.filter((part) => !text.includes(word + part))).toEqual([]);
    }
  });

  test('shows members of both groups the pages of both', () => {
    const files = opened(sealed, filesOf(audiences, sealed.manifest, { groups: ['staff', 'partners'] }));
    for (const word of words) expect(files.has(`private/${word}page.html`)).toBe(true);
  });

  test('shows readers who have not signed in only public pages', () => {
    const files = opened(sealed, filesOf(audiences, sealed.manifest));
    expect([...files.keys()].filter((path) => path.endsWith('.md'))).toEqual(['lights.md', 'skill.md']);
    for (const word of [...words, 'Welcome', 'opensummary']) expect(placesOf(word, files)).toEqual([]);
  });

  test('shows readers without a group exactly what an export for them contains', async () => {
    const plain = await exported('public', at('site'));
    const withoutSealed = sealed.manifest.files.filter(({ path }) => !path.startsWith('_docyard/sealed/'));
    expect(withoutSealed).toEqual(plain.manifest.files);
    expect(plain.manifest.access).toBeUndefined();
    expect(plain.stderr).toContain('The bundle contains no pages for groups.');
  });

  test.each([
    ['from the cache', []],
    ['without the cache', ['--fresh']],
  ])('is byte-identical when it is exported again %s', async (name, options) => {
    const again = await exported(name, at('site'), '--content-key-file', at('content.key'), ...options);
    expect(again.bundle.equals(sealed.bundle)).toBe(true);
  });

  test('reveals nothing to another content key', () => {
    const bytes = sealed.files.get(sealedIndexPath) ?? Buffer.alloc(0);
    expect(() => openAudiences(newContentKey(), bytes, sealed.manifest)).toThrow('sealed_unreadable');
  });

  test('for one audience is plain and contains no page of others', async () => {
    const plain = await exported('partners', at('site'), '--audience', 'partners');
    expect(plain.manifest.access).toBeUndefined();
    expect(plain.manifest.files.filter(({ path }) => path.startsWith('_docyard/sealed/'))).toEqual([]);
    expect(plain.files.has('private/amberpage.html')).toBe(true);
    expect(placesOf('birch', plain.files)).toEqual([]);
  });
});

test('a content key changes nothing for a site without groups', async () => {
  const folder = write('open', { 'index.mdx': open['index.mdx'] });
  const [plain, keyed] = [
    await exported('open-plain', folder),
    await exported('open-keyed', folder, '--content-key-file', at('content.key')),
  ];
  expect(keyed.bundle.equals(plain.bundle)).toBe(true);
  expect(plain.stderr).not.toContain('pages for groups');
});

test('an unreadable content key is refused without its text', async () => {
  writeFileSync(at('bad.key'), 'docyard-content-key:secret\n');
  const ended = await docyard(
    'export',
    at('site'),
    '--content-key-file',
    at('bad.key'),
    '--output',
    at('no.tar.gz'),
  );
  expect(ended.status).not.toBe(0);
  expect(ended.stderr).toContain('This is not a content key.');
  expect(ended.stderr).not.toContain('secret\n');
});
