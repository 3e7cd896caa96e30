/** The color variables of the code theme that a site selects. All elements that show code share them. */
import { contrastOf, readableOn } from '../css/colors.ts';
import { codeThemes } from './code-themes.ts';

export interface CodeThemes {
  light: string;
  dark: string;
}

interface Palette {
  background: string;
  text: string;
  /** In the order of `tokenNames`. */
  tokens: string[];
  isDark: boolean;
}

/** Variable names in the order of the theme table. */
const tokenNames = ['c', 'k', 's', 'n', 'f', 't', 'a', 'g', 'v', 'o', 'i', 'd'] as const;

/** Names of older configurations, and the format's names of themes. */
const otherNames: Record<string, string> = {
  dark: 'github-dark-default',
  'material-default': 'material-theme',
  'material-darker': 'material-theme-darker',
  'material-lighter': 'material-theme-lighter',
  'material-ocean': 'material-theme-ocean',
  'material-palenight': 'material-theme-palenight',
  'dracula-theme': 'dracula',
};

const codeParts = ':is(.dy-code, .dy-code-group, .dy-try-it-answer pre)';

/** `styling.codeblocks`: `system`, `dark`, the name of a theme, or an object with one or two names. */
export function codeThemesOf(value: unknown): CodeThemes | undefined {
  const theme = typeof value === 'object' && value !== null && 'theme' in value ? value.theme : value;
  if (typeof theme === 'string') return theme === 'system' ? undefined : { light: theme, dark: theme };
  if (typeof theme !== 'object' || theme === null) return undefined;
  const { light, dark } = theme as Partial<Record<'light' | 'dark', unknown>>;
  const names = { light: typeof light === 'string' ? light : '', dark: typeof dark === 'string' ? dark : '' };
  return names.light || names.dark ? names : undefined;
}

/** When only one appearance names a theme, the other keeps the site's colors. */
export function codePaletteCss(themes: CodeThemes | undefined, accent: CodeThemes): string {
  const light = themes && paletteNamed(themes.light);
  const dark = themes && paletteNamed(themes.dark);
  const lightRules = light && paletteRules(light, accent.light);
  const darkRules = dark && paletteRules(dark, accent.dark);
  if (light && lightRules === darkRules) return `${codeParts} { ${lightRules} }\n`;
  return inAppearance('light', lightRules) + inAppearance('dark', darkRules);
}

function inAppearance(appearance: 'light' | 'dark', rules: string | undefined): string {
  if (rules === undefined) return '';
  return (
    `:where([data-theme='${appearance}']) ${codeParts} { ${rules} }\n` +
    `@media (prefers-color-scheme: ${appearance}) { :where(:root:not([data-theme])) ${codeParts} { ${rules} } }\n`
  );
}

export function paletteNamed(name: string): Palette | undefined {
  const wanted = name.toLowerCase();
  const known = Object.hasOwn(otherNames, wanted) ? otherNames[wanted] : wanted;
  const colors = known !== undefined && Object.hasOwn(codeThemes, known) ? codeThemes[known] : undefined;
  const [background, text, ...tokens] = colors?.split(' ') ?? [];
  if (background === undefined || text === undefined) return undefined;
  const isDark = contrastOf(background, '#ffffff') > contrastOf(background, '#000000');
  return {
    background,
    text: readableOn(text, background),
    tokens: tokens.map((token) => readableOn(token, background)),
    isDark,
  };
}

function paletteRules({ background, text, tokens, isDark }: Palette, accent: string): string {
  const mixed = (share: number): string => `color-mix(in srgb, ${text} ${share}%, ${background})`;
  const accentText = readableOn(accent, background);
  const variables: Record<string, string> = {
    background,
    'code-background': background,
    raised: background,
    surface: mixed(6),
    line: mixed(14),
    'line-strong': mixed(26),
    text,
    heading: text,
    muted: readableOn(tokens[0] ?? text, background),
    'accent-text': accentText,
    'accent-soft': `color-mix(in srgb, ${accentText} 12%, transparent)`,
    'on-accent-soft': accentText,
    ...Object.fromEntries(tokenNames.map((name, index) => [`t-${name}`, tokens[index] ?? text])),
  };
  const declarations = Object.entries(variables).map(([name, value]) => `--dy-${name}: ${value}`);
  return [`color-scheme: ${isDark ? 'dark' : 'light'}`, ...declarations].join('; ');
}
