/** The stylesheet that belongs to one site: its colours, and one class for each inline style its authors wrote. */
import type { SiteSettings } from '../config/settings.ts';
import { buttonColors, readableOn } from './colors.ts';

const paper = { light: '#ffffff', dark: '#0e1116' };

export function siteStylesheet(settings: SiteSettings, styles: ReadonlyMap<string, string>): string {
  const background = {
    light: settings.background?.light ?? paper.light,
    dark: settings.background?.dark ?? paper.dark,
  };
  const accent = { light: settings.colors.primary, dark: settings.colors.light ?? settings.colors.primary };
  const light = buttonColors(settings.colors.dark ?? accent.light);
  const dark = buttonColors(settings.colors.dark ?? accent.dark);
  const pair = (light: string, dark: string): string => `light-dark(${light}, ${dark})`;
  const classes = [...styles]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `.${name} { ${text} }\n`);
  return [
    ':root {',
    `  --background: ${pair(background.light, background.dark)};`,
    `  --accent: ${pair(accent.light, accent.dark)};`,
    `  --accent-text: ${pair(readableOn(accent.light, background.light), readableOn(accent.dark, background.dark))};`,
    `  --button: ${pair(light.background, dark.background)};`,
    `  --on-button: ${pair(light.text, dark.text)};`,
    '}\n',
    classes.join(''),
  ].join('\n');
}
