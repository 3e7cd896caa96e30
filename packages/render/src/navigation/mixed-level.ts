/**
 * Resolves navigation levels with several kinds of divisions, where the format allows one: the first kind in
 * `precedence` divides the level, the others nest in it.
 */
import { asList, asObject, textAt } from '../config/json.ts';
import { plainRoute } from './plain-route.ts';
import type { JsonObject } from '../model/json.ts';

/** Deeper levels are omitted. */
export const maxDepth = 50;

/** In the order of the format's documentation. */
const precedence = ['products', 'languages', 'versions', 'tabs', 'dropdowns', 'anchors', 'menu'] as const;
/**
 * A reader is always in exactly one of these, so other divisions nest in them; tabs and anchors may be
 * siblings.
 */
const wholeSite: ReadonlySet<string> = new Set(['products', 'languages', 'versions']);
const listKeys: readonly string[] = [...precedence, 'groups', 'pages'];
const nameKeys = [
  'name',
  'product',
  'language',
  'version',
  'tab',
  'dropdown',
  'anchor',
  'item',
  'group',
] as const;

export interface SettledLevel {
  node: JsonObject;
  /** Absent when the level has one kind of division. */
  decision?: {
    winner: string;
    others: string[];
    /** Divisions without navigation that received the other keys. */
    filled: string[];
    /** Entries of the other keys that the divisions already contain. */
    ignored: number;
    /** Entries of the other keys that were added to every division. */
    added: number;
  };
}

/** Limits repetition, so that a small file cannot describe an unbounded site. */
export interface CopyBudget {
  entriesLeft: number;
}

export function settleLevel(node: JsonObject, budget: CopyBudget): SettledLevel {
  const winner = precedence.find((key) => asList(node[key]).some(divides));
  if (winner === undefined) return { node };
  const others = listKeys.filter((key) => key !== winner && asList(node[key]).some((item) => !isLink(item)));
  if (others.length === 0) return { node };
  const divisions = asList(node[winner]);
  const otherLists = Object.fromEntries(others.map((key) => [key, asList(node[key])]));
  const rest = omit(node, others);
  const empty = divisions.filter(isEmptyDivision);
  if (empty.length > 0 && spend(budget, otherLists, empty.length)) {
    const filled = divisions.map((item) =>
      empty.includes(item) ? { ...otherLists, ...asObject(item) } : item,
    );
    const decision = { winner, others, filled: empty.map(nameOf), ignored: 0, added: 0 };
    return { node: { ...rest, [winner]: filled }, decision };
  }
  const { kept, dropped: ignored } = withoutDuplicates(otherLists, factsIn(divisions));
  const joining = wholeSite.has(winner) ? kept : omit(kept, precedence);
  const canJoin = spend(budget, joining, divisions.length);
  const added = canJoin ? countEntries(joining) : 0;
  if (ignored + added === 0) return { node };
  const joined = divisions.map((item) => (divides(item) ? mergedNode(asObject(item) ?? {}, joining) : item));
  const staying = omit(kept, Object.keys(joining));
  return {
    node: { ...rest, ...staying, [winner]: canJoin ? joined : divisions },
    decision: { winner, others, filled: [], ignored, added },
  };
}

function spend(budget: CopyBudget, lists: JsonObject, copies: number): boolean {
  const cost = countEntries(lists) * copies;
  if (cost > budget.entriesLeft) return false;
  budget.entriesLeft -= cost;
  return true;
}

function omit(node: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([key]) => !keys.includes(key)));
}

function divides(item: unknown): boolean {
  const node = asObject(item);
  return node !== undefined && node['hidden'] !== true && nameOf(node) !== '' && !isLink(node);
}

function isLink(item: unknown): boolean {
  const node = asObject(item);
  return node !== undefined && hrefOf(node) !== undefined && !hasOwnNavigation(node);
}

