/**
 * The JSONPath subset used by overlays: names, indexes, `*`, `..` and filters with one comparison. It returns
 * locations so that callers can modify the values.
 */
import { asList, asObject } from '../config/json.ts';

export interface Place {
  holder: { [key: string]: unknown } | unknown[];
  key: string | number;
}

interface Step {
  /** Recursive descent (`..`). */
  deep: boolean;
  pick: { kind: 'all' } | { kind: 'names'; names: (string | number)[] } | { kind: 'filter'; tests: Test[] };
}

/** `@.in == 'query'`; without a comparison it tests existence. */
interface Test {
  path: (string | number)[];
  compare?: { equal: boolean; value: unknown };
}

export function selectPlaces(
  root: { document: unknown },
  path: string,
  budget: { visits: number },
): Place[] | undefined {
  const steps = readSteps(path);
  if (!steps) return undefined;
  let places: Place[] = [{ holder: root, key: 'document' }];
  for (const { deep, pick } of steps) {
    const from = deep ? places.flatMap((place) => [place, ...placesBelow(valueOf(place), budget)]) : places;
    places = from.flatMap((place) => picked(valueOf(place), pick, budget));
  }
  return places;
}

export function valueOf({ holder, key }: Place): unknown {
  if (Array.isArray(holder)) return holder[Number(key)];
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

function placesBelow(value: unknown, budget: { visits: number }): Place[] {
  return childrenOf(value, budget).flatMap((place) => [place, ...placesBelow(valueOf(place), budget)]);
}

function childrenOf(value: unknown, budget: { visits: number }): Place[] {
  const list = Array.isArray(value) ? (value as unknown[]) : undefined;
  const object = asObject(value);
  const children: Place[] = list
    ? list.map((_, key) => ({ holder: list, key }))
    : object
      ? Object.keys(object).map((key) => ({ holder: object, key }))
      : [];
  budget.visits -= children.length + 1;
  if (budget.visits < 0) throw new Error('the overlay asks for too much work');
  return children;
}

function picked(value: unknown, pick: Step['pick'], budget: { visits: number }): Place[] {
  const children = childrenOf(value, budget);
  if (pick.kind === 'all') return children;
  if (pick.kind === 'filter')
    return children.filter((place) => pick.tests.every((test) => passes(valueOf(place), test)));
  const count = asList(value).length;
  const selected = pick.names.map((name) => (typeof name === 'number' && name < 0 ? count + name : name));
  return children.filter(({ key }) => selected.includes(key));
}

function passes(value: unknown, { path, compare }: Test): boolean {
  let current = value;
  for (const name of path) {
    const list = asList(current);
    current = typeof name === 'number' ? list[name < 0 ? list.length + name : name] : ownValue(current, name);
  }
  if (!compare) return current !== undefined;
  return (current === compare.value) === compare.equal;
}

function ownValue(value: unknown, name: string): unknown {
  const object = asObject(value);
  return object && Object.hasOwn(object, name) ? object[name] : undefined;
}

const maxLength = 2000;
const namePattern = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;

function readSteps(path: string): Step[] | undefined {
  if (!path.startsWith('$') || path.length > maxLength) return undefined;
  const steps: Step[] = [];
  let at = 1;
  while (at < path.length) {
    const deep = path.startsWith('..', at);
    const dots = deep ? 2 : path[at] === '.' ? 1 : 0;
    at += dots;
    if (path[at] === '[') {
      const end = endOfBracket(path, at);
      const pick = end === undefined ? undefined : readBracket(path.slice(at + 1, end).trim());
      if (end === undefined || !pick) return undefined;
      steps.push({ deep, pick });
      at = end + 1;
    } else if (dots > 0 && path[at] === '*') {
      steps.push({ deep, pick: { kind: 'all' } });
      at += 1;
    } else {
      const name = dots > 0 ? matchAt(namePattern, path, at) : undefined;
      if (name === undefined) return undefined;
      steps.push({ deep, pick: { kind: 'names', names: [name] } });
      at += name.length;
    }
  }
  return steps;
}

function endOfBracket(path: string, from: number): number | undefined {
  let quote = '';
  let open = 0;
  for (let at = from; at < path.length; at++) {
    const character = path.charAt(at);
    if (quote) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[') open += 1;
    else if (character === ']' && --open === 0) return at;
  }
  return undefined;
}

function readBracket(inner: string): Step['pick'] | undefined {
  if (inner === '*') return { kind: 'all' };
  if (inner.startsWith('?')) return readFilter(inner.slice(1).trim());
  const names: (string | number)[] = [];
  for (let rest = inner; ;) {
    const token = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d{1,9}))\s*(,?)\s*/.exec(rest);
    if (!token) return undefined;
    names.push(token[3] === undefined ? unquoted(token[1] ?? token[2] ?? '') : Number(token[3]));
    rest = rest.slice(token[0].length);
    if (!token[4]) return rest === '' ? { kind: 'names', names } : undefined;
  }
}

function readFilter(text: string): Step['pick'] | undefined {
  const inner = text.startsWith('(') && text.endsWith(')') ? text.slice(1, -1) : text;
  const tests = inner.split('&&').map((part) => readTest(part.trim()));
  return tests.includes(undefined) ? undefined : { kind: 'filter', tests: tests as Test[] };
}

function readTest(text: string): Test | undefined {
  const found = /^@([^=!<>]*?)\s*(?:(==|!=)\s*(.+))?$/.exec(text);
  const steps = found && readSteps(`$${(found[1] ?? '').trim()}`);
  if (!found || !steps) return undefined;
  const path = steps.map(({ deep, pick }) => (!deep && pick.kind === 'names' ? pick.names[0] : undefined));
  if (path.includes(undefined)) return undefined;
  const test: Test = { path: path as (string | number)[] };
  return found[2]
    ? { ...test, compare: { equal: found[2] === '==', value: readLiteral(found[3] ?? '') } }
    : test;
}

function readLiteral(text: string): unknown {
  const quoted = /^(['"])(.*)\1$/s.exec(text.trim());
  if (quoted) return unquoted(quoted[2] ?? '');
  const words: Record<string, unknown> = { true: true, false: false, null: null };
  return Object.hasOwn(words, text.trim()) ? words[text.trim()] : Number(text);
}

function unquoted(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
