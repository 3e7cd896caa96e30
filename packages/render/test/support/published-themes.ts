/**
 * For `npm run code-themes` and its test: reduces Shiki's themes to the colors of the highlighter's classes.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

interface TokenRule {
  scope?: string | string[];
  settings?: { foreground?: string };
}

interface PublishedTheme {
  name: string;
  type?: string;
  fg?: string;
  bg?: string;
  colors?: Record<string, string>;
  tokenColors?: TokenRule[];
  settings?: TokenRule[];
}

/** For each class, in the order of the table: its TextMate scopes, the most specific first. */
const scopesOfClasses: readonly (readonly string[])[] = [
  ['comment.line', 'comment'],
  ['keyword.control', 'keyword', 'storage.type'],
  ['string.quoted.double', 'string'],
  ['constant.numeric', 'constant'],
  ['entity.name.function', 'support.function'],
  ['entity.name.type.class', 'entity.name.type', 'support.class', 'support.type'],
  [
    'support.type.property-name',
    'meta.object-literal.key',
    'entity.other.attribute-name',
    'variable.other.property',
  ],
  ['entity.name.tag'],
  ['variable.other.readwrite', 'variable.other', 'variable.parameter', 'variable'],
  ['keyword.operator', 'punctuation'],
  ['markup.inserted'],
  ['markup.deleted'],
];

export const codeThemesFile = fileURLToPath(new URL('../../src/highlight/code-themes.ts', import.meta.url));

export async function publishedCodeThemes(): Promise<Record<string, string>> {
  const folder = dirname(createRequire(import.meta.url).resolve('@shikijs/themes'));
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs') && name !== 'index.mjs')
    .map((name) => name.slice(0, -'.mjs'.length))
    .toSorted();
  const themes: Record<string, string> = {};
  for (const name of names) {
    const loaded = (await import(pathToFileURL(join(folder, `${name}.mjs`)).href)) as {
      default: PublishedTheme;
    };
    themes[name] = coloursOf(loaded.default).join(' ');
  }
  return themes;
}

export function codeThemesSource(themes: Record<string, string>): string {
  const lines = Object.entries(themes).map(([name, colours]) => `  '${name}': '${colours}',`);
  return `/**
 * Written by \`npm run code-themes\` from the themes that Shiki publishes: background, text, then comments, keywords, strings,
 * numbers, functions, types, properties, tags, variables, operators, inserted and deleted text.
 */
export const codeThemes: Record<string, string> = {
${lines.join('\n')}
};
`;
}

function coloursOf(theme: PublishedTheme): string[] {
  const isDark = theme.type !== 'light';
  const background = opaque(
    theme.colors?.['editor.background'] ?? theme.bg ?? '',
    isDark ? '#1e1e1e' : '#ffffff',
  );
  const rules = theme.tokenColors ?? theme.settings ?? [];
  const plain = rules.find(({ scope }) => scope === undefined)?.settings?.foreground;
  const chosen = theme.colors?.['editor.foreground'] ?? theme.fg ?? plain ?? '';
  const text = opaque(chosen, background, isDark ? '#d4d4d4' : '#24292e');
  const tokens = scopesOfClasses.map((scopes) => opaque(colourOf(rules, scopes) ?? text, background, text));
  return [background, text, ...tokens];
}

/** The color of the first scope that a rule names; of several rules, the longest and then the last. */
function colourOf(rules: readonly TokenRule[], scopes: readonly string[]): string | undefined {
  for (const scope of scopes) {
    let best: { length: number; colour: string } | undefined;
    for (const rule of rules) {
      const colour = rule.settings?.foreground;
      if (colour === undefined) continue;
      for (const selector of selectorsOf(rule)) {
        if (scope !== selector && !scope.startsWith(`${selector}.`)) continue;
        if (!best || selector.length >= best.length) best = { length: selector.length, colour };
      }
    }
    if (best) return best.colour;
  }
  return undefined;
}

function selectorsOf({ scope }: TokenRule): string[] {
  const written = Array.isArray(scope) ? scope : (scope ?? '').split(',');
  return written.flatMap((one) => one.split(',')).map((one) => one.trim());
}

/** Six digits in lower case; a translucent color is blended with the background. */
function opaque(colour: string, background: string, otherwise = background): string {
  const short = /^#([\da-f])([\da-f])([\da-f])([\da-f])?$/i.exec(colour);
  const digits = short ? short.slice(1).join('').replaceAll(/./g, '$&$&') : colour.slice(1);
  if (!/^#[\da-f]+$/i.test(colour) || (digits.length !== 6 && digits.length !== 8)) return otherwise;
  const share = digits.length === 8 ? Number.parseInt(digits.slice(6), 16) / 255 : 1;
  const mixed = [0, 2, 4].map((at) => {
    const over = Number.parseInt(digits.slice(at, at + 2), 16);
    const under = Number.parseInt(background.slice(at + 1, at + 3), 16) || 0;
    return Math.round(over * share + under * (1 - share))
      .toString(16)
      .padStart(2, '0');
  });
  return `#${mixed.join('')}`;
}
