import { asList, asObject, asText, at } from '../config/json.ts';
import { jsonText } from './examples-json.ts';
import { type MergeContext, type MergedSchema, mergedSchema } from './merge.ts';
import type { SchemaView } from './view.ts';

const maxTypeNesting = 3;
const maxOptionsRead = 60;
const maxTypesShown = 4;
const maxValueLength = 2000;

/** `string<date-time>`, `User[]`, `string | null`, `any`. */
export function typeText(context: MergeContext, schema: MergedSchema, nesting = 0): string {
  if (context.effortLeft-- <= 0) return 'any';
  const single = singleType(schema);
  if (single !== undefined) return schema.isNullable ? `${single} | null` : single;
  const shown = typesOf(context, schema, nesting);
  const distinct = [...new Set(shown.flatMap((type) => type.split(' | ')))].filter((type) => type !== 'null');
  const hasNull = schema.isNullable || shown.some((type) => type === 'null' || type.endsWith(' | null'));
  const few = distinct.length > maxTypesShown || distinct.includes('any') ? ['any'] : distinct;
  return [...few, ...(hasNull ? ['null'] : [])].join(' | ');
}

function singleType(schema: MergedSchema): string | undefined {
  const [type] = schema.types;
  if (type === undefined || schema.types.length > 1 || !PLAIN_TYPES.has(type)) return undefined;
  if (type === 'boolean' || type === 'object') return type;
  return schema.keywords.has('format') ||
    schema.keywords.has('contentMediaType') ||
    schema.keywords.has('contentEncoding')
    ? undefined
    : type;
}

const PLAIN_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object']);

function typesOf(context: MergeContext, schema: MergedSchema, nesting: number): string[] {
  const types = baseTypes(schema);
  if (types.length > 0) return types.map((type) => oneType(context, schema, type, nesting));
  if (!schema.choices || nesting >= maxTypeNesting) return [schema.isNever ? 'never' : 'any'];
  const { options } = schema.choices;
  if (options.length > maxOptionsRead) return ['any'];
  return options.map((option) => typeText(context, mergedSchema(context, option), nesting + 1));
}

/** The declared types, else those implied by other keywords. */
export function baseTypes(schema: MergedSchema): string[] {
  if (schema.types.length > 0) return schema.types;
  const has = (...keywords: string[]) => keywords.some((keyword) => schema.keywords.has(keyword));
  if (schema.properties.size > 0 || has('additionalProperties', 'patternProperties')) return ['object'];
  if (has('items', 'prefixItems')) return ['array'];
  if (has('const')) return [typeOfValue(schema.keywords.get('const'))];
  if (schema.enum) return [...new Set(schema.enum.filter((value) => value !== null).map(typeOfValue))];
  if (schema.choices) return [];
  if (schema.patterns.length > 0 || has('minLength', 'maxLength', 'contentEncoding', 'contentMediaType'))
    return ['string'];
  if (has('minimum', 'maximum', 'multipleOf')) return ['number'];
  return has('format') &&
    /^(date|uuid|uri|email|binary|byte)/.test(asText(schema.keywords.get('format')) ?? '')
    ? ['string']
    : [];
}

export function isFile(schema: MergedSchema): boolean {
  const { keywords } = schema;
  if (keywords.get('format') === 'binary') return true;
  const media = asText(keywords.get('contentMediaType'));
  if (!media || keywords.has('contentEncoding') || !baseTypes(schema).includes('string')) return false;
  return /^(application\/(octet-stream|pdf|zip)|image\/|audio\/|video\/)/.test(media);
}

function oneType(context: MergeContext, schema: MergedSchema, type: string, nesting: number): string {
  if (type === 'array') return arrayType(context, schema, nesting);
  if (type === 'string' && isFile(schema)) return 'file';
  const format =
    asText(schema.keywords.get('format')) ??
    (type === 'string' ? asText(schema.keywords.get('contentEncoding')) : undefined);
  const isScalar = type === 'string' || type === 'number' || type === 'integer';
  return format && isScalar && format.length <= 40 ? `${type}<${format}>` : type;
}

