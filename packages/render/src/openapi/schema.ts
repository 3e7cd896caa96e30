/**
 * A schema as a page shows it. Built in breadth: when the budget of nodes or text is spent, what is missing is what lies
 * deepest, not what happens to come last.
 */
import { asList, asObject, asText, at } from '../config/json.ts';
import { type MergeContext, type MergedSchema, mergeContext, mergedSchema } from './merge.ts';
import { nameOfReference } from './references.ts';
import { choicesOf, needsOf } from './schema-choices.ts';
import { baseTypes, constraintsOf, enumOf, typeText, valueText } from './schema-words.ts';
import type { SpecDocument } from './target.ts';
import type { SchemaView } from './view.ts';

export type Direction = 'request' | 'response' | 'both';

/** What may still be spent. Operations share one over all of their schemas. */
export interface SchemaBudget extends MergeContext {
  nodes: number;
  characters: number;
  exampleCharacters: number;
  /** Something was left out because too little was left. */
  isSpent: boolean;
}

/** What one page may show. */
const PAGE_NODES = 9000;
/** What all pages of a description may show together: each page gets the same part, so that the order does not matter. */
const DESCRIPTION_NODES = 3_000_000;
const LEAST_PAGE_NODES = 300;
const DEPTH_LIMIT = 10;
const NODES_PER_SCHEMA = 3000;
const PROPERTY_LIMIT = 1000;
const PLACE_LIMIT = 100;
/**
 * How often the same named schema is opened below the first levels. A thousand operations whose schemas refer to each
 * other came to 887 MB without this.
 */
const TIMES_SHOWN = 3;
const ALWAYS_SHOWN_DEPTH = 2;
const ENUM_LIMIT = 500;

export function newSchemaBudget(document: SpecDocument): SchemaBudget {
  return {
    ...mergeContext(document, 500_000),
    nodes: pageNodes(document),
    characters: 2_000_000,
    exampleCharacters: 1_500_000,
    isSpent: false,
  };
}

const nodesByDocument = new WeakMap<SpecDocument, number>();

function pageNodes(document: SpecDocument): number {
  const known = nodesByDocument.get(document);
  if (known !== undefined) return known;
  const items = [...Object.values(asObject(at(document, 'paths')) ?? {}), at(document, 'webhooks')];
  const operations = items.reduce<number>((sum, item) => sum + Object.keys(asObject(item) ?? {}).length, 0);
  const part = Math.floor(DESCRIPTION_NODES / Math.max(1, operations));
  const nodes = Math.min(PAGE_NODES, Math.max(LEAST_PAGE_NODES, part));
  nodesByDocument.set(document, nodes);
  return nodes;
}

export function schemaView(
  document: SpecDocument,
  schema: unknown,
  direction: Direction,
  budget: SchemaBudget = newSchemaBudget(document),
): SchemaView {
  const root = emptySchemaView();
  const building: Building = {
    direction,
    budget,
    nodesLeft: Math.min(NODES_PER_SCHEMA, budget.nodes),
    waiting: [{ view: root, schema, depth: 0, within: NO_POINTERS }],
    timesShown: new Map(),
  };
  budget.nodes -= building.nodesLeft;
  // The list grows while it is walked.
  for (const node of building.waiting) fill(building, node);
  budget.nodes += building.nodesLeft;
  return root;
}

interface Building {
  direction: Direction;
  budget: SchemaBudget;
  nodesLeft: number;
  waiting: Node[];
  /** By the pointer of a named schema. */
  timesShown: Map<string, number>;
}

interface Node {
  view: SchemaView;
  schema: unknown;
  depth: number;
  within: Pointers;
}

/** Those that lead to a schema from outside. */
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
  if (depth >= DEPTH_LIMIT || building.nodesLeft <= 0 || building.budget.characters <= 0) {
    view.isCut = hasInside(schema);
    if (view.isCut && depth < DEPTH_LIMIT) building.budget.isSpent = true;
    return;
  }
  const known = depth > ALWAYS_SHOWN_DEPTH && hasInside(schema) ? shownOften(building, schema) : undefined;
  if (known !== undefined) {
    view.shownElsewhere = nameOfReference(known) || view.title || view.type;
    return;
  }
  for (const pointer of schema.wholePointers)
    building.timesShown.set(pointer, (building.timesShown.get(pointer) ?? 0) + 1);
  const within = schema.pointers.length === 0 ? before : withPointers(before, schema);
  addInside(building, view, schema, (inner) => {
    const child = emptySchemaView();
    building.nodesLeft--;
    building.waiting.push({ view: child, schema: inner, depth: depth + 1, within });
    return child;
  });
}

function shownOften({ timesShown }: Building, { wholePointers }: MergedSchema): string | undefined {
  return wholePointers.find((pointer) => (timesShown.get(pointer) ?? 0) >= TIMES_SHOWN);
}

type AddChild = (schema: unknown) => SchemaView;

