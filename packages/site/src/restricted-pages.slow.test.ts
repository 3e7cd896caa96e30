/** Pages for groups on the real server: who sees what, and what happens to a bundle that cannot be opened. */
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ContentKey, publicKeyLine, sealedFolder, sealedIndexPath } from '@docyard/bundle';
import { deltaOf } from '../../bundle/test/support/deltas.ts';
import { cleanUp } from '../../../test/cleanups.ts';
import { temporaryFolder } from '../../../test/temporary-resources.ts';
import {
  type Client,
  connectTo,
  eventually,
  type Files,
  requestFor,
} from '../test/support/served-releases.ts';
import {
  contentKey,
  contentKeyFile,
  groupBundle,
  type GroupBundle,
  type GroupSite,
  otherContentKey,
  publicKey,
  readerHeaders,
  startGroupSite,
} from '../test/support/group-site.ts';
import { install } from './releases/install.ts';
import { ReleaseStore } from './releases/store.ts';
import { startSite } from './start-site.ts';
import { rolledBack } from './releases/state.ts';

const words = { crew: 'alderwood', pilots: 'birchtree' } as const;
type Group = keyof typeof words;
const groups = Object.keys(words) as Group[];

/** What members of these groups see: each word is in names, titles, text and rules. */
function filesFor(seen: readonly Group[], release = 'one'): Files {
  const own = seen.map((group) => words[group]);
  const page = (title: string) =>
    `<!doctype html><title>${title}</title><nav>${own.join(' ')}</nav><p>release ${release}</p>${'<p>filler</p>'.repeat(100)}`;
  const files: Files = {
    'index.html': page('Home'),
    'guide.html': page('Guide'),
    'guide.md': '# Guide',
    '404.html': page('Not found'),
    'llms.txt': `pages: ${own.join(' ')}`,
    'llms-full.txt': `pages: ${own.join(' ')}`,
    'sitemap.xml': `<urlset>${own.join(' ')}</urlset>`,
    'rss.xml': `<rss>${own.join(' ')}</rss>`,
    'report.json': JSON.stringify(own),
    '_docyard/site.css': 'p { color: teal }',
    '_docyard/search/index.json': JSON.stringify(own),
    '_docyard/sign-in.html': '<title>{{title}} · Harbour</title><main>{{content}}</main>',
    '_hosts/docyard.json': JSON.stringify({
      format: 1,
      basePath: '',
      headers: { 'Referrer-Policy': own.join(' ') || 'none' },
      redirects: own.map((word) => ({ from: `/old-${word}`, to: `/${word}.html`, permanent: true })),
      patterns: [],
    }),
  };
  for (const word of own) {
    files[`${word}.html`] = page(word);
    files[`${word}.md`] = `# ${word}`;
    files[`${word}/folder/index.html`] = page(word);
    files[`images/${word}.svg`] = `<svg><title>${word}</title></svg>`;
    files[`_docyard/search/${word}.json`] = JSON.stringify([word]);
  }
  return files;
}

const bundleOf = (release = 'one', options: Partial<GroupBundle> = {}) =>
  groupBundle({
    root: filesFor([], release),
    audiences: [
      { groups: ['crew'], files: filesFor(['crew'], release) },
      { groups: ['pilots'], files: filesFor(['pilots'], release) },
      { groups: ['crew', 'pilots'], files: filesFor(['crew', 'pilots'], release) },
    ],
    ...options,
  });

const openPage = { 'open.html': '<title>Open</title>', '404.html': '<title>Not here</title>' };
const withOpenPage = (options: Partial<GroupBundle> = {}) =>
  bundleOf('one', {
    audiences: [
      { groups: ['crew'], files: filesFor(['crew']) },
      { groups: [], isSignedIn: false, files: openPage },
    ],
    ...options,
  });

/** Every address of a file that a reader could guess. */
function addressesOf(path: string): string[] {
  const stem = path.replace(/\.[a-z]+$/, '');
  return [
    `/${path}`,
    `/${stem}`,
    `/${stem}/`,
    `/${path}/`,
    `/${stem}.md`,
    `/${stem}.html`,
    `/${stem}/index.html`,
    `/old-${stem}`,
    `//${path}`,
    `/./${path}`,
    `/x/../${path}`,
    `/${path.replaceAll('/', '%2F').replace(/^./, (first) => `%${first.codePointAt(0)?.toString(16)}`)}`,
    `/${path.toUpperCase()}`,
    `/${path}?x=1`,
    `/${path}%00`,
  ];
}