function arrayType(context: MergeContext, schema: MergedSchema, nesting: number): string {
  if (nesting >= maxTypeNesting) return 'any[]';
  const places = asList(schema.keywords.get('prefixItems'));
  const textOf = (item: unknown) => typeText(context, mergedSchema(context, item), nesting + 1);
  if (places.length > 0 && places.length <= maxTypesShown) return `[${places.map(textOf).join(', ')}]`;
  const item = mergedSchema(context, schema.keywords.get('items'));
  const text = typeText(context, item, nesting + 1);
  const name = text === 'object' ? (asText(item.keywords.get('title')) ?? item.name) : '';
  if (name !== '' && name.length <= 60) return `${name}[]`;
  return text.includes(' | ') ? `(${text})[]` : `${text}[]`;
}

export function constraintsOf(schema: MergedSchema): string[] {
  const { keywords } = schema;
  const number = (keyword: string) => {
    const value = keywords.get(keyword);
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  const phrases = [
    ...numberRange(keywords, number),
    number('multipleOf') === undefined ? '' : `a multiple of ${number('multipleOf')}`,
    countRange(number('minLength'), number('maxLength'), 'character', 'characters'),
    ...schema.patterns.map((pattern) => `matches ${pattern.slice(0, maxValueLength)}`),
    countRange(number('minItems'), number('maxItems'), 'item', 'items'),
    keywords.get('uniqueItems') === true ? 'no item twice' : '',
    countRange(number('minProperties'), number('maxProperties'), 'property', 'properties'),
    ...contentPhrases(schema),
  ];
  return phrases.filter((phrase) => phrase !== '');
}

function numberRange(
  keywords: ReadonlyMap<string, unknown>,
  number: (keyword: string) => number | undefined,
): string[] {
  // OpenAPI 3.0 has a boolean `exclusiveMinimum` next to `minimum`; 3.1 has a number.
  const above =
    number('exclusiveMinimum') ?? (keywords.get('exclusiveMinimum') === true ? number('minimum') : undefined);
  const below =
    number('exclusiveMaximum') ?? (keywords.get('exclusiveMaximum') === true ? number('maximum') : undefined);
  const least = above === undefined ? number('minimum') : undefined;
  const most = below === undefined ? number('maximum') : undefined;
  if (least !== undefined && most !== undefined)
    return [least === most ? `exactly ${spoken(least)}` : `${spoken(least)} to ${spoken(most)}`];
  return [
    least === undefined ? '' : `at least ${spoken(least)}`,
    above === undefined ? '' : `more than ${spoken(above)}`,
    most === undefined ? '' : `at most ${spoken(most)}`,
    below === undefined ? '' : `less than ${spoken(below)}`,
  ];
}

/** Browsers may break lines after a hyphen, but not after U+2212. */
function spoken(number: number): string {
  return String(number).replace(/^-/, '−');
}

function countRange(least: number | undefined, most: number | undefined, one: string, many: string): string {
  const noun = (count: number) => (count === 1 ? one : many);
  const from = least === 0 ? undefined : least;
  if (from !== undefined && from === most) return `exactly ${from} ${noun(from)}`;
  if (from !== undefined && most !== undefined) return `${from} to ${most} ${noun(most)}`;
  if (from !== undefined) return `at least ${from} ${noun(from)}`;
  return most === undefined ? '' : `at most ${most} ${noun(most)}`;
}

function contentPhrases(schema: MergedSchema): string[] {
  const encoding = asText(schema.keywords.get('contentEncoding'));
  const media = asText(schema.keywords.get('contentMediaType'));
  const needed = Object.entries(asObject(schema.keywords.get('dependentRequired')) ?? {}).slice(0, 20);
  return [
    encoding ? `encoded as ${encoding}` : '',
    media ? `holds ${media}` : '',
    ...needed.map(
      ([name, others]) =>
        `${name} needs ${asList(others)
          .filter((other) => typeof other === 'string')
          .join(', ')}`,
    ),
  ];
}

/** Supports the common extensions for descriptions of enum values. */
export function enumOf(schema: MergedSchema, limit: number): SchemaView['enum'] {
  const { keywords } = schema;
  const said =
    keywords.get('x-enumDescriptions') ??
    keywords.get('x-enum-descriptions') ??
    keywords.get('x-enum-varnames');
  return (schema.enum ?? [])
    .filter((value) => value !== null || !schema.isNullable)
    .slice(0, limit)
    .map((value, index) => ({
      value: valueText(value),
      description: asText(Array.isArray(said) ? (said as unknown[])[index] : at(said, String(value))) ?? '',
    }));
}

export function valueText(value: unknown): string {
  const text = jsonText(value, 0);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
