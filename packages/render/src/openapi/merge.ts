/**
 * One flat schema from a schema with references, `allOf` and single choices: what a reader sees as one thing.
 * It looks at one level only; what is inside of properties and items stays as written.
 */
import { asList, asObject, asText, at } from '../config/json.ts';
import { type SharedMerges, sharedMerges } from './merge-cache.ts';
import { mappedSchemas } from './mapped-schemas.ts';
import { nameOfReference, referenceOf, valueAtPointer } from './references.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';

/** A schema of a hostile document may fan out; beyond this many parts the rest is not looked at. */
const PART_LIMIT = 200;
const NESTING_LIMIT = 30;
const COMBINATION_LIMIT = 24;
const defaultSampleValues = 1000;

export interface MergedSchema {
  /** The name of the schema that was referred to, if it was a reference. */
  name: string;
  /** Every pointer that was followed, those of parts too. */
  pointers: string[];
  /** Pointers that stand for the whole schema: met again further inside, the schema is inside of itself. */
  wholePointers: string[];
  /** Empty when the schema does not say. */
  types: string[];
  isNullable: boolean;
  properties: Map<string, unknown>;
  required: Set<string>;
  enum: readonly unknown[] | undefined;
  patterns: string[];
  choices: Choices | undefined;
  /** Every other keyword, the outermost one where several parts have it. */
  keywords: Map<string, unknown>;
  /** `false` as a schema: no value is allowed. */
  isNever: boolean;
}

export interface Choices {
  kind: 'oneOf' | 'anyOf';
  options: unknown[];
  discriminator: unknown;
}

/** Where schemas are looked up, and how many parts and properties may still be looked at. */
export interface MergeContext {
  document: SpecDocument;
  effortLeft: number;
  /** How many values an example that is made from a schema may hold. */
  maxSampleValues: number;
  /** Merging a schema again for its type, its marks and its rows took a third of the time of a page. */
  known: Map<unknown, MergedSchema>;
  /** What the pages before this one have merged of the same document. */
  shared: SharedMerges;
}

export function mergeContext(
  document: SpecDocument,
  effortLeft: number,
  maxSampleValues = defaultSampleValues,
): MergeContext {
  return { document, effortLeft, maxSampleValues, known: new Map(), shared: sharedMerges(document) };
}

/** `withoutChoicesOf`: pointers whose choices lead back here, as a base schema lists the schemas that build on it. */
export function mergedSchema(
  context: MergeContext,
  schema: unknown,
  withoutChoicesOf: ReadonlySet<string> = NONE,
): MergedSchema {
  const known = context.known.get(schema);
  if (known && isApartFrom(withoutChoicesOf, known)) return known;
  const shared = known ? undefined : sharedMerge(context, schema, withoutChoicesOf);
  if (shared) return shared;
  const effortBefore = context.effortLeft;
  const merged = newlyMerged(context, schema, withoutChoicesOf);
  if (isApartFrom(withoutChoicesOf, merged)) {
    context.known.set(schema, merged);
    share(context, schema, merged, effortBefore - context.effortLeft);
  }
  return merged;
}

function isApartFrom(pointers: ReadonlySet<string>, merged: MergedSchema): boolean {
  if (pointers.size === 0) return true;
  for (const pointer of merged.pointers) if (pointers.has(pointer)) return false;
  return true;
}

/** Costs this page what it cost the one that merged it, so that no page depends on which ones came before. */
function sharedMerge(
  context: MergeContext,
  schema: unknown,
  withoutChoicesOf: ReadonlySet<string>,
): MergedSchema | undefined {
  const found = asObject(schema) && context.shared.bySchema.get(schema as object);
  if (!found || context.effortLeft <= found.effort) return undefined;
  if (!isApartFrom(withoutChoicesOf, found.merged)) return undefined;
  context.effortLeft -= found.effort;
  context.known.set(schema, found.merged);
  return found.merged;
}

