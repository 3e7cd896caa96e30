/**
 * The allowlist of SVG, in files and inline: drawings may animate, but load nothing and change no address.
 */

export const drawingElements: ReadonlySet<string> = new Set(
  (
    'svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath title desc ' +
    'linearGradient radialGradient stop clipPath mask pattern marker image switch filter ' +
    'animate animateTransform animateMotion mpath ' +
    'feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap ' +
    'feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode ' +
    'feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence'
  ).split(' '),
);

/** Security: animating an address could turn a harmless one into another. */
export function changesLooks(name: string, attribute = ''): boolean {
  return !/^(?:animate|set$)/.test(name) || !/href|^on|style/i.test(attribute);
}

export function isInside(address: string): boolean {
  return /^\s*(?:#|data:image\/(?:png|jpeg|gif|webp);base64,)/i.test(address);
}

/** Rejects `url()` and escapes, which could hide one. */
export function loadsNothing(css: string): boolean {
  if (/\\|@import|javascript:|expression\s*\(|image-set|src\s*\(/i.test(css)) return false;
  return !/url\s*\((?!["']?#)/i.test(css);
}

const activeElements: ReadonlySet<string> = new Set(
  'script handler listener iframe frame object embed applet link meta base form input button video audio'.split(
    ' ',
  ),
);

/** Elements that a browser would run, submit or follow if the drawing were opened as a page. */
export function isActiveElement(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const local = (name.split(':').at(-1) ?? '').toLowerCase();
  if (activeElements.has(local) || !changesLooks(local, attributes.get('attributeName'))) return true;
  return [...attributes].some(([attribute, value]) => isActiveAttribute(attribute, value));
}

const addressAttributes: ReadonlySet<string> = new Set('href src data action to from by values'.split(' '));

function isActiveAttribute(name: string, value: string): boolean {
  const local = (name.split(':').at(-1) ?? '').toLowerCase();
  if (local.startsWith('on') || local === 'srcdoc') return true;
  // oxlint-disable-next-line no-control-regex
  const address = value.replaceAll(/[\u0000-\u0020]/g, '').toLowerCase();
  if (/javascript:|vbscript:/.test(address)) return true;
  return addressAttributes.has(local) && /^data:(?!image\/|font\/)/.test(address);
}
