/**
 * Generates a deterministic sample value from a schema. It prefers given values (example, default, const,
 * enum). Depth and size are bounded because schemas may be cyclic or hostile.
 */
import { asList, asObject, asText } from '../config/json.ts';
import { boundedCopy, emptyObject } from './examples-json.ts';
import { type MergeContext, type MergedSchema, mergedSchema } from './merge.ts';
import { baseTypes, isFile } from './schema-words.ts';
import type { Direction } from './schema.ts';
import { examplesOf } from './schema-description.ts';

const maxDepth = 8;
const maxProperties = 200;

export function sampleOf(context: MergeContext, schema: unknown, direction: Direction): unknown {
  if (schema === undefined || schema === false) return undefined;
  return sampled({ context, direction, valuesLeft: context.maxSampleValues }, schema, 0, []);
}

interface Sampling {
  context: MergeContext;
  direction: Direction;
  valuesLeft: number;
}

function sampled(sampling: Sampling, schema: unknown, depth: number, within: readonly string[]): unknown {
  if (sampling.valuesLeft-- <= 0) return undefined;
  const merged = mergedSchema(sampling.context, schema, new Set(within));
  const given = givenValue(merged);
  if (given !== undefined) return boundedCopy(given);
  if (depth > maxDepth || merged.wholePointers.some((pointer) => within.includes(pointer))) return undefined;
  const inside = [...within, ...merged.wholePointers];
  const [type] = baseTypes(merged);
  if (merged.choices && (type === undefined || type === 'object')) {
    const [first] = merged.choices.options;
    const chosen = sampled(sampling, first, depth + 1, inside);
    if (type === undefined || merged.properties.size === 0) return chosen;
    return Object.assign(sampledObject(sampling, merged, depth, inside), asObject(chosen));
  }
  if (type === 'object') return sampledObject(sampling, merged, depth, inside);
  if (type === 'array') return sampledList(sampling, merged, depth, inside);
  return scalar(merged, type);
}

function sampledObject(
  sampling: Sampling,
  schema: MergedSchema,
  depth: number,
  within: readonly string[],
): Record<string, unknown> {
  const object = emptyObject();
  for (const [name, property] of [...schema.properties].slice(0, maxProperties)) {
    if (isHidden(sampling, property)) continue;
    const value = sampled(sampling, property, depth + 1, within);
    if (value !== undefined) object[name] = value;
  }
  const additional = schema.keywords.get('additionalProperties');
  if (schema.properties.size === 0 && asObject(additional)) {
    const value = sampled(sampling, additional, depth + 1, within);
    if (value !== undefined) object['key'] = value;
  }
  return object;
}

function sampledList(
  sampling: Sampling,
  schema: MergedSchema,
  depth: number,
  within: readonly string[],
): unknown[] {
  const places = asList(schema.keywords.get('prefixItems')).slice(0, 20);
  const items = schema.keywords.get('items');
  const schemas = places.length > 0 ? places : items === undefined || items === false ? [] : [items];
  return schemas
    .map((item) => sampled(sampling, item, depth + 1, within))
    .filter((value) => value !== undefined);
}

function givenValue(schema: MergedSchema): unknown {
  const [example] = examplesOf(schema);
  if (example !== undefined) return example;
  const { keywords } = schema;
  const fixed = keywords.get('const') ?? keywords.get('default');
  return fixed ?? schema.enum?.find((value) => value !== null);
}

function isHidden(sampling: Sampling, property: unknown): boolean {
  if (property === false) return true;
  const { keywords } = mergedSchema(sampling.context, property);
  if (sampling.direction === 'request') return keywords.get('readOnly') === true;
  return sampling.direction === 'response' && keywords.get('writeOnly') === true;
}

const TEXT_BY_FORMAT = new Map([
  ['date-time', '2024-01-15T09:30:00Z'],
  ['date', '2024-01-15'],
  ['time', '09:30:00Z'],
  ['duration', 'P1D'],
  ['email', 'user@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com'],
  ['url', 'https://example.com'],
  ['uuid', '3f2b8c1e-6a4d-4e0b-9c57-1d2e3f4a5b6c'],
  ['byte', 'ZG9jcw=='],
  ['base64', 'ZG9jcw=='],
  ['password', '********'],
]);

function scalar(schema: MergedSchema, type: string | undefined): unknown {
  if (type === 'integer' || type === 'number') return numberWithin(schema);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type !== 'string') return schema.isNever ? undefined : '<any>';
  if (isFile(schema)) return '<file>';
  const format = asText(schema.keywords.get('format')) ?? asText(schema.keywords.get('contentEncoding'));
  return TEXT_BY_FORMAT.get(format ?? '') ?? '<string>';
}

/** 123, or the nearest allowed number. */
function numberWithin(schema: MergedSchema): number {
  const limit = (keyword: string, exclusive: string, step: number) => {
    const strict = schema.keywords.get(exclusive);
    const bound = schema.keywords.get(keyword);
    if (typeof strict === 'number' && Number.isFinite(strict)) return strict + step;
    if (typeof bound !== 'number' || !Number.isFinite(bound)) return undefined;
    return strict === true ? bound + step : bound;
  };
  const least = limit('minimum', 'exclusiveMinimum', 1) ?? -Infinity;
  const most = limit('maximum', 'exclusiveMaximum', -1) ?? Infinity;
  const multiple = schema.keywords.get('multipleOf');
  const near = Math.min(Math.max(123, least), most);
  if (typeof multiple !== 'number' || !(multiple > 0)) return near;
  const rounded = Math.round(near / multiple) * multiple;
  return rounded >= least && rounded <= most ? rounded : near;
}
