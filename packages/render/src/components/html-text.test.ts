import { expect, test } from 'vitest';
import type { Child } from './contract.ts';
import { childrenOfHtml } from './html-text.ts';

const place = { file: 'index.mdx', line: 1, column: 1 };

function shown(children: readonly Child[]): string {
  return children
    .map((child) => {
      if (child.kind === 'text') return child.text;
      return child.kind === 'element' ? `(${child.call.name} ${shown(child.call.children)})` : '';
    })
    .join('');
}

const read = (html: string): string => shown(childrenOfHtml(html, place));

test('elements without end tags end where the next one begins', () => {
  expect(read('<ul><li>one<li>two</ul><p>a<div>b</div>')).toBe('(ul (li one)(li two))(p a)(div b)');
  expect(read('<img src=a><br/>text')).toBe('(img )(br )text');
});

test('names of built-in properties are ordinary elements and references', () => {
  expect(read('<constructor>a<b>c</b></constructor>&valueOf;')).toBe('(constructor a(b c))&valueOf;');
});

test('references become characters, and invalid codes are replaced', () => {
  expect(read('&lt;&#8594;&#x2713;&#xd800;&#0;')).toBe('<→✓\ufffd\ufffd');
});

test('the content of a script is dropped, and its end tag is found in any case', () => {
  expect(read('İ<script>if (a < b) {}</SCRIPT >after')).toBe('İ(script )after');
});

test('many scripts are parsed in linear time', () => {
  const html = '<script>x</script>'.repeat(50_000);
  expect(childrenOfHtml(html, place)).toHaveLength(50_000);
}, 5000);
