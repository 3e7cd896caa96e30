/**
 * Pictures with resolved addresses, reserved space and lazy loading. The page's script implements zoom, copy
 * and download buttons from attributes.
 */
import type { FilePlace } from '../model/diagnostic.ts';
import { type Attributes, attributes, element, escapeText } from '../text/html.ts';
import type { Component, PageContext } from './contract.ts';
import { remoteImage } from './remote.ts';
import { classesOf } from './shared-props.ts';
import { hooked, part } from '../model/style-hooks.ts';

export interface ImageRequest {
  address: string;
  /** The attributes without the address. */
  values: Attributes;
  place: FilePlace | undefined;
}

type ImageContext = Pick<
  PageContext,
  'asset' | 'remoteAddress' | 'pictureSize' | 'isFirstPicture' | 'report'
>;

export function pictureHtml({ address, values, place }: ImageRequest, page: ImageContext): string {
  const alt = typeof values['alt'] === 'string' ? values['alt'] : '';
  if (values['alt'] === undefined) reportMissingAlt(address, place, page);
  const src = address === '' ? undefined : page.asset(address, place);
  const remote = page.remoteAddress(address);
  if (remote !== undefined) return remoteImage(remote, alt || undefined, String(values['class'] ?? ''));
  if (src === undefined) {
    const classes = `dy-missing-image ${String(values['class'] ?? '')}`.trim();
    return alt ? element('em', { class: classes }, escapeText(alt)) : '';
  }
  /** The first picture is likely visible at once, so lazy loading would delay it. */
  const loading = page.isFirstPicture() ? undefined : 'lazy';
  const size = sizeOf(values, page.pictureSize(address));
  return `<img${attributes({ src, ...values, alt, ...size, loading: values['loading'] ?? loading, decoding: 'async' })}>`;
}

/** An explicitly empty `alt` marks a decorative picture. */
function reportMissingAlt(address: string, place: FilePlace | undefined, page: ImageContext): void {
  page.report(
    'missing_alt',
    `The image "${address.slice(0, 200)}" has no description`,
    place,
    'Describe the image in alt, or write alt="" on a decorative <img>.',
  );
}

/** The author's values win; a missing height follows from the width and the file's aspect ratio. */
function sizeOf(values: Attributes, file: ReturnType<PageContext['pictureSize']>): Attributes {
  const [width, height] = [pixels(values['width']), pixels(values['height'])];
  const given = { width: values['width'], height: values['height'] };
  if (!file) return given;
  if (given.width === undefined && given.height === undefined) return { ...file };
  if (width !== undefined && given.height === undefined)
    return { width, height: Math.round((width * file.height) / file.width) };
  if (height !== undefined && given.width === undefined)
    return { width: Math.round((height * file.width) / file.height), height };
  return given;
}

function pixels(value: Attributes[string]): number | undefined {
  const number = Number(String(value ?? '').replace(/px$/, ''));
  return value !== undefined && value !== '' && number > 0 ? Math.round(number) : undefined;
}

const placements = new Set(
  ['top', 'bottom'].flatMap((edge) => ['left', 'center', 'right'].map((side) => `${edge}-${side}`)),
);

/** `noZoom`, `actions` and `actionsPlacement` as attributes for the page's script. */
export const imageSwitches = (props: {
  flag(name: string): boolean;
  text(name: string): string | undefined;
}): Attributes => {
  const wanted = props.flag('actions') ? 'copy,download' : props.text('actions');
  const placement = props.text('actionsPlacement') ?? '';
  return {
    'data-no-zoom': props.flag('noZoom') || props.flag('nozoom'),
    'data-actions': wanted === 'false' ? undefined : wanted?.replaceAll(/[^a-z,]/g, ''),
    'data-actions-at': wanted && placements.has(placement) ? placement : undefined,
  };
};

/** Empty when the author wrote an empty text, undefined when none. */
export function altOf(props: {
  text(name: string): string | undefined;
  value(name: string): unknown;
}): string | undefined {
  return props.text('alt') ?? (props.value('alt') === '' ? '' : undefined);
}

/** `<Image>` of other frameworks. */
export const picture: Component = ({ props, place }, page) => {
  const className = props.text('className') ?? props.text('class');
  return pictureHtml(
    {
      address: props.text('src') ?? props.text('img') ?? '',
      values: {
        class: className && page.useClasses(className),
        alt: altOf(props),
        title: props.text('title'),
        width: props.text('width'),
        height: props.text('height'),
        ...imageSwitches(props),
      },
      place,
    },
    page,
  );
};

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
