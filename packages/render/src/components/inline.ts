/** Components inside a line of text: icons, badges, tooltips, links. */
import type { Component } from './contract.ts';
import { attributes, element, escapeText } from '../text/html.ts';
import { withoutLinks } from './remote.ts';
import { classesOf, iconOf, safeColor } from './shared-props.ts';
import { hooked } from '../model/style-hooks.ts';

export const icon: Component = (call, page) => {
  const { props } = call;
  const drawn = iconOf(call, page) || iconOf(call, page, 'src') || iconOf(call, page, 'name');
  if (!drawn) return '';
  const color = safeColor(props.text('color'));
  const size = props.number('size') ?? Number.parseFloat(props.text('size') ?? '');
  const style = [
    color && `color: ${color}`,
    size > 0 && size <= 512 && `width: ${size}px; height: ${size}px; font-size: ${size}px`,
  ];
  const classes = classesOf(
    call,
    page,
    hooked('dy-icon', 'icon'),
    page.styleClass(style.filter(Boolean).join('; ')),
  );
  return drawn.replace(/ class="dy-icon\b([^"]*)"/, (_whole, rest: string) => ` class="${classes}${rest}"`);
};

const badgeColors = new Set(
  'gray blue green yellow orange red purple white surface white-destructive surface-destructive'.split(' '),
);
const badgeSizes = new Set(['xs', 'sm', 'md', 'lg']);

export const badge: Component = (call, page) => {
  const { props, children, place } = call;
  const color = props.text('color') ?? props.text('intent') ?? 'gray';
  const size = props.text('size') ?? 'md';
  const href = props.text('href');
  const link = href === undefined ? undefined : page.link(href, place).href;
  const outlined = props.flag('stroke') || props.text('variant') === 'outline';
  const classes = classesOf(
    call,
    page,
    'dy-badge',
    `dy-badge-${badgeColors.has(color) ? color : 'gray'}`,
    size !== 'md' && badgeSizes.has(size) && `dy-badge-${size}`,
    props.text('shape') === 'pill' && 'dy-badge-pill',
    outlined && 'dy-badge-stroke',
    props.flag('disabled') && 'dy-badge-disabled',
  );
  const content =
    (iconOf(call, page) || iconOf(call, page, 'leadIcon')) +
    page.renderPhrasing(children) +
    iconOf(call, page, 'tailIcon');
  const values = { class: classes, 'data-badge': true, 'data-color': color, 'data-size': size };
  return link && !props.flag('disabled')
    ? element('a', { ...values, href: link }, withoutLinks(content))
    : element('span', values, content);
};

/** Shown on hover and focus; a tap sets the focus. */
export const tooltip: Component = ({ props, children, place }, page) => {
  const term = page.renderPhrasing(children);
  const headline = props.text('headline');
  const tip = props.has('tip') ? page.renderProp(props, 'tip') : '';
  const href = props.text('href');
  const target = href === undefined ? undefined : page.link(href, place).href;
  const label = props.text('cta') ?? (target && !headline && !tip ? href : undefined);
  if (!headline && !tip && !target) return term;
  const id = page.uniqueId('tooltip');
  const more =
    target && label ? element('a', { class: 'dy-tooltip-link', href: target }, escapeText(label)) : '';
  const content =
    (headline ? element('span', { class: 'dy-tooltip-headline' }, escapeText(headline)) : '') +
    withoutLinks(tip) +
    more;
  return (
    `<span class="${hooked('dy-tooltip', 'tooltip')}"><span class="dy-tooltip-term" tabindex="0"${attributes({ 'aria-describedby': id })}>` +
    `${withoutLinks(term)}</span><span class="dy-tooltip-tip"${attributes({ role: more ? undefined : 'tooltip', id })}>${content}</span></span>`
  );
};

export const link: Component = (call, page) => {
  const { props, children, place } = call;
  const { href } = page.link(props.text('href') ?? props.text('to') ?? '', place);
  return element(
    'a',
    { class: classesOf(call, page, hooked('', 'link')), href },
    withoutLinks(page.renderPhrasing(children)),
  );
};

export const button: Component = (call, page) => {
  const { props, children, place } = call;
  const address = props.text('href') ?? props.text('to') ?? props.text('link');
  const href = address === undefined ? undefined : page.link(address, place).href;
  const content =
    iconOf(call, page) +
    (withoutLinks(page.renderPhrasing(children)) ||
      escapeText(props.text('label') ?? props.text('title') ?? ''));
  return element(href ? 'a' : 'span', { class: classesOf(call, page, 'dy-button'), href }, content);
};
