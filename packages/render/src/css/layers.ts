/** The cascade layers of an exported site. A site's own stylesheets are unlayered and therefore win. */

/** From weakest to strongest. `properties` is Tailwind's fallback layer for browsers without `@property`. */
const names = ['properties', 'dy-base', 'dy-theme', 'dy-utilities'] as const;

export const baseLayer = 'dy-base';
export const utilityLayer = 'dy-utilities';

/** The first stylesheet that names the layers fixes their order. */
export const layerOrder = `@layer ${names.join(', ')};\n`;

export function inThemeLayer(css: string): string {
  return css === '' ? '' : `@layer dy-theme {\n${css}}\n`;
}
