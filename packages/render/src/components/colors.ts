import { ObjectValue } from '../evaluate/values.ts';
import type { Component } from './contract.ts';
import { element, escapeText } from '../text/html.ts';
import { classesOf, safeColor } from './shared-props.ts';
import { hooked } from '../model/style-hooks.ts';

export const color: Component = (call, page) =>
  element(
    'div',
    {
      class: classesOf(
        call,
        page,
        hooked('dy-palette', 'color'),
        call.props.text('variant') === 'table' && 'dy-palette-table',
      ),
    },
    page.render(call.children),
  );

export const colorRow: Component = ({ props, children }, page) =>
  element(
    'div',
    { class: hooked('dy-palette-row', 'color-row') },
    (props.has('title') ? element('p', { class: 'dy-palette-title' }, page.renderProp(props, 'title')) : '') +
      element('div', { class: 'dy-palette-items' }, page.render(children)),
  );

export const colorItem: Component = ({ props }, page) => {
  const value = props.value('value');
  const pair = value instanceof ObjectValue ? [value.get('light'), value.get('dark')] : [value];
  const [first = 'transparent', second = first] = pair.flatMap((item) => safeColor(item) ?? []);
  const name = props.text('name') ?? '';
  const swatch = page.styleClass(
    `background: ${first === second ? first : `light-dark(${first}, ${second})`}`,
  );
  const text =
    first === second
      ? escapeText(first)
      : element('span', { class: 'dy-only-light' }, escapeText(first)) +
        element('span', { class: 'dy-only-dark' }, escapeText(second));
  return element(
    'button',
    {
      type: 'button',
      class: hooked('dy-palette-item', 'color-item'),
      'data-copy': first,
      'data-copy-dark': first === second ? undefined : second,
    },
    element('span', { class: `dy-palette-swatch ${swatch ?? ''}`.trim() }, '') +
      (name ? element('span', { class: 'dy-palette-name' }, escapeText(name)) : '') +
      element('code', {}, text),
  );
};
