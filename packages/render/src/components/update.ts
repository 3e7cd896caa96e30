/** One entry of a changelog: a label that can be linked to, tags by which readers choose, and what changed. */
import type { Component } from './contract.ts';
import { element, escapeText } from '../html.ts';
import { classesOf } from './shared-props.ts';

export const update: Component = (call, page) => {
  const { props, children } = call;
  const label = props.has('label') ? page.renderProp(props, 'label') : '';
  const title = label
    ? page.heading({ level: 2, html: label, id: props.text('id'), className: 'update-label' })
    : '';
  const tags = props.list('tags').filter(Boolean);
  const shown = tags.map((tag) => element('span', { class: 'badge badge-gray' }, escapeText(tag)));
  const side =
    title +
    (props.has('description')
      ? element('p', { class: 'update-description' }, page.renderProp(props, 'description'))
      : '') +
    (shown.length ? element('p', { class: 'update-tags' }, shown.join(' ')) : '');
  const body = page.outsideContents(() => page.render(children));
  return element(
    'section',
    {
      class: classesOf(call, page, 'update'),
      'data-tags': tags.length ? JSON.stringify(tags) : undefined,
    },
    element('div', { class: 'update-side' }, side) + element('div', { class: 'update-body' }, body),
  );
};
