/**
 * What goes into customer code and what comes out of it: trees of data. What comes out was written by a hostile realm, so
 * `checkedTree` holds every part of it to this shape and bounds it; after that it can be trusted to be a tree, not more.
 */
import {
  ElementValue,
  Foreign,
  FunctionValue,
  NativeFunction,
  ObjectValue,
  Unsupported,
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
  /** Content that the host has and customer code only places: of the document by number, or given to it (negative). */
  | { slot: number; to?: number }
  | { function: true };

export type TreeEntry = [string, Tree];

const maximumDepth = 250;
const maximumParts = 500_000;

export class MalformedTree extends Error {}

/** The tree in a value that came from JSON: the same parts, and nothing else that may have stood there. */
export function checkedTree(value: unknown): Tree {
  let parts = 0;
  const treeOf = (part: unknown, depth: number): Tree => {
    if (++parts > maximumParts || depth > maximumDepth) throw new MalformedTree('the result is too large');
    if (typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean' || part === null)
      return part;
    if (Array.isArray(part)) return part.map((item) => treeOf(item, depth + 1));
    if (typeof part !== 'object') throw new MalformedTree('the result is no tree');
    const own = (key: string): unknown =>
      Object.hasOwn(part, key) ? part[key as keyof typeof part] : undefined;
    if (own('function') === true) return { function: true };
    const slot = own('slot');
    if (typeof slot === 'number') return slotOf(slot, own('to'));
    const [object, type, props, children] = [own('object'), own('type'), own('props'), own('children')];
    if (Array.isArray(object)) return { object: entriesOf(object, depth) };
    const isElement =
      (typeof type === 'string' || type === null) && Array.isArray(props) && Array.isArray(children);
    if (!isElement) throw new MalformedTree('the result is no tree');
    return {
      type,
      props: entriesOf(props, depth),
      children: children.map((child) => treeOf(child, depth + 1)),
    };
  };
  const entriesOf = (list: unknown[], depth: number): TreeEntry[] =>
    list.map((entry) => {
      if (!Array.isArray(entry) || typeof entry[0] !== 'string')
        throw new MalformedTree('the result is no tree');
      return [entry[0], treeOf(entry[1], depth + 1)];
    });
  return treeOf(value, 0);
}

function slotOf(slot: number, to: unknown): Tree {
  const isRange = typeof to === 'number';
  if (!Number.isSafeInteger(slot) || (isRange && !(Number.isSafeInteger(to) && to > slot && slot >= 0)))
    throw new MalformedTree('the result is no tree');
  return isRange ? { slot, to } : { slot };
}

/** What the host has for slots: content of the document, and what the document was given. */
export interface TreeSlots {
  given: readonly Foreign[];
  content(first: number, last: number): Value;
}

/** HTML, built-in components, and documents of the site (`program/program.ts`). */
const elementName = /^(?:[A-Za-z][\w.:-]{0,99}|document:.{1,500})$/;

/** The evaluator's value for a tree. */
export function valueOfTree(tree: Tree, slots: TreeSlots): Value {
  if (typeof tree !== 'object' || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((item) => valueOfTree(item, slots));
  if ('slot' in tree)
    return tree.slot < 0
      ? (slots.given[-tree.slot - 1] ?? null)
      : slots.content(tree.slot, tree.to ?? tree.slot);
  if ('function' in tree) return new NativeFunction(notHere);
  if ('object' in tree) return new ObjectValue(entries(tree.object, slots));
  if (tree.type !== null && !elementName.test(tree.type))
    throw new Unsupported('an element has a name that no element can have');
  const children = tree.children.map((child) => valueOfTree(child, slots));
  return new ElementValue(tree.type, new ObjectValue(entries(tree.props, slots)), children);
}

function entries(list: readonly TreeEntry[], slots: TreeSlots): [string, Value][] {
  return list.map(([name, value]) => [name, valueOfTree(value, slots)]);
}

function notHere(): never {
  throw new Unsupported('a function of the page cannot be called here');
}

/** The way in: properties of a snippet. What only the host knows becomes a slot, noted in `slots`. */
export function treeOfValue(value: Value, slots: Foreign[]): Tree {
  if (value === undefined) return null;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => treeOfValue(item, slots));
  if (value instanceof ObjectValue) return { object: treeEntries(value, slots) };
  if (value instanceof FunctionValue || value instanceof NativeFunction) return { function: true };
  if (value instanceof Foreign) return { slot: -slots.push(value) };
  if (typeof value.type !== 'string' && value.type !== null)
    throw new Unsupported('an element of the page is given to code that must be run');
  const children = value.children.map((child) => treeOfValue(child, slots));
  return { type: value.type, props: treeEntries(value.props, slots), children };
}

function treeEntries(object: ObjectValue, slots: Foreign[]): TreeEntry[] {
  return [...object.entries]
    .filter(([, item]) => item !== undefined)
    .map(([name, item]) => [name, treeOfValue(item, slots)]);
}
