/** One entry of a changelog: a label that can be linked to, tags, and what changed. */
import type { Component } from './contract.ts';
import { element, escapeText } from '../html.ts';

export const update: Component = ({ props, children }, page) => {
  const label = props.text('label') ?? '';
  const title = page.heading({
    level: 2,
    html: escapeText(label),
    id: props.text('id'),
    className: 'update-label',
  });
  const tags = props
    .list('tags')
    .map((tag) => element('span', { class: 'badge badge-gray' }, escapeText(tag)));
  const side =
    title +
    (props.has('description')
      ? element('p', { class: 'update-description' }, page.renderProp(props, 'description'))
      : '') +
    (tags.length ? element('p', { class: 'update-tags' }, tags.join(' ')) : '');
  const body = page.outsideContents(() => page.render(children));
  return element(
    'section',
    { class: 'update' },
    element('div', { class: 'update-side' }, side) + element('div', { class: 'update-body' }, body),
  );
};
