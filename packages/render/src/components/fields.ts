import type { Component, ElementCall, PageContext } from './contract.ts';
import { ObjectValue, type Value } from '../evaluate/values.ts';
import { escapeAttribute, escapeText } from '../text/html.ts';
import { idOf } from './shared-props.ts';
import { hooked } from '../model/style-hooks.ts';

const places = ['query', 'path', 'body', 'header', 'cookie'] as const;

export const paramField: Component = (call, page) => {
  const place = places.find((name) => call.props.text(name) !== undefined);
  const name = (place && call.props.text(place)) ?? call.props.text('name') ?? '';
  return field(call, page, name, place);
};

export const responseField: Component = (call, page) =>
  field(call, page, call.props.text('name') ?? call.props.text('body') ?? '', undefined);

function field(call: ElementCall, page: PageContext, name: string, place: string | undefined): string {
  const { props, children } = call;
  const type = props.text('type');
  const initial = plainValue(props.value('default') ?? props.value('initialValue'));
  const example = plainValue(props.value('placeholder'));
  const required = props.flag('required');
  const labels = [
    place && fieldLabel(place),
    required && fieldLabel('required', 'dy-field-required'),
    props.flag('optional') && fieldLabel('optional'),
    props.flag('deprecated') && fieldLabel('deprecated', 'dy-field-deprecated'),
    valueLabel('default', initial),
    valueLabel('example', example),
    ...props.list('post').map((text) => fieldLabel(escapeText(text))),
  ];
  const id = idOf(props.text('id'), `param-${kebab(name)}`, page);
  const note = { name, place, type: type ?? 'string', required, initial, example };
  const inside = page.field(note, () => page.render(children));
  return fieldHtml({
    id,
    name,
    type,
    deprecated: props.flag('deprecated'),
    before: props.list('pre').map((text) => fieldLabel(escapeText(text))),
    labels,
    body: inside.trim() && inside,
  });
}

export const fieldClass = hooked('dy-field', 'field');

export interface FieldParts {
  id: string;
  name: string;
  type?: string | undefined;
  deprecated: boolean;
  /** HTML before the name, and after the type. */
  before?: readonly string[];
  labels: readonly (string | false | undefined)[];
  body: string;
  /** Whether it shows a link to itself. */
  hasAnchor?: boolean;
}

/**
 * The name and type of a value with its description below. Template strings instead of `element`, because an
 * API page has thousands of fields.
 */
export function fieldHtml(field: FieldParts): string {
  const { name, type, deprecated, before = [], labels, body, hasAnchor = true } = field;
  const id = escapeAttribute(field.id);
  let head = '';
  for (const part of before) if (part) head += `${part} `;
  head += `<code class="dy-field-name">${escapeText(name)}</code>`;
  if (type !== undefined) head += ` <code class="dy-field-type">${escapeText(type)}</code>`;
  for (const label of labels) if (label) head += ` ${label}`;
  if (hasAnchor) head += ` <a class="dy-anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
  const below = body && `<div class="dy-field-body">${body}</div>`;
  const look = deprecated ? `${fieldClass} dy-is-deprecated` : fieldClass;
  return `<div class="${look}" id="${id}"><div class="dy-field-head">${head}</div>${below}</div>`;
}

export function fieldLabel(html: string, kind = ''): string {
  return `<span class="dy-field-label${kind && ` ${kind}`}">${html}</span>`;
}

export function valueLabel(name: string, text: string | undefined): string {
  return text === undefined ? '' : fieldLabel(`${name} <code>${escapeText(text)}</code>`);
}

/** The value as JSON; undefined when it has no JSON form. */
function plainValue(value: Value): string | undefined {
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => plainValue(item) ?? '…').join(', ')}]`;
  if (!(value instanceof ObjectValue)) return undefined;
  const entries = [...value.entries].map(([key, item]) => `${key}: ${plainValue(item) ?? '…'}`);
  return entries.length ? `{ ${entries.join(', ')} }` : '{}';
}

export function kebab(name: string): string {
  if (/^[a-z0-9]+(?:_[a-z0-9]+)*$/.test(name)) return name.replaceAll('_', '-');
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[\s_.]+/g, '-')
    .toLowerCase();
}
