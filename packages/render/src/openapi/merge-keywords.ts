/** Merges the keywords of two schemas that both apply. */
import { asList, asObject, asText, at } from '../config/json.ts';
import type { JsonObject } from '../model/json.ts';
import type { MergedSchema } from './merge.ts';

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

/** Adds the keywords of one part, of which outer ones come first. Returns the number of properties and values. */
export function addKeywords(merged: MergedSchema, part: JsonObject, isWhole: boolean): number {
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

/** The tighter limit wins; flags are combined; otherwise the outer value wins. */
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
