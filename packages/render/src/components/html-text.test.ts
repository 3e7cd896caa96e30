/** HTML that code gives as a text, read into elements. */
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

test('elements whose end tags are left out end where the next one begins', () => {
  expect(read('<ul><li>one<li>two</ul><p>a<div>b</div>')).toBe('(ul (li one)(li two))(p a)(div b)');
  expect(read('<img src=a><br/>text')).toBe('(img )(br )text');
});

test('names of built-in properties are elements and references like any other', () => {
  expect(read('<constructor>a<b>c</b></constructor>&valueOf;')).toBe('(constructor a(b c))&valueOf;');
});

test('references become characters, and codes that are no character are replaced', () => {
  expect(read('&lt;&#8594;&#x2713;&#xd800;&#0;')).toBe('<→✓\ufffd\ufffd');
});

test('content of a script is left out, and its end tag is found in any spelling', () => {
  expect(read('İ<script>if (a < b) {}</SCRIPT >after')).toBe('İ(script )after');
});

test('many scripts take time in proportion to the text', () => {
  const html = '<script>x</script>'.repeat(50_000);
  expect(childrenOfHtml(html, place)).toHaveLength(50_000);
}, 5000);
