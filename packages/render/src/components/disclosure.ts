/** Accordions and expandables, as `<details>` that need no script. */
import type { Component } from './contract.ts';
import { element, textOfHtml } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { classesOf, iconOf, idOf } from './shared-props.ts';
import { hooked, part } from '../model/style-hooks.ts';

/** The URL fragment names an open accordion and those around it; the page's script updates it. */
export const accordion: Component = (call, page) => {
  const { props, children } = call;
  const title = props.has('title') ? page.renderProp(props, 'title') : 'Details';
  const id = idOf(props.text('id'), textOfHtml(title), page);
  const description = props.has('description')
    ? element(
        'span',
        { class: 'dy-accordion-description', ...part('accordion-description') },
        page.renderProp(props, 'description'),
      )
    : '';
  const summary =
    interfaceIcon('chevron-right') +
    iconOf(call, page) +
    element('span', { class: 'dy-accordion-title', ...part('accordion-title') }, title + description);
  const body = page.outsideContents(() => page.render(children));
  return element(
    'details',
    {
      class: classesOf(call, page, hooked('dy-accordion', 'accordion')),
      id,
      open: props.flag('defaultOpen'),
    },
    element('summary', part('accordion-button'), summary) +
      element('div', { class: 'dy-accordion-body', ...part('accordion-content') }, body),
  );
};

export const accordionGroup: Component = (call, page) => {
  const { props, children } = call;
  const title = props.has('title')
    ? element('p', { class: 'dy-accordion-heading' }, page.renderProp(props, 'title'))
    : '';
  return (
    title +
    element(
      'div',
      { class: classesOf(call, page, hooked('dy-accordion-group', 'accordion-group')) },
      page.render(children),
    )
  );
};

export const expandable: Component = (call, page) => {
  const { props, children } = call;
  const title = props.has('title') ? page.renderProp(props, 'title') : 'properties';
  const body = page.outsideContents(() => page.render(children));
  const label =
    element('span', { class: 'dy-when-closed' }, 'Show') + element('span', { class: 'dy-when-open' }, 'Hide');
  return element(
    'details',
    { class: classesOf(call, page, hooked('dy-expandable', 'expandable')), open: props.flag('defaultOpen') },
    element(
      'summary',
      part('expandable-button'),
      interfaceIcon('chevron-right') + element('span', {}, `${label} ${title}`),
    ) + element('div', { class: 'dy-expandable-body', ...part('expandable-content') }, body),
  );
};
