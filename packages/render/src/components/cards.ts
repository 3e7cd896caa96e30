import { calloutKind } from './callouts.ts';
import type { Component, ElementCall, PageContext } from './contract.ts';
import { element } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { pictureHtml } from './images.ts';
import { withoutLinks } from './remote.ts';
import { classesOf, iconOf, safeColor } from './shared-props.ts';
import { hooked, part } from '../model/style-hooks.ts';

export const card: Component = (call, page) => {
  const { props, children, place } = call;
  const href = props.text('href');
  const isDisabled = props.flag('disabled');
  const link = href === undefined || isDisabled ? undefined : page.link(href, place);
  const description = props.has('description') ? page.renderProp(props, 'description') : '';
  const body = description + page.render(children);
  const type = props.text('type');
  const content =
    cardPicture(call, page) +
    cardIcon(call, page) +
    element(
      'div',
      { class: 'dy-card-text', ...part('card-content-container') },
      cardTitle(call, page, link?.outside ?? false) +
        (body ? element('div', { class: 'dy-card-body', ...part('card-content') }, body) : '') +
        (props.text('cta') ? cta(call, page) : ''),
    );
  const values = {
    class: classesOf(
      call,
      page,
      hooked('dy-card', 'card'),
      props.flag('horizontal') && !props.flag('vertical') && 'dy-card-horizontal',
      type && `dy-card-typed dy-callout-${calloutKind(type).className}`,
      link?.href && 'dy-card-link',
      isDisabled && 'dy-card-disabled',
    ),
    'aria-disabled': isDisabled ? 'true' : undefined,
  };
  if (!link?.href) return element('div', values, content);
  const target = props.text('target') === '_blank' ? { target: '_blank', rel: 'noopener' } : {};
  return element('a', { ...values, href: link.href, ...target }, withoutLinks(content));
};

function cardPicture({ props, place }: ElementCall, page: PageContext): string {
  const address = props.text('img');
  if (address === undefined) return '';
  /** A remote picture becomes a finding instead of a link. */
  if (page.remoteAddress(address) !== undefined) return page.asset(address, place) ?? '';
  return pictureHtml(
    { address, values: { class: 'dy-card-image', ...part('card-image'), alt: '' }, place },
    page,
  );
}

function cardIcon(call: ElementCall, page: PageContext): string {
  const type = call.props.text('type');
  const drawn = iconOf(call, page) || (type ? interfaceIcon(calloutKind(type).icon) : '');
  if (!drawn) return '';
  const color = safeColor(call.props.text('color'));
  const tint = color && page.styleClass(`color: ${color}`);
  return element(
    'span',
    { class: ['dy-card-icon', tint].filter(Boolean).join(' '), ...part('card-icon') },
    drawn,
  );
}

/** The arrow marks a card that links to another site, unless the author decides. */
function cardTitle({ props }: ElementCall, page: PageContext, outside: boolean): string {
  const title = props.has('title') ? page.renderProp(props, 'title') : '';
  if (!title) return '';
  const arrow = props.has('arrow') ? props.flag('arrow') : outside;
  return element(
    'p',
    { class: 'dy-card-title', ...part('card-title') },
    title + (arrow ? interfaceIcon('arrow-up-right') : ''),
  );
}

function cta({ props }: ElementCall, page: PageContext): string {
  return element(
    'p',
    { class: 'dy-card-cta', ...part('card-cta') },
    page.renderProp(props, 'cta') + interfaceIcon('arrow-right'),
  );
}

export const cardGroup: Component = (call, page) => {
  const columns = Math.min(Math.max(Math.round(call.props.number('cols') ?? 2), 1), 4);
  return element(
    'div',
    { class: classesOf(call, page, hooked(`dy-cards dy-cards-${columns}`, 'columns', 'card-group')) },
    page.render(call.children),
  );
};

export const column: Component = (call, page) =>
  element('div', { class: classesOf(call, page, 'dy-column') }, page.render(call.children));

export const tile: Component = (call, page) => {
  const { props, children, place } = call;
  const href = props.text('href');
  const link = href === undefined ? undefined : page.link(href, place);
  const text = (['title', 'description'] as const)
    .filter((name) => props.has(name))
    .map((name) =>
      element('p', { class: `dy-tile-${name}`, ...part(`tile-${name}`) }, page.renderProp(props, name)),
    )
    .join('');
  const preview = element('div', { class: 'dy-tile-preview' }, withoutLinks(page.render(children)));
  return link?.href
    ? element(
        'a',
        { class: classesOf(call, page, hooked('dy-tile dy-tile-link', 'tile')), href: link.href },
        preview + withoutLinks(text),
      )
    : element('div', { class: classesOf(call, page, hooked('dy-tile', 'tile')) }, preview + text);
};
