/** Frames around pictures and videos. */
import type { Component } from './contract.ts';
import { element } from '../text/html.ts';
import { classesOf } from './shared-props.ts';
import { hooked, part } from '../model/style-hooks.ts';

export const frame: Component = (call, page) => {
  const { props, children } = call;
  const caption = props.has('caption') ? page.renderProp(props, 'caption') : '';
  const hint = props.has('hint') ? page.renderProp(props, 'hint') : '';
  const width = /^\d+(?:px|%)?$/.exec(props.text('width') ?? '')?.[0];
  const limit = width && page.styleClass(`max-width: ${/\d$/.test(width) ? `${width}px` : width}`);
  return (
    (hint ? element('p', { class: 'dy-frame-hint', ...part('frame-hint') }, hint) : '') +
    element(
      'figure',
      { class: classesOf(call, page, hooked('dy-frame', 'frame'), limit) },
      element('div', { class: 'dy-frame-content', ...part('frame-content') }, page.render(children)) +
        (caption ? element('figcaption', part('frame-description'), caption) : ''),
    )
  );
};