const requests: [method: string, headers: Record<string, string>][] = [
  ['GET', {}],
  ['GET', { Accept: 'text/markdown', 'Accept-Encoding': 'br' }],
  ['GET', { Range: 'bytes=0-20', 'If-None-Match': '*' }],
  ['HEAD', {}],
  ['OPTIONS', {}],
];

/** Head and body of a response, without the requested address and the time. */
async function rawAnswer(client: Client, target: string, method: string, headers: Record<string, string>) {
  const { status, headers: found, text } = await client.ask(requestFor(target, headers, method));
  const { date: _, ...others } = found;
  return { status, head: JSON.stringify(others), text };
}

describe('a site with pages for two groups', () => {
  test('shows no byte of a group to other readers at any address', async () => {
    const site = await startGroupSite({ bundle: await bundleOf() });
    const sealed = readdirSync(join(site.dataDir, 'releases'), { recursive: true, encoding: 'utf8' });
    const sealedNames = sealed
      .filter((name) => name.includes(sealedFolder))
      .map((name) => name.split('/site/')[1]);
    const restricted = sealed.filter((name) => name.includes('/restricted/'));
    expect([sealedNames.length > 20, restricted.length > 20]).toEqual([true, true]);
    const paths = [
      ...Object.keys(filesFor(groups)),
      ...sealedNames.map(String),
      'manifest.json',
      'manifest.json.minisig',
      '_redirects',
      '_headers',
      'restricted',
      'robots.txt',
      ...restricted.slice(0, 3).map((name) => name.split('/').slice(1).join('/')),
    ];
    const client = await connectTo(site.port);
    for (const member of [undefined, [], ['crew'], ['pilots'], ['cooks']]) {
      const hidden = groups.filter((group) => member?.includes(group) !== true).map((group) => words[group]);
      for (const target of new Set(paths.flatMap(addressesOf))) {
        for (const [method, headers] of requests) {
          const own = { ...headers, ...readerHeaders(member), ...headers };
          const { head, text } = await rawAnswer(client, target, method, own);
          // A redirect to the sign-in repeats the address of the request.
          const shown = head.replace(/"location":"\/_docyard\/access\/sign-in[^"]*"/, '') + text;
          for (const word of hidden) {
            if (shown.toLowerCase().includes(word))
              expect.fail(
                `${method} ${target} shows ${word} to ${member?.join() ?? 'readers who have not signed in'}: ${shown}`,
              );
          }
          if (target.includes('_docyard/sealed') || target.includes('manifest.json')) {
            expect(shown).not.toMatch(/"status":200/);
            expect(shown).not.toContain('minisign');
          }
        }
      }
    }
    expect((await site.get('/alderwood', ['crew'])).text).toContain('alderwood');
    expect((await site.get('/old-birchtree', ['crew', 'pilots', 'cooks'])).status).toBe(308);
    expect((await site.get('/', ['cooks'])).text).toContain('release one');
  }, 120_000);

  test('responds to hidden paths exactly as to paths that exist nowhere', async () => {
    const site = await startGroupSite({ bundle: await bundleOf() });
    const client = await connectTo(site.port);
    const { headers } = await client.ask(requestFor('/birchtree.html', readerHeaders(['pilots'])));
    const hidden = Object.keys(filesFor(['pilots'])).filter((path) => path.includes('birchtree'));
    for (const member of [undefined, [], ['crew']]) {
      for (const path of [...hidden, sealedIndexPath, '_docyard/sign-in.html', 'manifest.json']) {
        for (const target of addressesOf(path)) {
          const unknown = target
            .replaceAll(/birchtree/gi, 'nosuchone')
            .replace('%62irchtree', '%6eosuchone')
            .replace('sealed', 'zealed')
            .replace('sign-in', 'zign-in')
            .replace('manifest', 'zanifest');
          for (const [method, given] of [
            ...requests,
            ['GET', { 'If-None-Match': headers['etag'] ?? '' }] as const,
          ]) {
            const own = { ...readerHeaders(member), ...given };
            const without = (text: string, address: string) =>
              text.replaceAll(encodeURIComponent(address), '§').replaceAll(address, '§');
            const answer = await rawAnswer(client, target, method, own);
            const expected = await rawAnswer(client, unknown, method, own);
            const comparable = ({ status, head, text }: typeof answer, address: string) =>
              [status, withoutLocation(head), without(text, address)].join('\n');
            expect([target, method, comparable(answer, target)]).toEqual([
              target,
              method,
              comparable(expected, unknown),
            ]);
          }
        }
      }
    }
  }, 120_000);

  test('gives each audience its own rules, headers, tags and not-found page', async () => {
    const site = await startGroupSite({ bundle: await bundleOf() });
    const client = await connectTo(site.port);
    const ask = async (path: string, member: readonly string[], headers: Record<string, string> = {}) =>
      client.ask(requestFor(path, { ...readerHeaders(member), ...headers }));
    const [crew, others] = [await ask('/', ['crew']), await ask('/', [])];
    expect([crew.headers['referrer-policy'], others.headers['referrer-policy']]).toEqual([
      'alderwood',
      'none',
    ]);
    expect(crew.headers['etag']).not.toBe(others.headers['etag']);
    expect([crew.headers['cache-control'], crew.headers['vary']]).toEqual([
      'private, no-cache',
      'Accept-Encoding, Cookie',
    ]);
    expect((await ask('/', ['crew'], { 'If-None-Match': others.headers['etag'] ?? '' })).status).toBe(200);
    expect((await ask('/', ['crew'], { 'If-None-Match': crew.headers['etag'] ?? '' })).status).toBe(304);
    expect((await ask('/none', ['crew'])).text).toContain('alderwood');
    const compressed = await ask('/guide', ['crew'], { 'Accept-Encoding': 'br' });
    expect(compressed.headers['content-encoding']).toBe('br');
  });

  test('works below a base path', async () => {
    const site = await startGroupSite({ bundle: await bundleOf(), environment: { BASE_PATH: '/docs' } });
    expect((await site.get('/docs/alderwood', ['crew'])).status).toBe(200);
    expect((await site.get('/docs/alderwood', ['pilots'])).status).toBe(404);
    expect((await site.get('/alderwood', ['crew'])).status).toBe(404);
    expect((await site.get('/docs/alderwood')).status).toBe(303);
  });

  test('keeps opened files from other users of the machine', async () => {
    const { dataDir } = await startGroupSite({ bundle: await bundleOf() });
    const [release = ''] = readdirSync(join(dataDir, 'releases'));
    expect(statSync(join(dataDir, 'releases', release, 'restricted')).mode & 0o777).toBe(0o700);
  });
});

