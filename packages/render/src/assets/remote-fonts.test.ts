import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FontRequest, RemoteFonts } from './remote-fonts.ts';

const woff2 = (text: string): Uint8Array => Buffer.from(`wOF2${text}`);
const pathOf = (content: Uint8Array): string =>
  `_docyard/fonts/${hash('sha256', content).slice(0, 16)}.woff2`;
const files = 'https://files.test';
const face = (file: string, weight: string, range: string): string =>
  `@font-face { font-style: normal; font-weight: ${weight}; src: url(${files}/${file}) format('woff2'); unicode-range: ${range}; }\n`;
const variable = 'https://fonts.googleapis.com/css2?family=Two+Words:wght@400..700&display=swap';
const single = 'https://fonts.googleapis.com/css?family=Two+Words:400,500,600,700&display=swap';

function host(there: Record<string, string | Uint8Array>) {
  const asked: string[] = [];
  const fetch = (address: string): Promise<Uint8Array> => {
    asked.push(address);
    const found = there[address];
    if (found !== undefined) return Promise.resolve(Buffer.from(found));
    return Promise.reject(
      Object.assign(new Error('The host answered with status 400.'), { hasAnswered: true }),
    );
  };
  return { asked, fonts: new RemoteFonts(fetch) };
}

const request = (more: Partial<FontRequest> = {}): FontRequest => ({
  family: 'Two Words',
  letters: ['a'],
  ...more,
});

describe('a family of Google Fonts', () => {
  it('is downloaded in the parts that the site needs', async () => {
    const { fonts, asked } = host({
      [variable]:
        face('cyrillic', '400 700', 'U+0400-04FF') +
        face('greek', '400 700', 'U+0370-03FF') +
        face('latin', '400 700', 'U+0000-00FF'),
      [`${files}/latin`]: woff2('latin'),
      [`${files}/cyrillic`]: woff2('cyrillic'),
    });
    const wanted = request({ letters: ['a', 'я'] });
    const found = await fonts.settle([wanted]);
    expect(found.map(({ path }) => path)).toEqual([pathOf(woff2('cyrillic')), pathOf(woff2('latin'))]);
    const common = { family: 'Two Words', weight: '400 700' };
    expect(fonts.outcomeOf(wanted)).toEqual({
      faces: [
        { ...common, file: pathOf(woff2('cyrillic')), unicodeRange: 'U+0400-04FF' },
        { ...common, file: pathOf(woff2('latin')), unicodeRange: 'U+0000-00FF' },
      ],
    });
    expect(asked).not.toContain(`${files}/greek`);
  });

  it('is downloaded in single weights when it is not variable', async () => {
    const { fonts, asked } = host({
      [single]: face('regular', '400', 'U+0000-00FF') + face('bold', '700', 'U+0000-00FF'),
      [`${files}/regular`]: woff2('regular'),
      [`${files}/bold`]: woff2('bold'),
    });
    expect(await fonts.settle([request()])).toHaveLength(2);
    expect(asked.slice(0, 2)).toEqual([variable, single]);
  });

  it('is requested with the weight of the site, and is downloaded once', async () => {
    const address = variable.replace('400..700', '350..700');
    const { fonts, asked } = host({ [address]: face('a', '350 700', 'U+0-FF'), [`${files}/a`]: woff2('a') });
    const twice = [request({ weight: '350' }), request({ weight: '350' })];
    expect(await fonts.settle(twice)).toHaveLength(1);
    expect(await fonts.settle(twice)).toEqual([]);
    expect(asked).toEqual([address, `${files}/a`]);
  });

  it('costs one attempt when the host is unreachable', async () => {
    const asked: string[] = [];
    const fonts = new RemoteFonts((address) => {
      asked.push(address);
      return Promise.reject(new Error('The host cannot be reached.'));
    });
    expect(await fonts.settle([request()])).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(fonts.outcomeOf(request())).toEqual({ problem: 'The host cannot be reached.' });
  });

  it('is refused as a whole when one of its files is missing', async () => {
    const { fonts } = host({
      [variable]: face('a', '400', 'U+0-FF') + face('b', '700', 'U+0-FF'),
      [`${files}/a`]: woff2('a'),
    });
    expect(await fonts.settle([request()])).toEqual([]);
    expect(fonts.outcomeOf(request())).toEqual({ problem: 'The host answered with status 400.' });
  });
});

describe('a font file of another host', () => {
  const source = `${files}/own.woff2`;

  it('has the weight of the site', async () => {
    const { fonts } = host({ [source]: woff2('own') });
    const wanted = request({ source, weight: '450' });
    expect(await fonts.settle([wanted])).toEqual([
      { path: pathOf(woff2('own')), content: Buffer.from(woff2('own')) },
    ]);
    const file = pathOf(woff2('own'));
    expect(fonts.outcomeOf(wanted)).toEqual({
      faces: [{ family: 'Two Words', file, weight: '450', unicodeRange: undefined }],
    });
  });

  it.each([
    ['a page', '<!doctype html>', 'is not a font'],
    ['larger than 1 MB', woff2('x'.repeat(1_000_000)), 'larger than 1 MB'],
  ])('is refused if it is %s', async (_what, content, problem) => {
    const { fonts } = host({ [source]: content });
    expect(await fonts.settle([request({ source })])).toEqual([]);
    expect(fonts.outcomeOf(request({ source }))).toEqual({ problem: expect.stringContaining(problem) });
  });
});
