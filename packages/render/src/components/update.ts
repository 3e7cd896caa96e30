/** A changelog entry: a linkable label, filter tags, and the changes. */
import type { Component } from './contract.ts';
import { ObjectValue, type Value } from '../evaluate/values.ts';
import { element, escapeText, textOfHtml } from '../text/html.ts';
import { Props } from './props.ts';
import { classesOf } from './shared-props.ts';
import { hooked, part } from '../model/style-hooks.ts';
import type { RenderedUpdate } from '../model/page.ts';

export const update: Component = (call, page) => {
  const { props, children } = call;
  const label = props.has('label') ? page.renderProp(props, 'label') : '';
  const title = label
    ? page.heading({
        level: 2,
        html: label,
        id: props.text('id'),
        className: 'dy-update-label',
        part: 'update-label',
      })
    : '';
  const tags = props.list('tags').filter(Boolean);
  const shown = tags.map((tag) =>
    element('span', { class: 'dy-badge dy-badge-gray', ...part('update-tag') }, escapeText(tag)),
  );
  const side =
    title +
    (props.has('description')
      ? element(
          'p',
          { class: 'dy-update-description', ...part('update-description') },
          page.renderProp(props, 'description'),
        )
      : '') +
    (shown.length
      ? element('p', { class: 'dy-update-tags', ...part('update-tag-list') }, shown.join(' '))
      : '');
  const body = page.outsideContents(() => page.render(children));
  page.noteUpdate({
    heading: title,
    body,
    label: textOfHtml(label),
    description: props.text('description') ?? '',
    tags,
    feed: feedOf(props.value('rss')),
  });
  return element(
    'section',
    {
      class: classesOf(call, page, hooked('dy-update', 'update')),
      'data-tags': tags.length ? JSON.stringify(tags) : undefined,
    },
    element('div', { class: 'dy-update-side' }, side) +
      element('div', { class: 'dy-update-body', ...part('update-content') }, body),
  );
};

function feedOf(value: Value): RenderedUpdate['feed'] {
  if (!(value instanceof ObjectValue)) return undefined;
  const props = new Props(value);
  return { title: props.text('title'), description: props.text('description') };
}
