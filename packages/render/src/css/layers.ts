/** The cascade layers of an exported site. A site's own stylesheets are unlayered and therefore win. */

/** From weakest to strongest. `properties` is Tailwind's fallback layer for browsers without `@property`. */
const names = ['dy-baseline', 'properties', 'dy-base', 'dy-theme', 'dy-utilities'] as const;

/** The inline style of the not-found page. */
export const baselineLayer = 'dy-baseline';
export const baseLayer = 'dy-base';
export const utilityLayer = 'dy-utilities';

/** The first stylesheet that names the layers fixes their order. */
export const layerOrder = `@layer ${names.join(', ')};\n`;

export function inThemeLayer(css: string): string {
  return css === '' ? '' : `@layer dy-theme {\n${css}}\n`;
}
