/** The alternatives of a schema (`oneOf`, `anyOf`) and their titles. */
import { asList, asObject, asText, at } from '../config/json.ts';
import { type MergeContext, type MergedSchema, mergedSchema } from './merge.ts';
import { pointerKeys } from './references.ts';
import { typeText } from './schema-words.ts';
import type { ChoicesView, SchemaView } from './view.ts';

const maxOptions = 100;
const maxTitleLength = 200;

/**
 * `needsOf` describes alternatives that only require properties; the type describes alternatives between plain
 * types, such as `string | number`.
 */
export function choicesOf(
  context: MergeContext,
  schema: MergedSchema,
  child: (schema: unknown) => SchemaView,
): ChoicesView | undefined {
  const { choices } = schema;
  if (!choices || needsOf(schema).length > 0) return undefined;
  if (choices.options.every((option) => isBare(mergedSchema(context, option)))) return undefined;
  const discriminator = asText(at(choices.discriminator, 'propertyName'));
  const values = new Map(
    Object.entries(asObject(at(choices.discriminator, 'mapping')) ?? {}).map(([value, to]) => [
      mappedName(to),
      value,
    ]),
  );
  const titleCounts = new Map<string, number>();
  return {
    kind: choices.kind,
    ...(discriminator === undefined ? {} : { discriminator }),
    options: choices.options.slice(0, maxOptions).map((option) => {
      const merged = mergedSchema(context, option);
      const value =
        discriminator === undefined
          ? undefined
          : (values.get(merged.name) ?? fixedText(context, merged, discriminator));
      const title = titleOf(context, merged, value);
      const times = (titleCounts.get(title) ?? 0) + 1;
      titleCounts.set(title, times);
      return {
        title: times === 1 ? title : `${title} ${times}`,
        ...(value === undefined ? {} : { value }),
        schema: child(option),
      };
    }),
  };
}

/** The schema's name, else its discriminator value, else its type. */
function titleOf(context: MergeContext, option: MergedSchema, value: string | undefined): string {
  const given = asText(option.keywords.get('title')) ?? (option.name || value);
  if (given !== undefined) return given.slice(0, maxTitleLength);
  const names = [...option.properties.keys()].slice(0, 20);
  const fixed = names.map((name) => fixedText(context, option, name)).find((text) => text !== undefined);
  const title = fixed ?? (names.length === 1 ? names[0] : undefined) ?? typeText(context, option);
  return title === 'any' ? 'Option' : title.slice(0, maxTitleLength);
}

function fixedText(context: MergeContext, option: MergedSchema, property: string): string | undefined {
  const schema = mergedSchema(context, option.properties.get(property));
  return asText(schema.keywords.get('const') ?? (schema.enum?.length === 1 ? schema.enum[0] : undefined));
}

function isBare(schema: MergedSchema): boolean {
  const says = [...schema.keywords.keys()].filter(
    (keyword) => !['format', 'example', 'examples'].includes(keyword),
  );
  const [type = 'object'] = schema.types;
  return (
    says.length === 0 &&
    schema.types.length <= 1 &&
    !schema.enum &&
    schema.patterns.length === 0 &&
    SCALARS.has(type)
  );
}

const SCALARS = new Set(['string', 'number', 'integer', 'boolean']);

/** `anyOf: [{ required: [a] }, { required: [b] }]` is a constraint, not a choice. */
export function needsOf(schema: MergedSchema): string[] {
  const options = (schema.choices?.options ?? []).map((option) => asObject(option) ?? {});
  const isRule =
    options.length > 0 && options.every((option) => Object.keys(option).every((key) => key === 'required'));
  if (!isRule || options.length > 20) return [];
  return options.map((option) =>
    asList(at(option, 'required'))
      .filter((name) => typeof name === 'string')
      .join(' and '),
  );
}

/** A mapping value is a pointer or a bare schema name. */
function mappedName(to: unknown): string {
  const text = asText(to) ?? '';
  return pointerKeys(text)?.at(-1) ?? text;
}
