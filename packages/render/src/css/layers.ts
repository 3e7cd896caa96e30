/** The cascade layers of an exported site. Stylesheets of the site itself are in none of them, and win. */

/** From the weakest to the strongest. Tailwind calls its fallback for browsers without `@property` by the first name. */
const names = ['properties', 'dy-base', 'dy-theme', 'dy-utilities'] as const;

export const baseLayer = 'dy-base';
export const utilityLayer = 'dy-utilities';

/** The order is that of the first stylesheet that names the layers. */
export const layerOrder = `@layer ${names.join(', ')};\n`;

export function inThemeLayer(css: string): string {
  return css === '' ? '' : `@layer dy-theme {\n${css}}\n`;
}