function withoutLocation(head: string): string {
  return head.replace(/"location":"\/_docyard\/access\/sign-in[^"]*"/, '"location":"…"');
}

test('several sites of one process open their bundles with their own keys', async () => {
  const folder = temporaryFolder('sites');
  const saved = (name: string, bytes: Uint8Array) => writeFileSync(join(folder, `${name}.tar.gz`), bytes);
  saved('harbour', await bundleOf('harbour'));
  saved('airport', await bundleOf('airport', { key: otherContentKey }));
  const entry = (name: string, key: ContentKey) => ({
    name,
    basePath: `/${name}`,
    staticExport: { bundleUrl: join(folder, `${name}.tar.gz`), publicKey: publicKeyLine(publicKey) },
    access: { mode: 'header', trustedProxies: ['127.0.0.1'], contentKeyFile: contentKeyFile(key) },
  });
  const sites = [entry('harbour', contentKey), entry('airport', otherContentKey)];
  const file = join(folder, 'site.json');
  writeFileSync(file, JSON.stringify({ sites }));
  const { port, stop } = await startSite({
    file,
    environment: { DATA_DIR: temporaryFolder('data'), PORT: '0', LOG_LEVEL: 'silent' },
  });
  cleanUp(stop);
  const origin = `http://127.0.0.1:${port}`;
  const statusOf = async (path: string, member: readonly string[]) =>
    (await fetch(origin + path, { headers: readerHeaders(member) })).status;
  for (const { name } of sites) {
    await eventually(() => statusOf(`/${name}/alderwood`, ['crew'])).toBe(200);
    expect(await statusOf(`/${name}/alderwood`, ['pilots'])).toBe(404);
  }
});

