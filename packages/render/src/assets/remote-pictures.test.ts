import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, renderFiles } from '../../test/support/render-fixture.ts';
import { type PictureLimits, RemotePictures } from './remote-pictures.ts';

const png = (width: number): Buffer =>
  Buffer.from(`89504e470d0a1a0a0000000d49484452${width.toString(16).padStart(8, '0')}00000010`, 'hex');
const nameOf = (content: Uint8Array, kind: string): string =>
  `_docyard/remote/${hash('sha256', content).slice(0, 16)}.${kind}`;
const host = 'https://pictures.test';

const fetchFrom =
  (there: Record<string, Uint8Array | string>, asked: string[] = []) =>
  (address: string): Promise<Uint8Array> => {
    asked.push(address);
    const found = there[address.replace(`${host}/`, '')];
    return found === undefined
      ? Promise.reject(new Error('The host pictures.test answered with status 404.'))
      : Promise.resolve(Buffer.from(found));
  };

describe('pictures of other hosts', () => {
  const site = {
    'docs.json': JSON.stringify({
      name: 'Harbour',
      logo: `${host}/logo.svg`,
      favicon: '//pictures.test/favicon.ico',
      background: { image: `${host}/sky.png` },
      navigation: {
        groups: [
          { group: 'Guide', icon: `${host}/group.png`, pages: ['index', 'other', 'deep/page', 'plain'] },
        ],
      },
    }),
    'index.mdx': [
      `![A ship](${host}/ship.png)`,
      `<Card title="Card" img="${host}/card.jpg" />`,
      `<Frame><img src="${host}/ship.png?again" alt="" width="32" /></Frame>`,
      `![Nothing](${host}/nothing.png)`,
      `<Icon icon="${host}/icon.png" />`,
    ].join('\n\n'),
    'other.mdx': `export const folder = '${host}'\n\n<img src={\`\${folder}/ship.png\`} alt="The same" />`,
    'deep/page.mdx': `![Not a picture](${host}/page.html)`,
    'plain.mdx': 'Words.',
    'own.css': `body { background: url(${host}/back.png) }`,
  };
  const there = {
    'logo.svg': '<svg onload="alert(1)" width="9" height="9"></svg>',
    'group.png': png(7),
    'favicon.ico': Buffer.from('0000010001', 'hex'),
    'sky.png': png(11),
    'ship.png': png(64),
    'ship.png?again': png(64),
    'card.jpg': Buffer.from('ffd8ffe0', 'hex'),
    'icon.png': png(8),
    'page.html': '<html><script>alert(1)</script></html>',
    'back.png': png(5),
  };
  const asked: string[] = [];
  let rendered: Rendered;
  beforeAll(async () => {
    rendered = await renderFiles(site, { fetchPicture: fetchFrom(there, asked) });
  });

  it('remote pictures become output files, each once, and pages show them', () => {
    const ship = nameOf(png(64), 'png');
    const html = rendered.content('index.html');
    expect(html).toContain(`<img src="${ship}" alt="A ship" width="64" height="16"`);
    expect(html).toContain(`src="${ship}" width="32" alt="" height="8"`);
    expect(html).toMatch(/<img src="_docyard\/remote\/[0-9a-f]{16}\.jpg" class="dy-card-image"/);
    expect(html).toContain(`<img class="dy-icon icon dy-icon-image" src="${nameOf(png(8), 'png')}"`);
    expect(rendered.content('other.html')).toContain(`src="${ship}" alt="The same"`);
    const pictures = [...rendered.files.keys()].filter((path) => path.startsWith('_docyard/remote/'));
    expect(pictures).toHaveLength(8);
    for (const [path, text] of rendered.files)
      if (path.endsWith('.html')) expect(text, path).not.toContain('src="https:');
    expect(asked.filter((address) => address.endsWith('/ship.png'))).toHaveLength(1);
  });

  it('remote pictures are found in page frames and in stylesheets', () => {
    const { files } = rendered;
    const logo = [...files].find(([path]) => /^_docyard\/remote\/.*\.svg$/.test(path));
    expect(logo?.[1]).not.toContain('alert');
    expect(files.get('deep/page.html')).toContain(`src="../${logo?.[0]}"`);
    expect(files.get('deep/page.html')).toContain(`src="../${nameOf(png(7), 'png')}"`);
    expect(files.get('deep/page.html')).toMatch(
      /<link rel="icon" href="\.\.\/_docyard\/remote\/[0-9a-f]{16}\.ico"/,
    );
    expect(files.get('_docyard/site.css')).toContain(nameOf(png(11), 'png').replace('_docyard/', ''));
    expect(files.get('own.css')).toContain(`url("${nameOf(png(5), 'png')}")`);
  });

  it('a picture that cannot be downloaded becomes a link, and the finding gives the reason', () => {
    expect(rendered.content('index.html')).toContain(`href="${host}/nothing.png" rel="noopener">Nothing</a>`);
    const remote = rendered.diagnostics.filter(({ code }) => code === 'remote_image');
    expect(remote.map(({ file, message }) => `${file}: ${message}`).toSorted()).toEqual([
      `deep/page.mdx: The image "${host}/page.html" is on another host and could not be fetched: the file is not in an image format that browsers show`,
      `index.mdx: The image "${host}/nothing.png" is on another host and could not be fetched: The host pictures.test answered with status 404.`,
    ]);
    expect(rendered.report.remoteAssets.map(({ address }) => address)).toEqual([
      `${host}/page.html`,
      `${host}/nothing.png`,
    ]);
  });

  it('without downloads all remote pictures are links, and pages request none of them', async () => {
    const without = await renderFiles(site);
    expect(without.codes.filter((code) => code === 'remote_image')).toHaveLength(11);
    for (const [path, text] of without.files)
      if (path.endsWith('.html')) expect(text, path).not.toMatch(/src="https?:/);
  });

  it('the order of downloads does not change the output', async () => {
    const slowFirst = fetchFrom(there);
    const second = await renderFiles(site, {
      fetchPicture: async (address) => {
        for (let turn = 0; turn < (address.includes('card') ? 5 : 1); turn++) await Promise.resolve();
        return slowFirst(address);
      },
    });
    expect(Object.fromEntries(second.files)).toEqual(Object.fromEntries(rendered.files));
  });
});

describe('the limits', () => {
  const outcomes = async (
    there: Record<string, Uint8Array>,
    limits: Partial<PictureLimits>,
  ): Promise<string[]> => {
    const pictures = new RemotePictures(fetchFrom(there), limits);
    const addresses = Object.keys(there).map((name) => `${host}/${name}`);
    for await (const { path } of pictures.settle(addresses.toReversed())) expect(path).toMatch(/\.png$/);
    return [...pictures.table].map(([address, outcome]) =>
      'file' in outcome ? `${address.at(-1)} is there` : `${address.at(-1)}: ${outcome.problem}`,
    );
  };
  const four = { a: png(1), b: png(2), c: png(3), d: png(4) };

  it.each<[string, Partial<PictureLimits>, string[]]>([
    [
      'of number',
      { pictures: 2 },
      ['a is there', 'b is there', 'c: the site shows more than 2', 'd: the site shows more than 2'],
    ],
    ['of size', { bytes: 23 }, ['a: it is larger', 'b: it is larger', 'c: it is larger', 'd: it is larger']],
    [
      'of size together',
      { totalBytes: 50 },
      [
        'a is there',
        'b is there',
        'c: the images of the site are larger',
        'd: the images of the site are larger',
      ],
    ],
    [
      'of time',
      { seconds: -1 },
      ['a: the images of the site took longer', 'b: the images', 'c: the images', 'd: the images'],
    ],
  ])('%s drop the last addresses, independent of download speed', async (_what, limits, expected) => {
    const found = await outcomes(four, { atOnce: 1, ...limits });
    expect(found).toHaveLength(4);
    for (const [index, text] of expected.entries()) expect(found[index]).toContain(text);
    expect(await outcomes(four, { atOnce: 6, ...limits })).toEqual(found);
  });

  it('the number of parallel downloads is limited', async () => {
    let underWay = 0;
    let most = 0;
    const pictures = new RemotePictures(async () => {
      most = Math.max(most, (underWay += 1));
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      underWay -= 1;
      return png(1);
    });
    const names = Array.from({ length: 40 }, (_, index) => `${host}/${index}`);
    const files: string[] = [];
    for await (const { path } of pictures.settle(names)) files.push(path);
    expect(most).toBe(12);
    expect(files).toEqual([nameOf(png(1), 'png')]);
  });
});

describe('picture detection', () => {
  it.each([
    ['png', png(1)],
    ['jpg', Buffer.from('ffd8ffdb00', 'hex')],
    ['gif', Buffer.from('GIF89a')],
    ['webp', Buffer.from('RIFF0000WEBPVP8 ')],
    ['avif', Buffer.from('\0\0\0 ftypavif', 'latin1')],
    ['ico', Buffer.from('00000100', 'hex')],
    ['svg', Buffer.from('\ufeff <svg xmlns="http://www.w3.org/2000/svg"/>')],
  ])('the first bytes identify %s', async (kind, content) => {
    const pictures = new RemotePictures(() => Promise.resolve(content));
    const files: string[] = [];
    for await (const { path } of pictures.settle([`${host}/wrong-name.exe`])) files.push(path);
    expect(files).toEqual([expect.stringMatching(new RegExp(`^_docyard/remote/[0-9a-f]{16}\\.${kind}$`))]);
  });

  it.each([
    ['a page', '<!doctype html><html><svg></svg></html>'],
    ['a script', 'alert(1)'],
    ['a program', 'MZ'],
    ['nothing', ''],
  ])('%s is not a picture', async (_what, content) => {
    const pictures = new RemotePictures(() => Promise.resolve(Buffer.from(content)));
    for await (const { path } of pictures.settle([`${host}/a.png`])) expect(path).toBe('');
    expect(pictures.table.get(`${host}/a.png`)).toHaveProperty('problem');
  });
});
