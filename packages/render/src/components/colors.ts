/** Palettes: named colours shown beside their values, in a row or as a table. */
import { ObjectValue } from '../evaluate/values.ts';
import type { Component } from './contract.ts';
import { element, escapeText } from '../html.ts';

const safeColor = /^(?:#[0-9a-f]{3,8}|(?:rgb|rgba|hsl|hsla|oklch|oklab)\([\d\s.,%/deg-]+\)|[a-z]+)$/i;

export const color: Component = ({ props, children }, page) =>
  element(
    'div',
    { class: props.text('variant') === 'table' ? 'palette palette-table' : 'palette' },
    page.render(children),
  );

export const colorRow: Component = ({ props, children }, page) =>
  element(
    'div',
    { class: 'palette-row' },
    element('p', { class: 'palette-title' }, escapeText(props.text('title') ?? '')) + page.render(children),
  );

export const colorItem: Component = ({ props }, page) => {
  const value = props.value('value');
  const [light, dark] =
    value instanceof ObjectValue ? [value.get('light'), value.get('dark')] : [value, value];
  const shown = [light, dark].filter((item) => typeof item === 'string' && safeColor.test(item));
  const [first = 'transparent', second = first] = shown;
  const style = page.styleClass(
    `background: ${first === second ? String(first) : `light-dark(${String(first)}, ${String(second)})`}`,
  );
  const label = first === second ? String(first) : `${String(first)} / ${String(second)}`;
  return element(
    'div',
    { class: 'palette-item' },
    element('span', { class: `palette-swatch ${style ?? ''}`.trim() }, '') +
      element('span', { class: 'palette-name' }, escapeText(props.text('name') ?? '')) +
      element('code', {}, escapeText(label)),
  );
};
