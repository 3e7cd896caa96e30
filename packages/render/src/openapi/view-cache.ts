/** Caches schema views shared by pages of one API description, with the budget each consumed. */
import { asObject } from '../config/json.ts';
import type { Direction } from './schema.ts';
import type { SchemaView } from './view.ts';
import type { SpecDocument } from '../model/site-plan.ts';

export interface ViewCost {
  nodes: number;
  characters: number;
  effort: number;
  isSpent: boolean;
}

export interface CostedView {
  view: SchemaView;
  cost: ViewCost;
}

/** Bounds the memory of a process. */
const maxCachedNodes = 100_000;

class ViewCache {
  readonly #views = new Map<unknown, CostedView>();
  #nodesLeft = maxCachedNodes;

  get(schema: unknown): CostedView | undefined {
    return this.#views.get(keyOf(schema));
  }

  put(schema: unknown, built: CostedView): void {
    const nodes = built.cost.nodes + 1;
    if (nodes > this.#nodesLeft || !asObject(schema)) return;
    this.#nodesLeft -= nodes;
    this.#views.set(keyOf(schema), built);
  }
}

/** References compare by their text, other schemas by identity. */
function keyOf(schema: unknown): unknown {
  const entries = Object.entries(asObject(schema) ?? {});
  const [first] = entries;
  return entries.length === 1 && first?.[0] === '$ref' && typeof first[1] === 'string' ? first[1] : schema;
}

const cachesByDocument = new WeakMap<SpecDocument, Map<string, ViewCache>>();

export function viewCacheOf(document: SpecDocument, direction: Direction, maxNodes: number): ViewCache {
  let caches = cachesByDocument.get(document);
  if (!caches) cachesByDocument.set(document, (caches = new Map<string, ViewCache>()));
  const name = `${direction} ${maxNodes}`;
  let cache = caches.get(name);
  if (!cache) caches.set(name, (cache = new ViewCache()));
  return cache;
}
