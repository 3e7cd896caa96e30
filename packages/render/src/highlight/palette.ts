/**
 * Colours for code that a site chooses by the name of a well-known theme. The classes of code stay the same; a palette
 * sets their variables. Names that are close to each other share one, and every colour is readable on its background.
 */
export interface CodeThemes {
  light: string;
  dark: string;
}

interface Palette {
  background: string;
  text: string;
  /** Comments, keywords, strings, numbers, functions, types, properties, tags, variables, operators. */
  colors: string;
}

/** From `styling.codeblocks`: `system`, `dark`, the name of a theme, or an object with one or two names. */
export function codeThemesOf(value: unknown): CodeThemes | undefined {
  const theme = typeof value === 'object' && value !== null && 'theme' in value ? value.theme : value;
  if (typeof theme === 'string') return theme === 'system' ? undefined : { light: theme, dark: theme };
  if (typeof theme !== 'object' || theme === null) return undefined;
  const { light, dark } = theme as Partial<Record<'light' | 'dark', unknown>>;
  const names = { light: typeof light === 'string' ? light : '', dark: typeof dark === 'string' ? dark : '' };
  return names.light || names.dark ? names : undefined;
}

export function codePaletteCss(themes: CodeThemes | undefined): string {
  const light = themes && paletteNamed(themes.light);
  const dark = themes && paletteNamed(themes.dark);
  if (!light && !dark) return '';
  /** Where only one appearance names a theme, the other keeps the site's own colours. */
  if (!light || !dark) {
    const rules = paletteRules(light ?? dark);
    const chosen = light ? 'light' : 'dark';
    const other = light ? 'dark' : 'light';
    return (
      `@media (prefers-color-scheme: ${chosen}) { :root:not([data-theme='${other}']) .dy-code { ${rules} } }\n` +
      `:root[data-theme='${chosen}'] .dy-code { ${rules} }\n`
    );
  }
  if (light === dark)
    return `.dy-code { color-scheme: ${isDark(dark) ? 'dark' : 'light'}; ${paletteRules(dark)} }\n`;
  const pairs = declarations(light).map(([name, value], index) => {
    const other = declarations(dark)[index]?.[1] ?? value;
    return `${name}: light-dark(${value}, ${other})`;
  });
  return `.dy-code { ${pairs.join('; ')} }\n`;
}

function paletteRules(palette: Palette | undefined): string {
  return palette
    ? declarations(palette)
        .map(([name, value]) => `${name}: ${value}`)
        .join('; ')
    : '';
}

function declarations({ background, text, colors }: Palette): [string, string][] {
  const names = ['c', 'k', 's', 'n', 'f', 't', 'a', 'g', 'v', 'o'];
  const values = colors.split(' ');
  return [
    ['background', background],
    ['color', text],
    ['--dy-raised', background],
    ['--dy-heading', text],
    ['--dy-muted', values[0] ?? text],
    ...names.map((name, index): [string, string] => [`--dy-t-${name}`, values[index] ?? text]),
  ];
}

function isDark({ background }: Palette): boolean {
  return Number.parseInt(background.slice(1, 3), 16) < 128;
}

export function paletteNamed(name: string): Palette | undefined {
  const wanted = name.toLowerCase();
  if (wanted === '' || wanted === 'system' || wanted === 'css-variables') return undefined;
  const family = families.find(([pattern]) => pattern.test(wanted))?.[1];
  return family === undefined ? undefined : palettes[family];
}

/** In this order: the first that fits a name decides. */
const families: [RegExp, string][] = [
  [/dracula/, 'dracula'],
  [/nord/, 'nord'],
  [/monokai|andromeeda|houston|synthwave|laserwave/, 'monokai'],
  [/catppuccin-latte|rose-pine-dawn|gruvbox-light|everforest-light|kanagawa-lotus/, 'latte'],
  [/catppuccin|rose-pine|gruvbox|everforest|kanagawa|tokyo-night/, 'mocha'],
  [/solarized-light/, 'solarized-light'],
  [/solarized-dark/, 'solarized-dark'],
  [/one-dark|material|night-owl|aurora|ayu|slack-dark|poimandres|vesper|plastic|red/, 'one-dark'],
  [
    /github-light|light-plus|min-light|one-light|vitesse-light|slack-ochin|snazzy-light|light/,
    'github-light',
  ],
  [/dark|black|vitesse/, 'github-dark'],
];

const palettes: Record<string, Palette> = {
  'github-dark': {
    background: '#0d1117',
    text: '#e6edf3',
    colors: '#9198a1 #ff7b72 #a5d6ff #79c0ff #d2a8ff #ffa657 #79c0ff #7ee787 #ffa657 #b1bac4',
  },
  'github-light': {
    background: '#ffffff',
    text: '#1f2328',
    colors: '#59636e #cf222e #0a3069 #0550ae #6639ba #953800 #0550ae #116329 #953800 #424a53',
  },
  dracula: {
    background: '#282a36',
    text: '#f8f8f2',
    colors: '#9aa6d1 #ff79c6 #f1fa8c #bd93f9 #50fa7b #8be9fd #66d9ef #ff79c6 #ffb86c #d6d8e5',
  },
  nord: {
    background: '#2e3440',
    text: '#e5e9f0',
    colors: '#a3adc2 #81a1c1 #a3be8c #c9a3c3 #88c0d0 #8fbcbb #88c0d0 #8fbcbb #e0a88f #c8d0e0',
  },
  monokai: {
    background: '#272822',
    text: '#f8f8f2',
    colors: '#a8a48f #fb7aa6 #e6db74 #bf9eff #a6e22e #66d9ef #a6e22e #fb7aa6 #fd971f #d6d6cc',
  },
  mocha: {
    background: '#1e1e2e',
    text: '#cdd6f4',
    colors: '#9399b2 #cba6f7 #a6e3a1 #fab387 #89b4fa #f9e2af #94e2d5 #89b4fa #eba0ac #a6adc8',
  },
  latte: {
    background: '#eff1f5',
    text: '#3c3f58',
    colors: '#5c5f77 #7a2fd0 #2a6b1c #a13d05 #1a56c4 #7d5200 #0f6469 #1a56c4 #b02a43 #5c5f77',
  },
  'solarized-dark': {
    background: '#002b36',
    text: '#c3cfcf',
    colors: '#8fa3a3 #a5b72b #4fc0b5 #e88ac0 #59aee8 #d8a72c #59aee8 #59aee8 #f08a63 #a6b5b5',
  },
  'solarized-light': {
    background: '#fdf6e3',
    text: '#44565d',
    colors: '#5c6c6e #586500 #13706a #a52a6d #1a6396 #7a5b00 #1a6396 #1a6396 #a83a10 #566769',
  },
  'one-dark': {
    background: '#282c34',
    text: '#d7dae0',
    colors: '#9da5b4 #d19df0 #a5d183 #e0b080 #7cc0ff #f0cf85 #7cc0ff #f29399 #f29399 #b8bfca',
  },
};
