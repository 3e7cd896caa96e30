/**
 * The allowlist of inline SVG. Drawings load only pictures of the site, and animations never change where a
 * link leads.
 */
import { changesLooks, drawingElements } from '../assets/drawing-rules.ts';
import type { ElementCall, PageContext } from './contract.ts';
import { type Attributes, element } from '../text/html.ts';
import { withHyphens } from './style.ts';

/** In the standard's spelling; authors and React use others. */
const svgAttributes = new Map(
  (
    'viewBox xmlns fill stroke d cx cy r rx ry x y x1 x2 y1 y2 dx dy points transform transform-origin opacity offset version focusable ' +
    'gradientUnits gradientTransform spreadMethod fx fy fr preserveAspectRatio pathLength vector-effect paint-order ' +
    'fill-rule clip-rule clip-path clipPathUnits mask maskUnits maskContentUnits stop-color stop-opacity fill-opacity ' +
    'stroke-width stroke-linecap stroke-linejoin stroke-dasharray stroke-dashoffset stroke-miterlimit stroke-opacity ' +
    'marker-start marker-mid marker-end markerWidth markerHeight markerUnits refX refY orient patternUnits patternContentUnits patternTransform ' +
    'text-anchor dominant-baseline alignment-baseline baseline-shift letter-spacing word-spacing text-decoration textLength lengthAdjust ' +
    'startOffset method spacing writing-mode font-size font-family font-weight font-style font-variant font-stretch ' +
    'color color-interpolation color-interpolation-filters shape-rendering text-rendering image-rendering visibility display overflow pointer-events ' +
    'filter filterUnits primitiveUnits in in2 result mode operator k1 k2 k3 k4 radius scale seed order divisor bias edgeMode kernelMatrix ' +
    'targetX targetY preserveAlpha stdDeviation baseFrequency numOctaves stitchTiles xChannelSelector yChannelSelector values type tableValues ' +
    'slope intercept amplitude exponent flood-color flood-opacity lighting-color surfaceScale diffuseConstant specularConstant ' +
    'specularExponent azimuth elevation z pointsAtX pointsAtY pointsAtZ limitingConeAngle ' +
    'attributeName dur begin end from to by repeatCount repeatDur keyTimes keySplines keyPoints calcMode additive accumulate restart rotate ' +
    'path min max'
  )
    .split(' ')
    .map((name) => [name.toLowerCase(), name]),
);

export function isSvgElement(name: string): boolean {
  return drawingElements.has(name) || name === 'foreignObject' || name === 'set';
}

/** Undefined for attributes that are not part of SVG. */
export function svgAttribute(name: string): string | undefined {
  return /^(?:xlink:?)?href$/i.test(name)
    ? 'href'
    : (svgAttributes.get(name.toLowerCase()) ?? svgAttributes.get(withHyphens(name)));
}

/** Whether an animation changes only the looks of a drawing. */
export function isHarmless({ name, props }: ElementCall): boolean {
  return changesLooks(name, props.text('attributeName'));
}

/**
 * An element that refers to a picture of the site or another part of the page. A part of another file is
 * shown as a picture of that file, because browsers do not load such parts from disk.
 */
export function referencingElement(
  { name, props, place }: ElementCall,
  values: Attributes,
  page: PageContext,
): string {
  if (values['href'] !== undefined) return element(name, values, '');
  const address = props.text('href') ?? props.text('xlinkHref') ?? props.text('xlink:href') ?? '';
  const href = /^data:/i.test(address) ? undefined : page.asset(address, place);
  return href === undefined ? '' : element('image', { width: '100%', height: '100%', ...values, href }, '');
}
