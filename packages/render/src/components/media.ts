/** Frames around pictures and videos. */
import type { Component } from './contract.ts';
import { element } from '../html.ts';

export const frame: Component = ({ props, children }, page) => {
  const caption = props.has('caption') ? page.renderProp(props, 'caption') : '';
  const hint = props.has('hint') ? page.renderProp(props, 'hint') : '';
  return (
    (hint ? element('p', { class: 'frame-hint' }, hint) : '') +
    element(
      'figure',
      { class: 'frame' },
      element('div', { class: 'frame-content' }, page.render(children)) +
        (caption ? element('figcaption', {}, caption) : ''),
    )
  );
};
