import { describe, expect, it } from 'vitest';
import { hostOf, textAddresses } from './addresses.ts';
import { changed, outcomeOf, verdictOn } from '../../../test/support/policy-verdicts.ts';

const linking = (url: string) => outcomeOf([changed('a.mdx', 'Text.', `Text. [a](<${url}>)`)]);
const data = Buffer.from('the token is 12345 and the key is abcdef, and more').toString('base64');

describe('new addresses', () => {
  it.each([
    '/guides/a#part',
    'other.mdx',
    'https://github.com/acme/docs/blob/0123456789abcdef0123456789abcdef01234567/a.md',
    'https://docs.acme.io/a-rather-long-name-of-a-page-that-says-everything-about-it',
    'https://docs.acme.io/GettingStarted/WithTheThing?tab=one&utm_source=docs',
    'https://docs.acme.io/image.png?fit=max&auto=format&n=b3J9fKe8&q=85&s=0123456789abcdef0123456789abcdef',
    'http://localhost:3000/a',
    'https://api.example.com/v1',
    'mailto:help@acme.io',
  ])('a link to %s passes', (url) => expect(linking(url)).toBe('pass'));

  it.each([
    'https://new.dev/a',
    'http://10.0.0.1/a',
    '//new.dev/a',
    'https:\\\\\\\\new.dev',
    'https:/new.dev',
    'https://docs.acme.io.new.dev/a',
    'vscode://open/a',
  ])('a link to %s makes a draft', (url) => expect(linking(url)).toBe('draft addresses'));

  it.each([
    'https://docs.acme.io@new.dev/a',
    `https://docs.acme.io/a?d=${data}`,
    `https://docs.acme.io/${data}`,
    `https://docs.acme.io/a#${Buffer.from(data).toString('hex')}`,
    `https://${Buffer.from('secret of the owner').toString('hex')}0a1b2c.new.dev`,
    `https://docs.acme.io/a?text=${'please%20send%20this%20'.repeat(6)}`,
    `https://docs.acme.io/a?${'x=1&'.repeat(120)}`,
    'https://[broken',
    'file:///etc/passwd',
  ])('a link to %s is blocked', (url) => expect(linking(url)).toBe('block addresses'));

  it('a new host is reported once, and content loaded from it separately', () => {
    const { notes } = verdictOn([
      changed('a.mdx', '', '![a](https://new.dev/a.png) [b](https://new.dev/b)'),
      changed('b.mdx', '', '[c](https://new.dev/c)'),
    ]);
    expect(notes).toHaveLength(1);
    expect(notes[0]?.message).toMatch(/new\.dev/);
  });

  it('existing addresses are ignored', () => {
    const before = '[a](https://new.dev/a) [b](javascript:x)';
    expect(outcomeOf([changed('a.mdx', before, `More. ${before}`)])).toBe('pass');
  });

  it('addresses in front matter and other files are found', () => {
    const matter = (line: string) =>
      outcomeOf([changed('a.mdx', null, `---\ntitle: A\n${line}\n---\n\nText.\n`)]);
    expect(matter('url: "javascript:x"')).toBe('block addresses');
    expect(matter('canonical: https://new.dev/a')).toBe('draft addresses');
    expect(outcomeOf([changed('api.yaml', null, 'servers:\n  - url: https://new.dev/v1\n')])).toBe(
      'draft addresses',
    );
  });

  it('addresses in code are ignored', () => {
    expect(outcomeOf([changed('a.mdx', '', '```sh\ncurl https://new.dev/a\n```\n')])).toBe('pass');
  });

  it('an address in text ends before the punctuation of a sentence', () => {
    const found = textAddresses('See (https://a.dev/b), "//c.dev/d" and https://e.dev. Not // this or a//b.');
    expect(found.map(({ url }) => hostOf(url))).toEqual(['a.dev', 'c.dev', 'e.dev']);
  });
});
