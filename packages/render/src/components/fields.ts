/** Parameter and response fields: the name, type and description of one value of an API. */
import type { Component, ElementCall, PageContext } from './contract.ts';
import { element, escapeText } from '../html.ts';

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
  const initial = props.text('default') ?? fromBoolean(props.value('default'));
  const labels = [
    props.text('type') && element('code', { class: 'field-type' }, escapeText(props.text('type') ?? '')),
    place && element('span', { class: 'field-label' }, place),
    props.flag('required') && element('span', { class: 'field-label field-required' }, 'required'),
    props.flag('deprecated') && element('span', { class: 'field-label field-deprecated' }, 'deprecated'),
    initial &&
      element('span', { class: 'field-label' }, `default ${element('code', {}, escapeText(initial))}`),
    ...[...props.list('pre'), ...props.list('post')].map((text) =>
      element('span', { class: 'field-label' }, escapeText(text)),
    ),
  ];
  const id = page.uniqueId(props.text('id') ?? `param-${kebab(name)}`);
  const head = element('code', { class: 'field-name' }, escapeText(name)) + labels.filter(Boolean).join(' ');
  return element(
    'div',
    { class: 'field', id },
    element('div', { class: 'field-head' }, head) +
      element('div', { class: 'field-body' }, page.render(children)),
  );
}

function fromBoolean(value: unknown): string | undefined {
  return typeof value === 'boolean' ? String(value) : undefined;
}

function kebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[\s_.]+/g, '-')
    .toLowerCase();
}
