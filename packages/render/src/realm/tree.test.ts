import { describe, expect, it } from 'vitest';
import { ElementValue, Foreign, NativeFunction, ObjectValue, UnsupportedError } from '../evaluate/values.ts';
import { MalformedTreeError, checkedTree, type TreeSlots, treeOfValue, valueOfTree } from './tree.ts';

const slots = (given: Foreign[]): TreeSlots => ({
  given,
  content: (first, last) => `${first} to ${last}`,
});

describe('a tree from customer code', () => {
  it('only known parts of a tree are kept', () => {
    const came: unknown = JSON.parse(
      '{"type":"a","props":[["__proto__",{"object":[["x",1]]}]],"children":[{"slot":2,"html":"<b>"}],"html":"<script>"}',
    );
    expect(checkedTree(came)).toEqual({
      type: 'a',
      props: [['__proto__', { object: [['x', 1]] }]],
      children: [{ slot: 2 }],
    });
  });

  it.each([
    ['an element without properties', { type: 'a', children: [] }],
    ['a property without a name', { type: 'a', props: [[1, 2]], children: [] }],
    ['an object of something else', { raw: '<b>' }],
    ['what stands on a prototype', Object.create({ slot: 1 })],
    ['nothing', undefined],
  ])('%s is rejected', (_what, came) => {
    expect(() => checkedTree(came)).toThrow(MalformedTreeError);
  });

  it('slots are integers in order', () => {
    for (const forged of [{ slot: 0.5 }, { slot: 3, to: 2 }, { slot: -1, to: 4 }, { slot: 0, to: 1e99 }])
      expect(() => checkedTree(forged), JSON.stringify(forged)).toThrow(MalformedTreeError);
    expect(checkedTree({ slot: 2, to: 4, more: 1 })).toEqual({ slot: 2, to: 4 });
  });

  it('the depth and size of a tree are bounded', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 300; depth++) deep = [deep];
    expect(() => checkedTree(deep)).toThrow(MalformedTreeError);
    expect(() => checkedTree(Array.from({ length: 600_000 }, () => 1))).toThrow(MalformedTreeError);
  });

  it('a tree becomes values of the evaluator with valid element names', () => {
    const slot = new Foreign('content');
    const value = valueOfTree(
      { type: 'b', props: [['onClick', { function: true }]], children: [{ slot: -1 }, { slot: 2, to: 4 }] },
      slots([slot]),
    );
    expect(value).toBeInstanceOf(ElementValue);
    const { props, children } = value as ElementValue;
    expect(props.get('onClick')).toBeInstanceOf(NativeFunction);
    expect(children).toEqual([slot, '2 to 4']);
    expect(() => valueOfTree({ type: 'b><script', props: [], children: [] }, slots([]))).toThrow(
      UnsupportedError,
    );
  });

  it('a tree survives the round trip', () => {
    const slot = new Foreign('content');
    const found: Foreign[] = [];
    const given = new ObjectValue([
      ['n', 1],
      ['list', ['a', null, slot]],
      ['element', new ElementValue('b', new ObjectValue(), ['x'])],
    ]);
    const tree = treeOfValue(given, found);
    expect(found).toEqual([slot]);
    expect(valueOfTree(checkedTree(JSON.parse(JSON.stringify(tree))), slots(found))).toEqual(given);
  });
});
