/**
 * The data that enters and leaves customer code. Security: a hostile realm writes the results, so
 * `checkedTree` validates and bounds every part of them.
 */
import {
  ElementValue,
  Foreign,
  FunctionValue,
  NativeFunction,
  ObjectValue,
  UnsupportedError,
  type Value,
} from '../evaluate/values.ts';

export type Tree =
  | null
  | boolean
  | number
  | string
  | Tree[]
  | { type: string | null; props: TreeEntry[]; children: Tree[] }
  | { object: TreeEntry[] }
  /**
   * Content that the host has and customer code only places: of the document by number, or passed to it
   * (negative).
   */
  | { slot: number; to?: number }
  | { function: true };

export type TreeEntry = [string, Tree];

const maxDepth = 250;
const maxParts = 500_000;

export class MalformedTreeError extends Error {}

export function checkedTree(value: unknown): Tree {
  let parts = 0;
  const treeOf = (part: unknown, depth: number): Tree => {
    if (++parts > maxParts || depth > maxDepth) throw new MalformedTreeError('the result is too large');
    if (typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean' || part === null)
      return part;
    if (Array.isArray(part)) return part.map((item) => treeOf(item, depth + 1));
    if (typeof part !== 'object') throw new MalformedTreeError('the result is malformed');
    const own = (key: string): unknown =>
      Object.hasOwn(part, key) ? part[key as keyof typeof part] : undefined;
    if (own('function') === true) return { function: true };
    const slot = own('slot');
    if (typeof slot === 'number') return slotOf(slot, own('to'));
    const [object, type, props, children] = [own('object'), own('type'), own('props'), own('children')];
    if (Array.isArray(object)) return { object: entriesOf(object, depth) };
    const isElement =
      (typeof type === 'string' || type === null) && Array.isArray(props) && Array.isArray(children);
    if (!isElement) throw new MalformedTreeError('the result is malformed');
    return {
      type,
      props: entriesOf(props, depth),
      children: children.map((child) => treeOf(child, depth + 1)),
    };
  };
  const entriesOf = (list: unknown[], depth: number): TreeEntry[] =>
    list.map((entry) => {
      if (!Array.isArray(entry) || typeof entry[0] !== 'string')
        throw new MalformedTreeError('the result is malformed');
      return [entry[0], treeOf(entry[1], depth + 1)];
    });
  return treeOf(value, 0);
}

function slotOf(slot: number, to: unknown): Tree {
  const isRange = typeof to === 'number';
  if (!Number.isSafeInteger(slot) || (isRange && !(Number.isSafeInteger(to) && to > slot && slot >= 0)))
    throw new MalformedTreeError('the result is malformed');
  return isRange ? { slot, to } : { slot };
}

/** The host's content for slots. */
export interface TreeSlots {
  given: readonly Foreign[];
  content(first: number, last: number): Value;
}

/** HTML, built-in components, and documents of the site (`program/program.ts`). */
const elementName = /^(?:[A-Za-z][\w.:-]{0,99}|document:.{1,500})$/;

export function valueOfTree(tree: Tree, slots: TreeSlots): Value {
  if (typeof tree !== 'object' || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((item) => valueOfTree(item, slots));
  if ('slot' in tree)
    return tree.slot < 0
      ? (slots.given[-tree.slot - 1] ?? null)
      : slots.content(tree.slot, tree.to ?? tree.slot);
  if ('function' in tree) return new NativeFunction(throwNotCallable);
  if ('object' in tree) return new ObjectValue(entries(tree.object, slots));
  if (tree.type !== null && !elementName.test(tree.type))
    throw new UnsupportedError('an element has an invalid name');
  const children = tree.children.map((child) => valueOfTree(child, slots));
  return new ElementValue(tree.type, new ObjectValue(entries(tree.props, slots)), children);
}

function entries(list: readonly TreeEntry[], slots: TreeSlots): [string, Value][] {
  return list.map(([name, value]) => [name, valueOfTree(value, slots)]);
}

function throwNotCallable(): never {
  throw new UnsupportedError('a function of the page cannot be called here');
}

/** Converts a snippet's properties. Values that only the host has become slots, noted in `slots`. */
export function treeOfValue(value: Value, slots: Foreign[]): Tree {
  if (value === undefined) return null;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => treeOfValue(item, slots));
  if (value instanceof ObjectValue) return { object: treeEntries(value, slots) };
  if (value instanceof FunctionValue || value instanceof NativeFunction) return { function: true };
  if (value instanceof Foreign) return { slot: -slots.push(value) };
  if (typeof value.type !== 'string' && value.type !== null)
    throw new UnsupportedError('an element of the page is passed to code that must be run');
  const children = value.children.map((child) => treeOfValue(child, slots));
  return { type: value.type, props: treeEntries(value.props, slots), children };
}

function treeEntries(object: ObjectValue, slots: Foreign[]): TreeEntry[] {
  return [...object.entries]
    .filter(([, item]) => item !== undefined)
    .map(([name, item]) => [name, treeOfValue(item, slots)]);
}
