/** Components that stand inside a line of text: icons, badges, tooltips. */
import type { Component } from './contract.ts';
import { attributes, element, escapeText } from '../html.ts';
import { remoteImage } from './remote.ts';

export const icon: Component = ({ props, place }, page) => {
  const name = props.icon() ?? props.text('src');
  if (name === undefined) return '';
  if (!/[/.]/.test(name)) return page.icon(name);
  const source = page.asset(name, place);
  return source === undefined ? '' : `<img class="icon icon-image"${attributes({ src: source, alt: '' })}>`;
};

const badgeColors = new Set('gray blue green yellow orange red purple white surface'.split(' '));

export const badge: Component = ({ props, children }, page) => {
  const color = props.text('color') ?? 'gray';
  const classes = ['badge', `badge-${badgeColors.has(color) ? color : 'gray'}`];
  if (props.text('size')) classes.push(`badge-${props.text('size') === 'xs' ? 'sm' : props.text('size')}`);
  if (props.text('shape') === 'pill') classes.push('badge-pill');
  return element(
    'span',
    { class: classes.join(' ') },
    page.icon(props.icon()) + page.renderPhrasing(children),
  );
};

export const tooltip: Component = ({ props, children, place }, page) => {
  const parts = [props.text('headline'), props.text('tip')].filter(Boolean).join(': ');
  const id = page.uniqueId('tooltip');
  const href = props.text('href');
  const link = href === undefined ? undefined : page.link(href, place);
  const more =
    link?.href && props.text('cta')
      ? ` ${element('a', { href: link.href }, escapeText(props.text('cta') ?? ''))}`
      : '';
  return (
    `<span class="tooltip"><span class="tooltip-term" tabindex="0"${attributes({ 'aria-describedby': id })}>` +
    `${page.renderPhrasing(children)}</span>` +
    `<span class="tooltip-tip" role="tooltip"${attributes({ id })}>${escapeText(parts)}${more}</span></span>`
  );
};

/** Names from other frameworks that authors carry along; they mean the plain element. */
export const link: Component = ({ props, children, place }, page) => {
  const { href } = page.link(props.text('href') ?? props.text('to') ?? '', place);
  return element('a', { href }, page.renderPhrasing(children));
};

export const picture: Component = ({ props, place }, page) => {
  const address = props.text('src') ?? '';
  const source = page.asset(address, place);
  const elsewhere = page.elsewhere(address);
  if (elsewhere !== undefined) return remoteImage(elsewhere, props.text('alt'));
  if (source === undefined) return '';
  const size = { width: props.text('width'), height: props.text('height') };
  return `<img${attributes({ src: source, alt: props.text('alt') ?? '', ...size, loading: 'lazy' })}>`;
};