describe('readers who have not signed in', () => {
  test('see the open pages of a private site, and the sign-in at every other address', async () => {
    const site = await startGroupSite({ bundle: await withOpenPage() });
    expect((await site.get('/open')).status).toBe(200);
    for (const path of ['/', '/guide', '/alderwood', '/none', '/llms.txt', '/_docyard/sign-in.html'])
      expect((await site.get(path)).status).toBe(303);
    expect((await site.get('/open', ['crew'])).status).toBe(404);
    const script = await fetch(`http://127.0.0.1:${site.port}/guide`);
    expect([script.status, await script.text()]).toEqual([401, expect.stringContaining('Sign in at')]);
  });

  test('see the pages without groups where the sign-in is optional', async () => {
    const site = await startGroupSite({
      bundle: await bundleOf(),
      environment: { ACCESS_SIGN_IN: 'optional' },
    });
    expect((await site.get('/guide')).text).toContain('release one');
    const [hidden, unknown] = [await site.get('/alderwood'), await site.get('/none')];
    expect([hidden.status, hidden.text]).toEqual([404, unknown.text]);
    expect((await site.get('/alderwood', ['crew'])).status).toBe(200);
    expect((await site.get('/_docyard/access/sign-in')).text).toContain('<title>Sign in · Harbour</title>');
  });

  test('see nothing when the site has no open page', async () => {
    const site = await startGroupSite({ bundle: await bundleOf() });
    expect((await site.get('/guide')).status).toBe(303);
  });
});

test('a reader whose groups may see nothing sees the same page at every address', async () => {
  const bundle = await bundleOf('one', {
    excludedGroups: ['suspended'],
    audiences: [{ groups: ['crew'], files: filesFor(['crew']) }],
  });
  const site = await startGroupSite({ bundle });
  const [known, unknown] = [await site.get('/guide', ['suspended']), await site.get('/none', ['suspended'])];
  expect([known.status, known.text.includes('is not allowed to read this site')]).toEqual([403, true]);
  expect(known).toEqual(unknown);
  expect((await site.get('/guide', ['crew'])).status).toBe(200);
});

describe('a bundle that cannot be opened', () => {
  const flip = (path: (name: string) => boolean) => (files: Record<string, Uint8Array>) => {
    for (const [name, bytes] of Object.entries(files))
      if (path(name)) files[name] = Uint8Array.from(bytes, (byte, at) => (at === 40 ? byte ^ 1 : byte));
  };
  const isSealedFile = (name: string) => name.startsWith(sealedFolder) && name !== sealedIndexPath;

  test.each<[string, Partial<GroupBundle>]>([
    ['a changed index', { change: flip((name) => name === sealedIndexPath) }],
    ['a changed file', { change: flip(isSealedFile) }],
    [
      'a truncated file',
      {
        change: (files) => {
          for (const name of Object.keys(files).filter(isSealedFile))
            files[name] = files[name]?.subarray(0, 20) ?? new Uint8Array();
        },
      },
    ],
    [
      'a missing file',
      {
        change: (files) => {
          for (const name of Object.keys(files).filter(isSealedFile).slice(0, 1)) delete files[name];
        },
      },
    ],
    ['a missing index', { change: (files) => void delete files[sealedIndexPath] }],
    ['another content key', { key: otherContentKey }],
  ])('with %s does not replace the current release', async (_, options) => {
    const site = await startGroupSite({ bundle: await bundleOf('one') });
    site.offer(await bundleOf('two', options));
    await eventually(async () => (await site.readiness()).lastRefresh?.detail).toContain('sealed_unreadable');
    expect(await site.readiness()).toMatchObject({ status: 'ready', restrictedPages: 'served' });
    expect((await site.get('/alderwood', ['crew'])).text).toContain('release one');
  });

  test.each<[string, Parameters<typeof startGroupSite>[0], RegExp]>([
    ['without a content key', { key: null }, /Set access\.contentKeyFile/],
    ['without a public key', { isVerified: false }, /Set staticExport\.publicKey/],
  ])('%s serves the pages without groups only', async (_, options, problem) => {
    const site = await startGroupSite({ bundle: await bundleOf(), ...options });
    await eventually(async () => (await site.readiness()).restrictedPages).toMatch(problem);
    expect((await site.get('/guide', ['crew'])).status).toBe(200);
    for (const path of ['/alderwood', '/alderwood.md', '/images/alderwood.svg'])
      expect((await site.get(path, ['crew'])).status).toBe(404);
    expect(readdirSync(join(site.dataDir, 'releases'), { recursive: true }).join()).not.toContain(
      'restricted',
    );
  });

  test('without a signature is not opened although the content key fits', async () => {
    const bundle = await bundleOf('one', { signedWith: null });
    const site = await startGroupSite({ bundle, isVerified: false });
    await eventually(async () => (await site.readiness()).restrictedPages).toMatch(/publicKey/);
    expect((await site.get('/alderwood', ['crew'])).status).toBe(404);
  });

  test('serves its pages for groups after a restart with the key, and none after one with another key', async () => {
    const first = await startGroupSite({ bundle: await bundleOf(), key: null });
    await eventually(async () => (await first.readiness()).restrictedPages).toMatch(/contentKeyFile/);
    const { dataDir } = first;
    await first.stop();
    const second = await startGroupSite({ dataDir });
    expect((await second.get('/alderwood', ['crew'])).status).toBe(200);
    expect((await second.readiness()).restrictedPages).toBe('served');
    await second.stop();
    const third = await startGroupSite({ dataDir, key: otherContentKey });
    expect((await third.get('/guide', ['crew'])).status).toBe(200);
    expect((await third.get('/alderwood', ['crew'])).status).toBe(404);
    const { status, restrictedPages } = await third.readiness();
    expect([status, restrictedPages]).toEqual(['ready', expect.stringContaining(contentKey.keyId)]);
  });
});

