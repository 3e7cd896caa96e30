/** Accordions and expandables: content behind a line that opens it. They are `<details>`, so they need no script. */
import { interfaceIcon } from '../icons/interface.ts';
import type { Component } from './contract.ts';
import { element, textOfHtml } from '../html.ts';

export const accordion: Component = ({ props, children }, page) => {
  const title = props.has('title') ? page.renderProp(props, 'title') : 'Details';
  const id = page.uniqueId(props.text('id') ?? textOfHtml(title));
  const description = props.has('description')
    ? element('span', { class: 'accordion-description' }, page.renderProp(props, 'description'))
    : '';
  const summary =
    interfaceIcon('chevron-right') +
    page.icon(props.icon()) +
    element('span', { class: 'accordion-title' }, title + description);
  const body = page.outsideContents(() => page.render(children));
  return element(
    'details',
    { class: 'accordion', id, open: props.flag('defaultOpen') },
    element('summary', {}, summary) + element('div', { class: 'accordion-body' }, body),
  );
};

export const accordionGroup: Component = ({ children }, page) =>
  element('div', { class: 'accordion-group' }, page.render(children));

export const expandable: Component = ({ props, children }, page) => {
  const title = props.has('title') ? page.renderProp(props, 'title') : 'properties';
  const body = page.outsideContents(() => page.render(children));
  return element(
    'details',
    { class: 'expandable', open: props.flag('defaultOpen') },
    element('summary', {}, interfaceIcon('chevron-right') + element('span', {}, `Show ${title}`)) +
      element('div', { class: 'expandable-body' }, body),
  );
};
