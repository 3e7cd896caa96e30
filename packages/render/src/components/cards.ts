/** Cards, the grids they stand in, and tiles: a title, a picture or icon, some text, often one link. */
import { interfaceIcon } from '../icons/interface.ts';
import type { Component, ElementCall, PageContext } from './contract.ts';
import { attributes, element } from '../html.ts';
import { withoutLinks } from './remote.ts';

export const card: Component = (call, page) => {
  const { props, children, place } = call;
  const href = props.text('href');
  const link = href === undefined ? undefined : page.link(href, place);
  const description = props.has('description') ? page.renderProp(props, 'description') : '';
  const body = description + page.render(children);
  const classes = ['card', props.flag('horizontal') && 'card-horizontal', link?.href && 'card-link'];
  const content =
    picture(call, page) +
    cardIcon(call, page) +
    element(
      'div',
      { class: 'card-text' },
      cardTitle(call, page, link?.outside ?? false) +
        (body ? element('div', { class: 'card-body' }, body) : '') +
        cta(call, page),
    );
  const values = { class: classes.filter(Boolean).join(' ') };
  if (!link?.href) return element('div', values, content);
  return element('a', { ...values, href: link.href }, withoutLinks(content));
};

function picture({ props, place }: ElementCall, page: PageContext): string {
  const address = props.text('img');
  const source = address === undefined ? undefined : page.asset(address, place);
  return source === undefined
    ? ''
    : `<img class="card-image"${attributes({ src: source, alt: '', loading: 'lazy' })}>`;
}

function cardIcon({ props }: ElementCall, page: PageContext): string {
  const drawn = page.icon(props.icon());
  if (!drawn) return '';
  const color = props.text('color');
  const tint = color && /^#[0-9a-f]{3,8}$/i.test(color) ? page.styleClass(`color: ${color}`) : undefined;
  return element('span', { class: ['card-icon', tint].filter(Boolean).join(' ') }, drawn);
}

function cardTitle({ props }: ElementCall, page: PageContext, outside: boolean): string {
  const title = props.has('title') ? page.renderProp(props, 'title') : '';
  if (!title) return '';
  const arrow = props.has('arrow') ? props.flag('arrow') : outside;
  return element('p', { class: 'card-title' }, title + (arrow ? interfaceIcon('arrow-up-right') : ''));
}

function cta({ props }: ElementCall, page: PageContext): string {
  const label = props.text('cta');
  return label
    ? element('p', { class: 'card-cta' }, page.inlineMarkdown(label) + interfaceIcon('arrow-right'))
    : '';
}

export const cardGroup: Component = ({ props, children }, page) => {
  const columns = Math.min(Math.max(Math.round(props.number('cols') ?? 2), 1), 4);
  return element('div', { class: `cards cards-${columns}` }, page.render(children));
};

export const column: Component = ({ children }, page) =>
  element('div', { class: 'column' }, page.render(children));

export const tile: Component = (call, page) => {
  const { props, children, place } = call;
  const link = page.link(props.text('href') ?? '', place);
  const text = ['title', 'description']
    .filter((name) => props.has(name))
    .map((name) => element('p', { class: `tile-${name}` }, page.renderProp(props, name)))
    .join('');
  const content = element('div', { class: 'tile-preview' }, withoutLinks(page.render(children))) + text;
  return link.href
    ? element('a', { class: 'card card-link tile', href: link.href }, content)
    : element('div', { class: 'card tile' }, content);
};