describe('a release with pages for groups', () => {
  const keys = { expectations: { publicKeys: [publicKey] }, contentKey };
  const arrival = (file: string) => ({ file, origin: file, fingerprint: null, jobId: null });
  const saved = (bytes: Uint8Array): string => {
    const file = join(temporaryFolder('archive'), 'bundle.tar.gz');
    writeFileSync(file, bytes);
    return file;
  };
  const shows = async (site: GroupSite, release: string) => {
    await eventually(async () => (await site.get('/alderwood', ['crew'])).text).toContain(
      `release ${release}`,
    );
    expect((await site.get('/birchtree', ['crew'])).status).toBe(404);
    expect((await site.readiness()).restrictedPages).toBe('served');
  };

  test('is served after a delta, a rollback and a second installation', async () => {
    const bundles = [await bundleOf('one'), await bundleOf('two')] as const;
    const site = await startGroupSite({ bundle: bundles[0] });
    await eventually(async () => (await site.get('/', [])).status).toBe(200);
    const store = await ReleaseStore.openIn(site.dataDir);
    const { appliedTo } = await install(store, arrival(saved(await deltaOf(...bundles))), keys);
    expect(appliedTo).toMatch(/^r1-/);
    await shows(site, 'two');
    const releases = await store.releases();
    await store.change((state) =>
      rolledBack(state, releases, { to: undefined, at: new Date().toISOString() }),
    );
    await shows(site, 'one');
    expect((await install(store, arrival(saved(bundles[1])), keys)).release.id).toMatch(/^r2-/);
    await shows(site, 'two');
    await store.close();
  });

  test('replaces one with other groups without a failed request', async () => {
    const site = await startGroupSite({ bundle: await bundleOf('one') });
    await eventually(async () => (await site.get('/', [])).status).toBe(200);
    const next = await bundleOf('two', {
      audiences: [
        { groups: ['cooks'], files: filesFor(['crew'], 'two') },
        { groups: ['crew'], files: filesFor(['crew'], 'two') },
      ],
    });
    const members = [[], ['crew'], ['pilots'], ['crew', 'pilots'], ['cooks']];
    site.offer(next);
    const seen = new Set<string>();
    while (!seen.has('two')) {
      const answers = await Promise.all(
        members.flatMap((own) => [site.get('/guide', own), site.get('/', own)]),
      );
      for (const { status, text } of answers) {
        expect(status).toBe(200);
        seen.add(/release (\w+)/.exec(text)?.[1] ?? 'none');
      }
    }
    expect([...seen].toSorted()).toEqual(['one', 'two']);
    expect((await site.get('/alderwood', ['cooks'])).status).toBe(200);
  });
});
