/** Renders a schema view as rows: nested properties in `<details>`, choices as tabs. */
import type { PageContext } from '../../components/contract.ts';
import { type FieldParts, fieldHtml, fieldLabel, kebab, valueLabel } from '../../components/fields.ts';
import { tabPanels, tabsClass } from '../../components/tabs.ts';
import { element, escapeText } from '../../text/html.ts';
import { slugOf } from '../../page/headings.ts';
import type { ChoicesView, PropertyView, SchemaView } from '../view.ts';
import { codeHtml, factLine, note, shownValue } from './facts.ts';
import { phraseHtml, proseHtml } from './prose.ts';
import type { ApiSettings } from '../../model/site-plan.ts';
import { hooked } from '../../model/style-hooks.ts';

export interface SchemaLook {
  page: PageContext;
  /** Prefix of field ids: `body`, `response`, `param`. */
  idPrefix: string;
  expanded: boolean;
  pills: readonly string[];
  level?: number;
}

/** A page and its settings for schemas. */
export interface ApiLook {
  page: PageContext;
  api: Pick<ApiSettings, 'expandParameters' | 'parameterPills'>;
}

export function schemaLook({ page, api }: ApiLook, idPrefix: string): SchemaLook {
  return { page, idPrefix, expanded: api.expandParameters, pills: api.parameterPills };
}

/** Deeper fields have an id but no visible link, which would dominate the size of large pages. */
const deepestAnchor = 1;

export function schemaHtml(schema: SchemaView, look: SchemaLook): string {
  return element('div', { class: 'dy-schema' }, prose(schema.description, look) + rootHtml(schema, look));
}

export function schemaField(
  property: PropertyView,
  look: SchemaLook,
  extra: Partial<FieldExtra> = {},
): string {
  const { name, required, schema } = property;
  const inner = lastItems(schema);
  const deprecated = schema.deprecated || (extra.deprecated ?? false);
  const idPrefix = `${look.idPrefix}-${kebab(name)}`;
  const id = look.page.uniqueId(idPrefix);
  const level = look.level ?? 0;
  const parts: FieldParts = {
    id,
    name,
    type: schema.type,
    deprecated,
    hasAnchor: level <= deepestAnchor,
    before: schema.pre.map((text) => fieldLabel(escapeText(text))),
    labels: [
      ...(extra.labels ?? []),
      required && fieldLabel('required', 'dy-field-required'),
      deprecated && fieldLabel('deprecated', 'dy-field-deprecated'),
      schema.readOnly && fieldLabel('read-only'),
      schema.writeOnly && fieldLabel('write-only'),
      valueLabel('default', shownValue(schema.default)),
      valueLabel('always', shownValue(onlyValue(schema))),
      ...[...schema.post, ...look.pills].map((text) => fieldLabel(escapeText(text))),
    ],
    body:
      prose(extra.description || schema.description || inner.description, look) +
      factsHtml(schema, look, extra.example) +
      itemsFacts(schema, inner, look) +
      nestedHtml(inner, { ...look, idPrefix, level: level + 1 }),
  };
  return fieldHtml(parts);
}

export interface FieldExtra {
  labels: string[];
  description: string;
  deprecated: boolean;
  example: string | undefined;
}

/** The root schema has no field name to show its type. */
function rootHtml(schema: SchemaView, look: SchemaLook, title = ''): string {
  const inner = lastItems(schema);
  const isPlainObject = schema === inner && schema.properties.length > 0;
  const type =
    isPlainObject || schema.type === title
      ? ''
      : element(
          'p',
          { class: 'dy-schema-type' },
          element('code', { class: 'dy-field-type' }, escapeText(schema.type)),
        );
  const below = inner === schema ? '' : prose(inner.description, look);
  const choices = inner.choices && isOnlyChoices(inner) ? '' : type;
  return (
    choices + below + factsHtml(schema, look) + itemsFacts(schema, inner, look) + childrenHtml(inner, look)
  );
}

function isOnlyChoices(schema: SchemaView): boolean {
  return schema.properties.length === 0 && schema.additional.length === 0;
}

function lastItems(schema: SchemaView): SchemaView {
  let inner = schema;
  while (inner.items && inner.properties.length === 0) inner = inner.items;
  return inner;
}

function factsHtml(schema: SchemaView, look: SchemaLook, example?: string): string {
  return (
    (schema.enum.length === 0 ? '' : valuesHtml(schema, look)) +
    limitsHtml(schema.constraints) +
    examplesLine(schema, example === undefined ? schema.examples : [example]) +
    (schema.sameAs === undefined ? '' : note(`Same as ${codeHtml(schema.sameAs)}, which contains it.`)) +
    (schema.shownElsewhere === undefined
      ? ''
      : note(`The same as ${codeHtml(schema.shownElsewhere)} on this page.`)) +
    (schema.isCut ? note('Deeper levels are not shown.') : '')
  );
}

