/** The stylesheet and fonts for mathematics, written for sites and linked on pages that use it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inThemeLayer } from '../css/layers.ts';

export const mathStylesheet = '_docyard/katex/katex.css';

const require = createRequire(import.meta.url);

/** KaTeX offers each font in three formats; every supported browser reads the first. */
const otherFormats = /,url\([^()]{0,200}\) ?format\("(?:woff|truetype)"\)/g;

/** Images shrink to the column, strokes of a formula must not; wide formulas scroll. */
const additions =
  '.katex svg{max-width:none}\n.katex{font-size:1.15em}\n.katex-display{margin:1.1em 0;overflow:auto hidden;padding:2px 0}\n' +
  '.katex-display>.katex{white-space:nowrap}\np>.katex-display:first-child{margin-top:0}\n';

export function mathFiles(styles: ReadonlyMap<string, string>): { path: string; content: Uint8Array }[] {
  const folder = dirname(require.resolve('katex'));
  const css = readFileSync(join(folder, 'katex-swap.min.css'), 'utf8').replaceAll(otherFormats, '');
  const fonts = [
    ...new Set([...css.matchAll(/url\(fonts\/([\w-]+\.woff2)\)/g)].map((match) => match[1] ?? '')),
  ];
  const classes = [...styles]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, declaration]) => `.${name}{${declaration.replace(': ', ':').replace(' !', '!')}}\n`);
  const text = `/* KaTeX, MIT License, https://katex.org */\n${inThemeLayer(`${css}\n${additions}${classes.join('')}`)}`;
  return [
    { path: mathStylesheet, content: new TextEncoder().encode(text) },
    ...fonts.toSorted().map((font) => ({
      path: `_docyard/katex/fonts/${font}`,
      content: new Uint8Array(readFileSync(join(folder, 'fonts', font))),
    })),
  ];
}
