/** Parameter and response fields: the name, type and description of one value of an API. */
import type { Component, ElementCall, PageContext } from './contract.ts';
import { ObjectValue, type Value } from '../evaluate/values.ts';
import { attributes, element, escapeText } from '../html.ts';
import { idOf } from './shared-props.ts';

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
  const id = idOf(props.text('id'), `param-${kebab(name)}`, page);
  const anchor = `<a class="anchor"${attributes({ href: `#${id}`, 'aria-hidden': 'true', tabindex: -1 })}>#</a>`;
  const parts = [
    ...props.list('pre').map((text) => label(escapeText(text))),
    element('code', { class: 'field-name' }, escapeText(name)),
    typeLabel(call),
    place && label(place),
    props.flag('required') && label('required', 'field-required'),
    props.flag('optional') && label('optional'),
    props.flag('deprecated') && label('deprecated', 'field-deprecated'),
    valueLabel('default', props.value('default') ?? props.value('initialValue')),
    valueLabel('example', props.value('placeholder')),
    ...props.list('post').map((text) => label(escapeText(text))),
    anchor,
  ];
  const body = page.render(children);
  return element(
    'div',
    { class: props.flag('deprecated') ? 'field is-deprecated' : 'field', id },
    element('div', { class: 'field-head' }, parts.filter(Boolean).join(' ')) +
      (body.trim() ? element('div', { class: 'field-body' }, body) : ''),
  );
}

function typeLabel({ props }: ElementCall): string {
  const type = props.text('type');
  return type === undefined ? '' : element('code', { class: 'field-type' }, escapeText(type));
}

function label(html: string, kind = ''): string {
  return element('span', { class: kind ? `field-label ${kind}` : 'field-label' }, html);
}

function valueLabel(name: string, value: Value): string {
  const text = plainValue(value);
  return text === undefined ? '' : label(`${name} ${element('code', {}, escapeText(text))}`);
}

/** A value as an author of JSON would write it; nothing for what has no such form. */
function plainValue(value: Value): string | undefined {
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map((item) => plainValue(item) ?? '…').join(', ')}]`;
  if (!(value instanceof ObjectValue)) return undefined;
  const entries = [...value.entries].map(([key, item]) => `${key}: ${plainValue(item) ?? '…'}`);
  return entries.length ? `{ ${entries.join(', ')} }` : '{}';
}

function kebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[\s_.]+/g, '-')
    .toLowerCase();
}