function examplesLine(schema: SchemaView, examples: readonly string[]): string {
  if (examples.length === 0) return '';
  const shown = [schema.default, onlyValue(schema)];
  const others = examples.filter((text) => !shown.includes(text)).slice(0, 5);
  return factLine(
    'Example',
    others.map((text) => codeHtml(shownValue(text) ?? '')),
  );
}

function limitsHtml(limits: readonly string[]): string {
  const text = limits.join(', ');
  return text && note(escapeText(text.charAt(0).toUpperCase() + text.slice(1)));
}

function onlyValue({ const: fixed, enum: values }: SchemaView): string | undefined {
  const [first] = values;
  return fixed ?? (values.length === 1 && !first?.description ? first?.value : undefined);
}

function valuesHtml(schema: SchemaView, { page }: SchemaLook): string {
  const values = onlyValue(schema) === undefined ? schema.enum : [];
  if (!values.some(({ description }) => description)) return plainValuesHtml(values);
  const items = values.map(
    ({ value, description }) =>
      `<li>${codeHtml(shownValue(value) ?? '')} ${phraseHtml(description, page)}</li>`,
  );
  return `${note('One of')}${element('ul', { class: 'dy-field-values' }, items.join(''))}`;
}

/** Views share enum lists, such as countries and currencies. */
const shownValues = new WeakMap<SchemaView['enum'], string>();

function plainValuesHtml(values: SchemaView['enum']): string {
  const known = shownValues.get(values);
  if (known !== undefined) return known;
  const html = factLine(
    'One of',
    values.map(({ value }) => codeHtml(shownValue(value) ?? '')),
  );
  shownValues.set(values, html);
  return html;
}

function itemsFacts(schema: SchemaView, inner: SchemaView, look: SchemaLook): string {
  if (inner === schema) return '';
  const facts = factsHtml(inner, look);
  return facts && element('div', { class: 'dy-field-items' }, note('Each item') + facts);
}

function prose(text: string, { page }: SchemaLook): string {
  return proseHtml(text, page);
}

/** Initially closed, so that all names of a level are visible at once. */
function nestedHtml(schema: SchemaView, look: SchemaLook): string {
  const inside = childrenHtml(schema, look);
  if (inside === '' || (schema.choices && isOnlyChoices(schema) && look.expanded)) return inside;
  const words = '<span class="dy-when-closed">Show</span><span class="dy-when-open">Hide</span>';
  return (
    `<details class="${hooked('dy-expandable', 'expandable')} dy-schema-level"${look.expanded ? ' open' : ''}>` +
    `<summary><span>${words} ${escapeText(insideName(schema))}</span></summary>` +
    `<div class="dy-expandable-body">${inside}</div></details>`
  );
}

function insideName({ properties, additional, choices }: SchemaView): string {
  const count = properties.length;
  if (count === 0 && choices) return `${choices.options.length} choices`;
  if (count === 0 && additional.length > 0) return 'values';
  return count === 1 ? '1 property' : `${count} properties`;
}

function childrenHtml(schema: SchemaView, look: SchemaLook): string {
  let rows = '';
  for (const property of schema.properties) rows += schemaField(property, look);
  const anyName = schema.properties.length > 0 ? 'any other name' : 'any name';
  for (const { pattern, schema: value } of schema.additional)
    rows += schemaField({ name: pattern || anyName, required: false, schema: value }, look);
  return schema.choices ? rows + choicesHtml(schema.choices, look) : rows;
}

/** Without JavaScript the choices are stacked. */
function choicesHtml({ kind, discriminator, options }: ChoicesView, look: SchemaLook): string {
  const panels = options.map(({ title, schema }, index) => {
    const name = title || `Choice ${index + 1}`;
    const below = { ...look, idPrefix: `${look.idPrefix}-${kebab(name)}` };
    return {
      title: name,
      icon: '',
      id: slugOf(`${below.idPrefix}-choice`),
      html: prose(schema.description, look) + rootHtml(schema, below) || note('No schema is given.'),
    };
  });
  const [only] = panels;
  if (panels.length === 1 && only) return only.html;
  const decided = discriminator ? `, selected by ${codeHtml(discriminator)}` : '';
  const lead = note(`${kind === 'oneOf' ? 'One of these' : 'Any of these'}${decided}:`);
  const title = kind === 'oneOf' ? 'One of' : 'Any of';
  return (
    lead +
    tabPanels(panels, look.page, {
      className: `${tabsClass} dy-schema-choices`,
      first: 0,
      sync: false,
      title,
    })
  );
}