function isEmptyDivision(item: unknown): boolean {
  const node = asObject(item);
  return node !== undefined && divides(node) && !hasOwnNavigation(node);
}

function hasOwnNavigation(node: JsonObject): boolean {
  const generates = ['openapi', 'asyncapi', 'graphql', 'sdk', 'root'].some((key) => node[key] !== undefined);
  return generates || listKeys.some((key) => asList(node[key]).length > 0);
}

function hrefOf(node: JsonObject): string | undefined {
  return textAt(node, 'href') ?? textAt(node, 'url');
}

function nameOf(item: unknown): string {
  for (const key of nameKeys) {
    const name = textAt(item, key);
    if (name !== undefined) return name;
  }
  return '';
}

function ownFacts(item: unknown): string[] {
  if (typeof item === 'string') return [`page ${plainRoute(item)}`];
  const node = asObject(item);
  if (!node) return [];
  const href = hrefOf(node);
  const pages = ['root', 'page'].flatMap((key) => ownFacts(textAt(node, key)));
  const specs = ['openapi', 'asyncapi', 'graphql', 'sdk'].flatMap((key) =>
    node[key] === undefined || asList(node['pages']).length > 0
      ? []
      : [`${key} ${JSON.stringify(node[key])}`],
  );
  return [...(href === undefined ? [] : [`href ${href}`]), ...pages, ...specs];
}

function factsIn(items: readonly unknown[], found = new Set<string>(), depth = 0): Set<string> {
  if (depth > maxDepth) return found;
  for (const item of items) {
    for (const fact of ownFacts(item)) found.add(fact);
    for (const key of listKeys) factsIn(asList(asObject(item)?.[key]), found, depth + 1);
  }
  return found;
}

function withoutDuplicates(
  lists: JsonObject,
  held: ReadonlySet<string>,
): { kept: JsonObject; dropped: number } {
  let dropped = 0;
  const prune = (items: readonly unknown[], depth: number): unknown[] =>
    items.flatMap((item) => {
      const node = asObject(item);
      const inner = node ? prunedLists(node, depth + 1) : {};
      const isNew = ownFacts(item).some((fact) => !held.has(fact));
      if (!isNew && Object.keys(inner).length === 0) {
        if (!node || !listKeys.some((key) => asList(node[key]).length > 0)) dropped += 1;
        return [];
      }
      return [node ? { ...omit(node, listKeys), ...inner } : item];
    });
  const prunedLists = (node: JsonObject, depth: number): JsonObject => {
    if (depth > maxDepth) return {};
    const inner = listKeys.map((key) => [key, prune(asList(node[key]), depth)] as const);
    return Object.fromEntries(inner.filter(([, items]) => items.length > 0));
  };
  return { kept: prunedLists(lists, 0), dropped };
}

function countEntries(lists: JsonObject, depth = 0): number {
  if (depth > maxDepth) return 0;
  return listKeys
    .flatMap((key) => asList(lists[key]))
    .reduce<number>((sum, item) => {
      const inner = countEntries(asObject(item) ?? {}, depth + 1);
      return sum + (inner === 0 ? 1 : inner);
    }, 0);
}

function mergedNode(node: JsonObject, added: JsonObject, depth = 0): JsonObject {
  if (depth > maxDepth) return node;
  const merged: Record<string, unknown> = { ...node };
  for (const key of listKeys) {
    const items = asList(added[key]);
    if (items.length === 0) continue;
    const isAfterPages =
      key === 'groups' && asList(node[key]).length === 0 && asList(node['pages']).length > 0;
    const target = isAfterPages ? 'pages' : key;
    const list = [...asList(merged[target])];
    for (const item of items) {
      const object = asObject(item);
      const at = object ? list.findIndex((one) => asObject(one) && nameOf(one) === nameOf(object)) : -1;
      const same = asObject(list[at]);
      if (object && same) list[at] = mergedNode(same, object, depth + 1);
      else list.push(item);
    }
    merged[target] = list;
  }
  return merged;
}
