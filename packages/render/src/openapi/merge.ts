/**
 * Merges a schema's references, `allOf` and single choices into one flat schema. It handles one level;
 * properties and items stay as written.
 */
import { asList, asObject, asText, at } from '../config/json.ts';
import { addKeywords } from './merge-keywords.ts';
import { nameOfReference, referenceOf, valueAtPointer } from './references.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';

/** Bounds the fan-out of hostile documents. */
const maxParts = 200;
const maxNesting = 30;
const maxCombinations = 24;
const defaultSampleValues = 1000;
const maxSharedEntries = 200_000;

export interface MergedSchema {
  /** The name of the referenced schema; empty for an inline schema. */
  name: string;
  /** All followed pointers, including those of `allOf` parts. */
  pointers: string[];
  /** Pointers equivalent to the whole schema; meeting one of them deeper means recursion. */
  wholePointers: string[];
  types: string[];
  isNullable: boolean;
  properties: Map<string, unknown>;
  required: Set<string>;
  enum: readonly unknown[] | undefined;
  patterns: string[];
  choices: Choices | undefined;
  /** Other keywords; the outermost value wins. */
  keywords: Map<string, unknown>;
  isNever: boolean;
}

export interface Choices {
  kind: 'oneOf' | 'anyOf';
  options: unknown[];
  discriminator: unknown;
}

interface SharedMerges {
  bySchema: WeakMap<object, { merged: MergedSchema; effort: number }>;
  roomLeft: number;
}

/** The document and the remaining budget of parts and properties. */
export interface MergeContext {
  document: SpecDocument;
  effortLeft: number;
  maxSampleValues: number;
  known: Map<unknown, MergedSchema>;
  /** Merges of other pages of the same document. */
  shared: SharedMerges;
}

export function mergeContext(
  document: SpecDocument,
  effortLeft: number,
  maxSampleValues = defaultSampleValues,
): MergeContext {
  return { document, effortLeft, maxSampleValues, known: new Map(), shared: sharedMerges(document) };
}

const sharedByDocument = new WeakMap<SpecDocument, SharedMerges>();

function sharedMerges(document: SpecDocument): SharedMerges {
  const known = sharedByDocument.get(document);
  if (known) return known;
  const shared: SharedMerges = { bySchema: new WeakMap(), roomLeft: maxSharedEntries };
  if (asObject(document)) sharedByDocument.set(document, shared);
  return shared;
}

/** `withoutChoicesOf`: pointers whose choices lead back here, as when a base schema lists its subtypes. */
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

/** Charges the page the original cost, so that results do not depend on page order. */
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

/** Truncated merges are not shared: another page may have a larger budget. */
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
  const merge: Merge = { context, merged, withoutChoicesOf, groups: [], partsLeft: maxParts };
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
  /** The part has no siblings, so its title and name apply to the whole schema. */
  isWhole: boolean;
  omitsChoices: boolean;
}

/** Outer parts are added first and win. */
function addPart(merge: Merge, schema: unknown, place: Place): void {
  const part = asObject(schema);
  if (!part || place.nesting > maxNesting || merge.partsLeft-- <= 0) return;
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

/** A base schema offers no choice when it is part of a subtype. */
function addMappedChoices({ context, merged, groups }: Merge, part: JsonObject): void {
  const options = mappedSchemas(context.document, part);
  if (options.length < 2 || options.some((pointer) => merged.pointers.includes(pointer))) return;
  const discriminator = at(part, 'discriminator');
  groups.push({ kind: 'oneOf', options: options.map(($ref) => ({ $ref })), discriminator });
}

function mappedSchemas(document: SpecDocument, schema: JsonObject): string[] {
  if (Object.hasOwn(schema, 'oneOf') || Object.hasOwn(schema, 'anyOf')) return [];
  const mapping = asObject(at(schema, 'discriminator', 'mapping')) ?? {};
  const pointers = Object.values(mapping).flatMap((to) => {
    const text = asText(to);
    if (text === undefined) return [];
    return text.startsWith('#') ? text : `#/components/schemas/${text}`;
  });
  return [...new Set(pointers)].filter(
    (pointer) => asObject(valueAtPointer(document, pointer)) !== undefined,
  );
}

/** Two lists of choices combine to their product, up to a limit. */
function combined(merge: Merge): Choices | undefined {
  let result: Choices | undefined;
  for (const group of merge.groups.slice(0, 4)) {
    if (!result) result = group;
    else if (result.options.length * group.options.length <= maxCombinations) {
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
