import { asObject, asText, at } from '../config/json.ts';
import type { MergedSchema } from './merge.ts';
import { needsOf } from './schema-choices.ts';
import { constraintsOf, enumOf, valueText } from './schema-words.ts';
import type { SchemaView } from './view.ts';

const maxEnumValues = 500;
/** With fewer characters left, texts may be truncated, so the view depends on the budget. */
export const ampleCharacters = maxEnumValues * 20;

interface TextBudget {
  characters: number;
}

/** Pages show the same schemas repeatedly. */
const described = new WeakMap<MergedSchema, { view: SchemaView; characters: number }>();
/** Limits cached long descriptions, in total characters. */
const SHORT_DESCRIPTION = 1000;
let longCharactersLeft = 4_000_000;
const unlimitedBudget = 1_000_000_000_000;

export function describe(budget: TextBudget, view: SchemaView, schema: MergedSchema): void {
  if (budget.characters < ampleCharacters) return describeWithin(budget, view, schema);
  const known = described.get(schema) ?? newlyDescribed(schema);
  if (budget.characters - known.characters < ampleCharacters) return describeWithin(budget, view, schema);
  budget.characters -= known.characters;
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
  const budget = { characters: unlimitedBudget };
  const view = emptySchemaView();
  describeWithin(budget, view, schema);
  const result = { view, characters: unlimitedBudget - budget.characters };
  const isLong = result.characters > SHORT_DESCRIPTION;
  if (isLong && result.characters > longCharactersLeft) return result;
  if (isLong) longCharactersLeft -= result.characters;
  described.set(schema, result);
  return result;
}

function describeWithin(budget: TextBudget, view: SchemaView, schema: MergedSchema): void {
  const { keywords } = schema;
  const text = (keyword: string) => spent(budget, asText(keywords.get(keyword)) ?? '');
  view.title = text('title');
  view.description = text('description');
  view.deprecated = keywords.get('deprecated') === true;
  view.readOnly = keywords.get('readOnly') === true;
  view.writeOnly = keywords.get('writeOnly') === true;
  if (keywords.has('default')) view.default = spent(budget, valueText(keywords.get('default')));
  if (keywords.has('const')) view.const = spent(budget, valueText(keywords.get('const')));
  const prefill = keywords.get('x-default');
  if (prefill !== undefined)
    view.prefill = spent(budget, typeof prefill === 'string' ? prefill : valueText(prefill));
  view.enum = enumOf(schema, Math.min(maxEnumValues, budget.characters / 20)).map((item) => ({
    value: spent(budget, item.value),
    description: spent(budget, item.description),
  }));
  view.examples = examplesOf(schema).map((value) => spent(budget, valueText(value)));
  const needs = needsOf(schema).filter((need) => need !== '');
  view.constraints = [
    ...constraintsOf(schema),
    ...(needs.length > 0 ? [`needs ${needs.join(' or ')}`] : []),
  ].map((phrase) => spent(budget, phrase));
  view.pre = pills(at(keywords.get('x-mint'), 'pre')).map((pill) => spent(budget, pill));
  view.post = pills(at(keywords.get('x-mint'), 'post')).map((pill) => spent(budget, pill));
}

/** A text repeated in many places counts each time, so that the output stays bounded. */
function spent(budget: TextBudget, text: string): string {
  if (text === '') return '';
  budget.characters -= text.length + 8;
  return budget.characters >= 0 ? text : '';
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
