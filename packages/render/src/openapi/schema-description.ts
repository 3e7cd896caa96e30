/** What a schema says about itself, put into words: its texts, values, examples and limits. */
import { asObject, asText, at } from '../config/json.ts';
import type { MergedSchema } from './merge.ts';
import { needsOf } from './schema-choices.ts';
import { constraintsOf, enumOf, valueText } from './schema-words.ts';
import type { SchemaView } from './view.ts';

const ENUM_LIMIT = 500;
/** With fewer characters left, texts may be cut, so that a view depends on what is left. */
export const ampleCharacters = ENUM_LIMIT * 20;

interface Purse {
  characters: number;
}

/** Pages show the same schemas again and again; what is said about each is put into words once. */
const described = new WeakMap<MergedSchema, { view: SchemaView; characters: number }>();
/** Long ones, such as lists of countries, are kept up to this many characters in all. */
const SHORT_DESCRIPTION = 1000;
let longCharactersLeft = 4_000_000;
const AMPLE = 1_000_000_000_000;

export function describe(purse: Purse, view: SchemaView, schema: MergedSchema): void {
  if (purse.characters < ampleCharacters) return describeWithin(purse, view, schema);
  const known = described.get(schema) ?? newlyDescribed(schema);
  if (purse.characters - known.characters < ampleCharacters) return describeWithin(purse, view, schema);
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

function pills(value: unknown): string[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value])
    .flatMap((item) => asText(item) ?? [])
    .slice(0, 20);
}

export function emptySchemaView(): SchemaView {
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