/** Not what was cut short, since another page may have more effort left. */
function share(
  { effortLeft, shared }: MergeContext,
  schema: unknown,
  merged: MergedSchema,
  effort: number,
): void {
  if (effortLeft <= 0 || shared.roomLeft < effort || !asObject(schema)) return;
  shared.roomLeft -= effort + 4;
  shared.bySchema.set(schema as object, { merged, effort });
}

const NONE: ReadonlySet<string> = new Set();

function newlyMerged(
  context: MergeContext,
  schema: unknown,
  withoutChoicesOf: ReadonlySet<string>,
): MergedSchema {
  const merged: MergedSchema = {
    name: '',
    pointers: [],
    wholePointers: [],
    types: [],
    isNullable: false,
    properties: new Map(),
    required: new Set(),
    enum: undefined,
    patterns: [],
    choices: undefined,
    keywords: new Map(),
    isNever: schema === false,
  };
  const merge: Merge = { context, merged, withoutChoicesOf, groups: [], partsLeft: PART_LIMIT };
  addPart(merge, schema, { nesting: 0, isWhole: true, omitsChoices: false });
  merged.name = nameOfReference(merged.wholePointers[0] ?? '');
  merged.choices = combined(merge);
  const isOnlyNull = merged.types.length === 1 && merged.types[0] === 'null';
  if (merged.types.includes('null') && !isOnlyNull) {
    merged.isNullable = true;
    merged.types = merged.types.filter((type) => type !== 'null');
  }
  if (merged.types.length === 0 && merged.enum?.includes(null)) merged.isNullable = true;
  return merged;
}

interface Merge {
  context: MergeContext;
  merged: MergedSchema;
  withoutChoicesOf: ReadonlySet<string>;
  groups: Choices[];
  partsLeft: number;
}

interface Place {
  nesting: number;
  /** Nothing stands beside this part, so that its title and name are those of the whole. */
  isWhole: boolean;
  omitsChoices: boolean;
}

/** Adds a part under what is there already: outer parts come first and win. */
function addPart(merge: Merge, schema: unknown, place: Place): void {
  const part = asObject(schema);
  if (!part || place.nesting > NESTING_LIMIT || merge.partsLeft-- <= 0) return;
  if (merge.context.effortLeft <= 0) return;
  merge.context.effortLeft -= 1 + addKeywords(merge.merged, part, place.isWhole);
  const parts = asList(at(part, 'allOf'));
  const inner: Place = {
    ...place,
    nesting: place.nesting + 1,
    isWhole: place.isWhole && parts.length <= 1 && !Object.hasOwn(part, 'properties'),
  };
  if (!place.omitsChoices) {
    addChoices(merge, part, inner);
    if (place.isWhole) addMappedChoices(merge, part);
  }
  const reference = referenceOf(part);
  if (reference !== undefined && !merge.merged.pointers.includes(reference)) {
    merge.merged.pointers.push(reference);
    if (inner.isWhole) merge.merged.wholePointers.push(reference);
    const omitsChoices = place.omitsChoices || merge.withoutChoicesOf.has(reference);
    addPart(merge, valueAtPointer(merge.context.document, reference), { ...inner, omitsChoices });
  }
  for (const innerPart of parts) addPart(merge, innerPart, inner);
}

function addChoices(merge: Merge, part: JsonObject, inner: Place): void {
  for (const kind of ['oneOf', 'anyOf'] as const) {
    const listed = asList(at(part, kind));
    const options = listed.filter((option) => !isNull(merge.context.document, option));
    if (options.length < listed.length) merge.merged.isNullable = true;
    if (options.length === 1) addPart(merge, options[0], inner);
    else if (options.length > 1)
      merge.groups.push({ kind, options, discriminator: at(part, 'discriminator') });
  }
}

/** Met as a part of a schema that builds on it, a base schema offers no choice. */
function addMappedChoices({ context, merged, groups }: Merge, part: JsonObject): void {
  const options = mappedSchemas(context.document, part);
  if (options.length < 2 || options.some((pointer) => merged.pointers.includes(pointer))) return;
  const discriminator = at(part, 'discriminator');
  groups.push({ kind: 'oneOf', options: options.map(($ref) => ({ $ref })), discriminator });
}

