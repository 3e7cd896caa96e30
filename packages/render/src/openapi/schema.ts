/** Builds a schema view breadth-first: when the budget is spent, the deepest levels are missing. */
import { asList, asObject, at } from '../config/json.ts';
import { type MergeContext, type MergedSchema, mergeContext, mergedSchema } from './merge.ts';
import { nameOfReference } from './references.ts';
import { choicesOf } from './schema-choices.ts';
import { ampleCharacters, describe, emptySchemaView } from './schema-description.ts';
import { baseTypes, typeText } from './schema-words.ts';
import type { SchemaView } from './view.ts';
import { type CostedView, type ViewCost, viewCacheOf } from './view-cache.ts';
import type { SpecDocument } from '../model/site-plan.ts';

export type Direction = 'request' | 'response' | 'both';

/** The remaining budget, shared by all schemas of an operation. */
export interface SchemaBudget extends MergeContext {
  nodes: number;
  nodesPerSchema: number;
  characters: number;
  exampleCharacters: number;
  isSpent: boolean;
}

export const maxPageNodes = 9000;
export const maxSchemaDepth = 10;
const maxNodesPerSchema = 3000;
const maxProperties = 1000;
const maxPlaces = 100;
/**
 * How often a named schema is expanded below the first levels. Bounds the output of mutually recursive schemas.
 */
const maxTimesShown = 3;
const ALWAYS_SHOWN_DEPTH = 2;

export function newSchemaBudget(document: SpecDocument, nodes = maxPageNodes): SchemaBudget {
  // Reserves half of the nodes for other schemas of the page.
  const nodesPerSchema = Math.min(maxNodesPerSchema, Math.ceil(nodes / 2));
  return {
    ...mergeContext(document, 1_000_000, Math.ceil(nodesPerSchema / 3)),
    nodes,
    nodesPerSchema,
    characters: 2_000_000,
    exampleCharacters: 1_500_000,
    isSpent: false,
  };
}

export function schemaView(
  document: SpecDocument,
  schema: unknown,
  direction: Direction,
  budget: SchemaBudget = newSchemaBudget(document),
): SchemaView {
  const cache = viewCacheOf(document, direction, budget.nodesPerSchema);
  const cached = cache.get(schema);
  if (cached && canSpend(budget, cached.cost)) {
    spend(budget, cached.cost);
    return cached.view;
  }
  const built = builtView(schema, direction, budget);
  if (canSpend(budget, built.cost)) cache.put(schema, built);
  spend(budget, built.cost);
  return built.view;
}

/** Independent of earlier merges on the page, so that the cost is the same on every page. */
function builtView(schema: unknown, direction: Direction, page: SchemaBudget): CostedView {
  const budget: SchemaBudget = { ...page, known: new Map(), isSpent: false };
  const maxNodes = Math.min(budget.nodesPerSchema, budget.nodes);
  const view = emptySchemaView();
  const building: Building = {
    direction,
    budget,
    nodesLeft: maxNodes,
    queue: [{ view, schema, depth: 0, within: NO_POINTERS }],
    timesShown: new Map(),
  };
  // The list grows during iteration.
  for (const node of building.queue) fill(building, node);
  const cost = {
    nodes: maxNodes - building.nodesLeft,
    characters: page.characters - budget.characters,
    effort: page.effortLeft - budget.effortLeft,
    isSpent: budget.isSpent,
  };
  return { view, cost };
}

/** The view equals one built with a full budget. */
function canSpend(budget: SchemaBudget, cost: ViewCost): boolean {
  return (
    budget.nodes >= budget.nodesPerSchema &&
    budget.characters - cost.characters >= ampleCharacters &&
    budget.effortLeft > cost.effort
  );
}

function spend(budget: SchemaBudget, cost: ViewCost): void {
  budget.nodes -= cost.nodes;
  budget.characters -= cost.characters;
  budget.effortLeft -= cost.effort;
  budget.isSpent ||= cost.isSpent;
}

interface Building {
  direction: Direction;
  budget: SchemaBudget;
  nodesLeft: number;
  queue: Node[];
  timesShown: Map<string, number>;
}

interface Node {
  view: SchemaView;
  schema: unknown;
  depth: number;
  within: Pointers;
}

