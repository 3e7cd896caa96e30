/**
 * The stylesheet of one site: colors, fonts, background, banner and classes for inline styles. Unreadable
 * colors are corrected and reported.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import { isPageStylesheet } from '../components/style.ts';
import { type Appearances, type SiteSettings, defaultPrimary } from '../config/settings.ts';
import { codePaletteCss } from '../highlight/palette.ts';
import { buttonColors, channelsOf, readableOn, readableOnTints } from '../css/colors.ts';
import type { FontFace } from '../model/font-face.ts';
import type { SiteFonts } from './fonts.ts';

const paper = { light: '#ffffff', dark: '#0e1116' };

export interface StyleFiles {
  fonts: SiteFonts;
  background?: Appearances | undefined;
}

export function siteStylesheet(settings: SiteSettings, files: StyleFiles): string {
  return [
    ...files.fonts.faces.map(fontFaceCss),
    ...files.fonts.bundled.map(({ fallback }) => fallback),
    ':root {',
    ...Object.entries(siteVariables(settings, files)).map(([name, value]) => `  --dy-${name}: ${value};`),
    ...Object.entries(authorVariables(settings)).map(([name, color]) => `  --${name}: ${channelsOf(color)};`),
    '}\n',
    codePaletteCss(settings.codeThemes, chosenColors(settings).accent),
  ].join('\n');
}

/** Inline styles must win over stylesheets: `:not(#id)` raises the specificity of their classes. */
export function inlineStylesCss(styles: ReadonlyMap<string, string>): string {
  return [...styles]
    .filter(([name]) => !isPageStylesheet(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `.${name}:not(#\\##\\#) { ${text} }\n`)
    .join('');
}

/** Custom properties that authors' stylesheets and utility classes use. */
function authorVariables(settings: SiteSettings): Record<string, string> {
  const { primary, light = primary, dark = primary } = settings.colors;
  const { background } = chosenColors(settings);
  return {
    primary,
    'primary-light': light,
    'primary-dark': dark,
    'background-light': background.light,
    'background-dark': background.dark,
  };
}

/** Custom properties without the leading `--dy-`. */
export function siteVariables(settings: SiteSettings, files: StyleFiles): Record<string, string> {
  const { background, accent, button } = chosenColors(settings);
  const light = buttonColors(button.light);
  const dark = buttonColors(button.dark);
  const pair = (one: string, two: string): string => `light-dark(${one}, ${two})`;
  const banner = settings.banner?.color;
  const bannerColors = banner && { light: buttonColors(banner.light), dark: buttonColors(banner.dark) };
  return {
    background: pair(background.light, background.dark),
    accent: pair(accent.light, accent.dark),
    'accent-text': pair(
      readableOnTints(accent.light, background.light),
      readableOnTints(accent.dark, background.dark),
    ),
    button: pair(light.background, dark.background),
    'on-button': pair(light.text, dark.text),
    ...files.fonts.variables,
    ...(files.background
      ? {
          'picture-light': `url("${addressFromHere(files.background.light)}")`,
          'picture-dark': `url("${addressFromHere(files.background.dark)}")`,
        }
      : {}),
    ...(bannerColors
      ? {
          'banner-background': pair(bannerColors.light.background, bannerColors.dark.background),
          'banner-text': pair(bannerColors.light.text, bannerColors.dark.text),
        }
      : {}),
  };
}

export function chosenColors(
  settings: SiteSettings,
): Record<'background' | 'accent' | 'button', Appearances> {
  const accent = { light: settings.colors.primary, dark: settings.colors.light ?? settings.colors.primary };
  return {
    background: {
      light: settings.background?.color?.light ?? paper.light,
      dark: settings.background?.color?.dark ?? paper.dark,
    },
    accent,
    button: { light: settings.colors.dark ?? accent.light, dark: settings.colors.dark ?? accent.dark },
  };
}

function addressFromHere(file: string): string {
  return encodeURI(`../${file}`).replaceAll("'", '%27');
}

const fontFormats: Record<string, string> = {
  woff2: 'woff2',
  woff: 'woff',
  ttf: 'truetype',
  otf: 'opentype',
};

function fontFaceCss({ family, file, weight, unicodeRange }: FontFace): string {
  const format = fontFormats[file.slice(file.lastIndexOf('.') + 1).toLowerCase()] ?? 'woff2';
  const range = unicodeRange === undefined ? '' : ` unicode-range: ${unicodeRange};`;
  return (
    `@font-face { font-family: '${family}'; src: url("${addressFromHere(file)}") format('${format}'); ` +
    `font-weight: ${weight}; font-display: swap;${range} }`
  );
}

export function contrastFindings(settings: SiteSettings, file: string): Diagnostic[] {
  const { background, accent } = chosenColors(settings);
  return (['light', 'dark'] as const).flatMap((appearance): Diagnostic[] => {
    const color = accent[appearance];
    const isReadable = sameColor(color, readableOn(color, background[appearance]));
    if (color === defaultPrimary || isReadable) return [];
    const shown = readableOnTints(color, background[appearance]);
    const key = appearance === 'dark' && settings.colors.light ? 'colors.light' : 'colors.primary';
    return [
      {
        severity: 'info',
        code: 'color_contrast',
        message: `${key} ${color} is hard to read on the ${appearance} background; text is shown in ${shown}`,
        file,
        hint: 'Choose a color with a contrast ratio of at least 4.5:1.',
      },
    ];
  });
}

function sameColor(a: string, b: string): boolean {
  const full = (hex: string): string =>
    (hex.length === 4 ? hex.replaceAll(/[0-9a-f]/gi, '$&$&') : hex).toLowerCase();
  return full(a) === full(b);
}
