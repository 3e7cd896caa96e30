/**
 * Limits the schema nodes per page so that all pages together stay within `maxSiteNodes`. Only the largest
 * pages are truncated, and the limit does not depend on page order.
 */
import { asList, asObject, at } from '../config/json.ts';
import { findOperation } from './operation.ts';
import { referenceOf, resolve, valueAtPointer } from './references.ts';
import { maxPageNodes, maxSchemaDepth } from './schema.ts';
import type { ApiTarget, SpecDocument } from '../model/site-plan.ts';

const maxSiteNodes = 3_000_000;
const minPageNodes = 100;
const maxPartNesting = 30;
const maxStructureDepth = 12;

export interface SchemaPage {
  document: SpecDocument;
  target: ApiTarget;
}

export function pageNodeLimit(pages: readonly SchemaPage[], maxNodes = maxSiteNodes): number {
  if (pages.length * maxPageNodes <= maxNodes) return maxPageNodes;
  const estimates = new Map<SpecDocument, Estimates>();
  const sizes = pages.map(({ document, target }) => {
    let estimate = estimates.get(document);
    if (!estimate) estimates.set(document, (estimate = new Estimates(document)));
    return estimate.ofPage(target);
  });
  return Math.max(minPageNodes, equalLimit(sizes, maxNodes));
}

/** Max-min fairness. */
function equalLimit(sizes: readonly number[], total: number): number {
  let left = total;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return maxPageNodes;
}

/** Upper bounds: repeated schemas are counted each time. */
class Estimates {
  readonly #document: SpecDocument;
  readonly #schemas = new Map<object, number[]>();
  readonly #structures = new Map<object, number>();

  constructor(document: SpecDocument) {
    this.#document = document;
  }

  ofPage(target: ApiTarget): number {
    return Math.min(maxPageNodes, this.#ofTarget(target));
  }

  #ofTarget(target: ApiTarget): number {
    switch (target.kind) {
      case 'operation':
      case 'webhook': {
        const found = findOperation(this.#document, target);
        return found
          ? this.#ofStructure(at(found.pathItem, 'parameters'), 0) + this.#ofStructure(found.operation, 0)
          : 0;
      }
      case 'schema':
        return this.#ofSchema(at(this.#document, 'components', 'schemas', target.name), maxSchemaDepth, 0);
      case 'channel':
        return maxPageNodes;
      case 'front-matter':
        return 0;
    }
  }

  #ofStructure(value: unknown, depth: number): number {
    const structure = resolve(this.#document, value);
    if (typeof structure !== 'object' || structure === null || depth > maxStructureDepth) return 0;
    const known = this.#structures.get(structure);
    if (known !== undefined) return known;
    this.#structures.set(structure, 0);
    let nodes = 0;
    for (const [key, inner] of Object.entries(structure)) {
      if (key === 'schema') nodes += this.#ofSchema(inner, maxSchemaDepth, 0);
      else if (key !== 'example' && key !== 'examples') nodes += this.#ofStructure(inner, depth + 1);
      if (nodes >= maxPageNodes) break;
    }
    this.#structures.set(structure, nodes);
    return nodes;
  }

  /** `nesting` counts `allOf` parts, which share a level. */
  #ofSchema(value: unknown, levels: number, nesting: number): number {
    const schema = asObject(value);
    if (!schema) return 1;
    if (nesting > maxPartNesting) return maxPageNodes;
    const byLevels = this.#schemas.get(schema) ?? [];
    this.#schemas.set(schema, byLevels);
    const known = byLevels[levels];
    if (known !== undefined) return known;
    byLevels[levels] = maxPageNodes;
    let nodes = 1;
    for (const part of partsOf(this.#document, schema))
      nodes += this.#ofSchema(part, levels, nesting + 1) - 1;
    for (const inner of levels > 0 ? insidesOf(schema) : []) {
      if (nodes >= maxPageNodes) break;
      nodes += this.#ofSchema(inner, levels - 1, 0);
    }
    return (byLevels[levels] = Math.min(nodes, maxPageNodes));
  }
}

function partsOf(document: SpecDocument, schema: object): unknown[] {
  const reference = referenceOf(schema);
  const target = reference === undefined ? [] : [valueAtPointer(document, reference)];
  return [...target, ...asList(at(schema, 'allOf'))];
}

function insidesOf(schema: object): unknown[] {
  const named = ['properties', 'patternProperties'].flatMap((key) =>
    Object.values(asObject(at(schema, key)) ?? {}),
  );
  const listed = ['prefixItems', 'oneOf', 'anyOf'].flatMap((key) => asList(at(schema, key)));
  const single = ['items', 'additionalProperties'].flatMap((key) => asObject(at(schema, key)) ?? []);
  return [...named, ...listed, ...single];
}
