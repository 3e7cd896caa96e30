/** What a schema says in a few words: its type, its limits, its values. It does not look inside of properties. */
import { asList, asObject, asText, at } from '../config/json.ts';
import { jsonText } from './examples-json.ts';
import { type MergeContext, type MergedSchema, mergedSchema } from './merge.ts';
import type { SchemaView } from './view.ts';

const TYPE_NESTING_LIMIT = 3;
const OPTIONS_READ = 60;
const TYPES_SHOWN = 4;
const VALUE_LENGTH_LIMIT = 2000;

/** `string<date-time>`, `User[]`, `string | null`, `any`. */
export function typeText(context: MergeContext, schema: MergedSchema, nesting = 0): string {
  if (context.effortLeft-- <= 0) return 'any';
  const single = singleType(schema);
  if (single !== undefined) return schema.isNullable ? `${single} | null` : single;
  const shown = typesOf(context, schema, nesting);
  const distinct = [...new Set(shown.flatMap((type) => type.split(' | ')))].filter((type) => type !== 'null');
  const hasNull = schema.isNullable || shown.some((type) => type === 'null' || type.endsWith(' | null'));
  const few = distinct.length > TYPES_SHOWN || distinct.includes('any') ? ['any'] : distinct;
  return [...few, ...(hasNull ? ['null'] : [])].join(' | ');
}

/** Most schemas name one type that says everything. */
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
  if (!schema.choices || nesting >= TYPE_NESTING_LIMIT) return [schema.isNever ? 'never' : 'any'];
  const { options } = schema.choices;
  if (options.length > OPTIONS_READ) return ['any'];
  return options.map((option) => typeText(context, mergedSchema(context, option), nesting + 1));
}

/** The types a schema has or, when it names none, those its other keywords speak of. */
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
  if (nesting >= TYPE_NESTING_LIMIT) return 'any[]';
  const places = asList(schema.keywords.get('prefixItems'));
  const textOf = (item: unknown) => typeText(context, mergedSchema(context, item), nesting + 1);
  if (places.length > 0 && places.length <= TYPES_SHOWN) return `[${places.map(textOf).join(', ')}]`;
  const item = mergedSchema(context, schema.keywords.get('items'));
  const text = typeText(context, item, nesting + 1);
  const name = text === 'object' ? (asText(item.keywords.get('title')) ?? item.name) : '';
  if (name !== '' && name.length <= 60) return `${name}[]`;
  return text.includes(' | ') ? `(${text})[]` : `${text}[]`;
}

/** Limits as short phrases. */
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
    ...schema.patterns.map((pattern) => `matches ${pattern.slice(0, VALUE_LENGTH_LIMIT)}`),
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
  // OpenAPI 3.0 wrote `exclusiveMinimum: true` beside the limit; 3.1 writes the limit itself.
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

/** In a sentence a negative number has a minus, which no browser breaks a line after. */
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

/** The values of an enumeration with what is said about each, in any of the ways that are in use. */
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

/** A value as JSON writes it, on one line. */
export function valueText(value: unknown): string {
  const text = jsonText(value, 0);
  return text.length > VALUE_LENGTH_LIMIT ? `${text.slice(0, VALUE_LENGTH_LIMIT)}…` : text;
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