function addInside(building: Building, view: SchemaView, schema: MergedSchema, child: AddChild): void {
  const { keywords } = schema;
  for (const [name, property] of [...schema.properties].slice(0, PROPERTY_LIMIT)) {
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
    const places = asList(keywords.get('prefixItems')).slice(0, PLACE_LIMIT);
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
    PLACE_LIMIT,
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

interface Purse {
  characters: number;
}

/** Pages show the same schemas again and again; what is said about each is put into words once. */
const described = new WeakMap<MergedSchema, { view: SchemaView; characters: number }>();
/** Long ones, such as lists of countries, are kept up to this many characters in all. */
const SHORT_DESCRIPTION = 1000;
let longCharactersLeft = 4_000_000;
const AMPLE = 1_000_000_000_000;

function describe(purse: Purse, view: SchemaView, schema: MergedSchema): void {
  const ample = ENUM_LIMIT * 20;
  if (purse.characters < ample) return describeWithin(purse, view, schema);
  const known = described.get(schema) ?? newlyDescribed(schema);
  if (purse.characters - known.characters < ample) return describeWithin(purse, view, schema);
  purse.characters -= known.characters;
  const { title, description, deprecated, readOnly, writeOnly, default: initial, prefill } = known.view;
  view.title = title;
  view.description = description;
  view.deprecated = deprecated;
  view.readOnly = readOnly;
  view.writeOnly = writeOnly;
  if (initial !== undefined) view.default = initial;
  if (known.view.const !== undefined) view.const = known.view.const;
  if (prefill !== undefined) view.prefill = prefill;
  view.enum = known.view.enum;
  view.examples = known.view.examples;
  view.constraints = known.view.constraints;
  view.pre = known.view.pre;
  view.post = known.view.post;
}

function newlyDescribed(schema: MergedSchema): { view: SchemaView; characters: number } {
  const purse = { characters: AMPLE };
  const view = emptySchemaView();
  describeWithin(purse, view, schema);
  const result = { view, characters: AMPLE - purse.characters };
  const isLong = result.characters > SHORT_DESCRIPTION;
  if (isLong && result.characters > longCharactersLeft) return result;
  if (isLong) longCharactersLeft -= result.characters;
  described.set(schema, result);
  return result;
}

function describeWithin(purse: Purse, view: SchemaView, schema: MergedSchema): void {
  const { keywords } = schema;
  const text = (keyword: string) => spent(purse, asText(keywords.get(keyword)) ?? '');
  view.title = text('title');
  view.description = text('description');
  view.deprecated = keywords.get('deprecated') === true;
  view.readOnly = keywords.get('readOnly') === true;
  view.writeOnly = keywords.get('writeOnly') === true;
  if (keywords.has('default')) view.default = spent(purse, valueText(keywords.get('default')));
  if (keywords.has('const')) view.const = spent(purse, valueText(keywords.get('const')));
  const prefill = keywords.get('x-default');
  if (prefill !== undefined)
    view.prefill = spent(purse, typeof prefill === 'string' ? prefill : valueText(prefill));
  view.enum = enumOf(schema, Math.min(ENUM_LIMIT, purse.characters / 20)).map((item) => ({
    value: spent(purse, item.value),
    description: spent(purse, item.description),
  }));
  view.examples = examplesOf(schema).map((value) => spent(purse, valueText(value)));
  const needs = needsOf(schema).filter((need) => need !== '');
  view.constraints = [
    ...constraintsOf(schema),
    ...(needs.length > 0 ? [`needs ${needs.join(' or ')}`] : []),
  ].map((phrase) => spent(purse, phrase));
  view.pre = pills(at(keywords.get('x-mint'), 'pre')).map((pill) => spent(purse, pill));
  view.post = pills(at(keywords.get('x-mint'), 'post')).map((pill) => spent(purse, pill));
}

/** A text that the same schema repeats in a thousand places must not become a thousand texts without end. */
function spent(purse: Purse, text: string): string {
  if (text === '') return '';
  purse.characters -= text.length + 8;
  return purse.characters >= 0 ? text : '';
}

export function examplesOf(schema: MergedSchema): unknown[] {
  const single = schema.keywords.get('example');
  const several = schema.keywords.get('examples');
  const listed = Array.isArray(several)
    ? (several as unknown[])
    : Object.values(asObject(several) ?? {}).map((item) => at(item, 'value') ?? item);
  return (single === undefined ? listed : [single]).slice(0, 10);
}

function hasInside(schema: MergedSchema): boolean {
  const { keywords } = schema;
  const items = mergedItemsHaveInside(keywords.get('items'));
  return (
    schema.properties.size > 0 ||
    schema.choices !== undefined ||
    items ||
    asObject(keywords.get('additionalProperties')) !== undefined
  );
}

function mergedItemsHaveInside(items: unknown): boolean {
  return ['$ref', 'properties', 'items', 'allOf', 'oneOf', 'anyOf'].some(
    (keyword) => at(items, keyword) !== undefined,
  );
}

function pills(value: unknown): string[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value])
    .flatMap((item) => asText(item) ?? [])
    .slice(0, 20);
}

function withPointers({ all, whole }: Pointers, { pointers, wholePointers }: MergedSchema): Pointers {
  return { all: new Set([...all, ...pointers]), whole: new Set([...whole, ...wholePointers]) };
}

function emptySchemaView(): SchemaView {
  return {
    type: 'any',
    title: '',
    description: '',
    deprecated: false,
    readOnly: false,
    writeOnly: false,
    enum: [],
    examples: [],
    constraints: [],
    pre: [],
    post: [],
    properties: [],
    additional: [],
    isCut: false,
  };
}