interface Pointers {
  all: ReadonlySet<string>;
  whole: ReadonlySet<string>;
}

const NO_POINTERS: Pointers = { all: new Set(), whole: new Set() };

function fill(building: Building, node: Node): void {
  const { view, depth } = node;
  const before = node.within;
  const schema = mergedSchema(building.budget, node.schema, before.all);
  view.type = typeText(building.budget, schema);
  describe(building.budget, view, schema);
  const repeated = schema.wholePointers.find((pointer) => before.whole.has(pointer));
  if (repeated !== undefined) {
    view.sameAs = nameOfReference(repeated) || view.title || view.type;
    return;
  }
  if (depth >= maxSchemaDepth || building.nodesLeft <= 0 || building.budget.characters <= 0) {
    view.isCut = hasNested(schema);
    if (view.isCut && depth < maxSchemaDepth) building.budget.isSpent = true;
    return;
  }
  const known = depth > ALWAYS_SHOWN_DEPTH && hasNested(schema) ? shownOften(building, schema) : undefined;
  if (known !== undefined) {
    view.shownElsewhere = nameOfReference(known) || view.title || view.type;
    return;
  }
  for (const pointer of schema.wholePointers)
    building.timesShown.set(pointer, (building.timesShown.get(pointer) ?? 0) + 1);
  const within = schema.pointers.length === 0 ? before : withPointers(before, schema);
  addNested(building, view, schema, (inner) => {
    const child = emptySchemaView();
    building.nodesLeft--;
    building.queue.push({ view: child, schema: inner, depth: depth + 1, within });
    return child;
  });
}

function shownOften({ timesShown }: Building, { wholePointers }: MergedSchema): string | undefined {
  return wholePointers.find((pointer) => (timesShown.get(pointer) ?? 0) >= maxTimesShown);
}

type AddChild = (schema: unknown) => SchemaView;

function addNested(building: Building, view: SchemaView, schema: MergedSchema, child: AddChild): void {
  const { keywords } = schema;
  for (const [name, property] of [...schema.properties].slice(0, maxProperties)) {
    if (building.nodesLeft <= 0) {
      view.isCut = true;
      building.budget.isSpent = true;
      break;
    }
    if (isShown(building, property)) {
      view.properties.push({ name, required: schema.required.has(name), schema: child(property) });
    }
  }
  if (baseTypes(schema).includes('array')) {
    const places = asList(keywords.get('prefixItems')).slice(0, maxPlaces);
    for (const [index, place] of places.entries())
      view.properties.push({ name: `[${index}]`, required: false, schema: child(place) });
    const items = keywords.get('items');
    if (asObject(items)) view.items = child(items);
  }
  const additional = keywords.get('additionalProperties');
  if (additional === true || asObject(additional)) {
    view.additional.push({ pattern: '', schema: child(additional) });
  }
  for (const [pattern, inner] of Object.entries(asObject(keywords.get('patternProperties')) ?? {}).slice(
    0,
    maxPlaces,
  )) {
    view.additional.push({ pattern, schema: child(inner) });
  }
  const choices = choicesOf(building.budget, schema, child);
  if (choices) view.choices = choices;
}

function isShown(building: Building, property: unknown): boolean {
  if (property === false) return false;
  const hiddenMark =
    building.direction === 'request' ? 'readOnly' : building.direction === 'response' ? 'writeOnly' : '';
  return hiddenMark === '' || mergedSchema(building.budget, property).keywords.get(hiddenMark) !== true;
}

function hasNested(schema: MergedSchema): boolean {
  const { keywords } = schema;
  const items = itemsHaveNested(keywords.get('items'));
  return (
    schema.properties.size > 0 ||
    schema.choices !== undefined ||
    items ||
    asObject(keywords.get('additionalProperties')) !== undefined
  );
}

function itemsHaveNested(items: unknown): boolean {
  return ['$ref', 'properties', 'items', 'allOf', 'oneOf', 'anyOf'].some(
    (keyword) => at(items, keyword) !== undefined,
  );
}

function withPointers({ all, whole }: Pointers, { pointers, wholePointers }: MergedSchema): Pointers {
  return { all: new Set([...all, ...pointers]), whole: new Set([...whole, ...wholePointers]) };
}
