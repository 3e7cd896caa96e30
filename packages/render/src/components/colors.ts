/** Palettes: named colours shown beside their values, in a row or as a table. A click on one copies its value. */
import { ObjectValue } from '../evaluate/values.ts';
import type { Component } from './contract.ts';
import { element, escapeText } from '../html.ts';
import { classesOf, safeColor } from './shared-props.ts';

export const color: Component = (call, page) =>
  element(
    'div',
    { class: classesOf(call, page, 'palette', call.props.text('variant') === 'table' && 'palette-table') },
    page.render(call.children),
  );

export const colorRow: Component = ({ props, children }, page) =>
  element(
    'div',
    { class: 'palette-row' },
    (props.has('title') ? element('p', { class: 'palette-title' }, page.renderProp(props, 'title')) : '') +
      element('div', { class: 'palette-items' }, page.render(children)),
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
      : element('span', { class: 'only-light' }, escapeText(first)) +
        element('span', { class: 'only-dark' }, escapeText(second));
  return element(
    'button',
    {
      type: 'button',
      class: 'palette-item',
      'data-copy': first,
      'data-copy-dark': first === second ? undefined : second,
    },
    element('span', { class: `palette-swatch ${swatch ?? ''}`.trim() }, '') +
      (name ? element('span', { class: 'palette-name' }, escapeText(name)) : '') +
      element('code', {}, text),
  );
};
