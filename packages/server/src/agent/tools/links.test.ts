import { describe, expect, test } from 'vitest';
import { findLinks, withLinks } from './links.ts';

const hrefs = (source: string): string[] => findLinks(source).map(({ href, kind }) => `${kind} ${href}`);

describe('addresses', () => {
  const cases: [string, string, string[]][] = [
    ['a link', '[a](/b#c "Title")', ['link /b#c']],
    ['a link in angle brackets', '[a](</b c>)', ['link /b c']],
    ['a link with parentheses', '[a](/b_(c)) d', ['link /b_(c)']],
    ['a picture', '![a](b.png)', ['file b.png']],
    ['a picture that is a link', '[![a](b.png)](/c)', ['file b.png', 'link /c']],
    ['a definition', '[a]: ./b\n', ['link ./b']],
    ['an attribute', '<Card href="/a" img=\'b.png\' />', ['link /a', 'file b.png']],
    ['an attribute in braces', '<Card href={"/a"} />', ['link /a']],
    ['an object', "export const x = [{ href: '/a' }];", ['link /a']],
    ['an import', "import A from '../a.mdx';", ['import ../a.mdx']],
  ];
  test.each(cases)('findLinks finds %s', (_, source, expected) => {
    expect(hrefs(source)).toEqual(expected);
  });

  test('code contains no links, independent of its fence', () => {
    expect(hrefs('```md\n[a](/b)\n```\n[c](/d)')).toEqual(['link /d']);
    expect(hrefs('````\n```\n[a](/b)\n```\n````\n[c](/d)')).toEqual(['link /d']);
    expect(hrefs('~~~\n[a](/b)\n~~~')).toEqual([]);
    expect(hrefs('`[a](/b)` and ``[c](`/d)`` and [e](/f)')).toEqual(['link /f']);
    expect(hrefs('a lone ` tick\n\n[a](/b) and ` another')).toEqual(['link /b']);
  });

  test('addresses are replaced in place', () => {
    const source = '[/a](/a) `/a` [b](/a#c)';
    const changes = findLinks(source).map((link) => ({ link, href: link.href.replace('/a', '/long') }));
    expect(withLinks(source, changes)).toBe('[/a](/long) `/a` [b](/long#c)');
  });

  test('many links, or many incomplete ones, take little time', () => {
    for (const part of ['](', '![', '` ', 'href="', '\n[a', '\n\n'])
      expect(findLinks(part.repeat(50_000)).length).toBeLessThanOrEqual(20_000);
  });
});
