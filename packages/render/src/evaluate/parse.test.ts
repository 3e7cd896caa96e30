import { describe, expect, it } from 'vitest';
import { isEmptyExpression, parseExpression, parseModule } from './parse.ts';

describe('empty expressions', () => {
  it.each([
    ['', true],
    [' \n', true],
    ['/* a */ // b', true],
    ['/* a */ // b\n/**/', true],
    ['/* a', false],
    ['1 /* a */', false],
    ['/', false],
    [`${'/**/'.repeat(1000)}x`, false],
  ])('%s', (source, empty) => {
    expect(isEmptyExpression(source)).toBe(empty);
  });
});

describe('duplicate declarations', () => {
  it.each([
    'let a; let a',
    'let a; var a',
    'var a; let a',
    'import a from "b"; const a = 1',
    'function a() {} let a',
    'export { nothing }',
    '(a) => { let a }',
  ])('%s', (source) => {
    expect(() => parseModule(source)).toThrow('cannot be read');
  });

  it.each(['var a; var a', 'let a; { let a }', 'try {} catch (a) { var a }', '(a) => { var a }'])(
    'a duplicate declaration is allowed: %s',
    (source) => {
      expect(parseModule(source).type).toBe('Program');
    },
  );

  it('duplicate declarations are found in linear time', () => {
    const source = Array.from({ length: 60_000 }, (_, index) => `let a${index};`).join('');
    expect(parseModule(source).body).toHaveLength(60_000);
  });
});

describe('entities in elements', () => {
  it.each([
    ['&#x1F600;&#128512;', '😀😀'],
    ['&amp;&#65;&nope;&#x110000;', '&A&nope;'],
  ])('%s', (written, read) => {
    const element = parseExpression(`<a b="${written}"/>`);
    const attribute = element.type === 'JSXElement' ? element.openingElement.attributes[0] : undefined;
    expect(attribute).toMatchObject({ value: { value: expect.stringContaining(read) as string } });
  });
});