/** Two lists of choices on one schema mean every pair; more than two dozen pairs would help nobody. */
function combined(merge: Merge): Choices | undefined {
  let result: Choices | undefined;
  for (const group of merge.groups.slice(0, 4)) {
    if (!result) result = group;
    else if (result.options.length * group.options.length <= COMBINATION_LIMIT) {
      const { options } = result;
      result = {
        kind: result.kind,
        discriminator: result.discriminator ?? group.discriminator,
        options: options.flatMap((first) => group.options.map((second) => ({ allOf: [first, second] }))),
      };
    }
  }
  return result;
}

const SPECIAL = new Set([
  '$ref',
  'allOf',
  'oneOf',
  'anyOf',
  'type',
  'nullable',
  'properties',
  'required',
  'enum',
  'pattern',
  'not',
]);

/** Answers how many entries it went through. */
function addKeywords(merged: MergedSchema, part: JsonObject, isWhole: boolean): number {
  addTypes(merged, part);
  const properties = Object.entries(asObject(at(part, 'properties')) ?? {});
  for (const [name, property] of properties) {
    const outer = merged.properties.get(name);
    merged.properties.set(
      name,
      outer === undefined || outer === property ? property : { allOf: [outer, property] },
    );
  }
  for (const name of asList(at(part, 'required'))) if (typeof name === 'string') merged.required.add(name);
  const values = at(part, 'enum');
  if (Array.isArray(values)) merged.enum = narrowed(merged.enum, values as unknown[]);
  const pattern = asText(at(part, 'pattern'));
  if (pattern && !merged.patterns.includes(pattern)) merged.patterns.push(pattern);
  for (const [keyword, value] of Object.entries(part)) {
    if (SPECIAL.has(keyword)) continue;
    if (keyword === 'title' && !isWhole) continue;
    const outer = merged.keywords.get(keyword);
    merged.keywords.set(keyword, outer === undefined ? value : joined(keyword, outer, value));
  }
  return properties.length + (merged.enum?.length ?? 0);
}

function addTypes(merged: MergedSchema, part: JsonObject): void {
  if (at(part, 'nullable') === true) merged.isNullable = true;
  const type = at(part, 'type');
  const types = (Array.isArray(type) ? (type as unknown[]) : [type]).filter(
    (item) => typeof item === 'string',
  );
  if (types.length === 0) return;
  const shared = merged.types.filter((item) => types.includes(item));
  merged.types = shared.length > 0 ? shared : merged.types.length > 0 ? merged.types : [...new Set(types)];
}

function narrowed(outer: readonly unknown[] | undefined, inner: readonly unknown[]): readonly unknown[] {
  const known = new Set(inner);
  const shared = outer?.filter((value) => known.has(value));
  return shared && shared.length > 0 ? shared : (outer ?? inner);
}

/** Of two limits the tighter one counts; of two marks one is enough; otherwise the outer part has the last word. */
function joined(keyword: string, outer: unknown, inner: unknown): unknown {
  if (keyword === 'items') return outer === inner ? outer : { allOf: [outer, inner] };
  if (keyword === 'readOnly' || keyword === 'writeOnly' || keyword === 'deprecated')
    return outer === true || inner === true;
  if (keyword === 'description' && asText(outer) === undefined) return inner;
  if (typeof outer !== 'number' || typeof inner !== 'number') return outer;
  if (/^(min|exclusiveMin)/.test(keyword)) return Math.max(outer, inner);
  if (/^(max|exclusiveMax)/.test(keyword)) return Math.min(outer, inner);
  return outer;
}

function isNull(document: SpecDocument, option: unknown): boolean {
  const reference = referenceOf(option);
  const target = reference === undefined ? option : valueAtPointer(document, reference);
  const type = at(target, 'type');
  const isNullType = type === 'null' || (Array.isArray(type) && type.length === 1 && type[0] === 'null');
  const values = at(target, 'enum');
  return (
    isNullType ||
    at(target, 'const') === null ||
    (Array.isArray(values) && values.every((value) => value === null) && values.length > 0)
  );
}
