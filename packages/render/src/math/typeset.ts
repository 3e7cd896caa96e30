/**
 * Typesets formulas with KaTeX. The Content-Security-Policy forbids style attributes, so each declaration
 * becomes a class; a formula that does not parse shows its source.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type katexModule from 'katex';
import { attributes, escapeText } from '../text/html.ts';
import type { Formula } from './marks.ts';

const require = createRequire(import.meta.url);
let katex: typeof katexModule | undefined;

export interface Typeset {
  html: string;
  /** Declarations by class. */
  styles: [string, string][];
  error?: string;
}

/** Bounds KaTeX's time; longer formulas are mistakes or attacks. */
const maxLength = 10_000;

export function typeset({ tex, display }: Formula): Typeset {
  if (tex.length > maxLength) return failed(tex, display, 'it is longer than 10,000 characters');
  katex ??= require('katex') as typeof katexModule;
  try {
    const html = katex.renderToString(tex, {
      displayMode: display,
      output: 'htmlAndMathml',
      throwOnError: true,
      trust: false,
      strict: 'ignore',
      maxSize: 50,
      maxExpand: 500,
    });
    return withClasses(html);
  } catch (error) {
    return failed(tex, display, messageOf(error));
  }
}

function messageOf(error: unknown): string {
  const { rawMessage, message } = error as Error & { rawMessage?: string };
  return (rawMessage ?? message).replaceAll('\u0332', '').slice(0, 300);
}

function failed(tex: string, display: boolean, error: string): Typeset {
  const code = `<code${attributes({ class: 'dy-math-source', title: `This formula cannot be read: ${error}` })}>${escapeText(tex)}</code>`;
  return { html: display ? `<span class="dy-math-failed">${code}</span>` : code, styles: [], error };
}

/** `style="height:1em;top:0"` becomes two classes; equal declarations share a class. */
function withClasses(html: string): { html: string; styles: [string, string][] } {
  const styles = new Map<string, string>();
  const result = html.replaceAll(/<[a-z][^<>]*>/gi, (tag) => {
    const style = / style="([^"]*)"/.exec(tag)?.[1];
    if (style === undefined) return tag;
    const names = style.split(';').flatMap((part) => {
      const [property = '', value = ''] = part.split(':').map((side) => side.trim());
      if (property === '' || !/^[a-z-]+$/.test(property) || !/^[-\w.%#(), ]+$/.test(value)) return [];
      const name = className(property, value);
      styles.set(name, `${property}: ${value} !important`);
      return [name];
    });
    const bare = tag.replace(/ style="[^"]*"/, '');
    if (names.length === 0) return bare;
    return / class="/.test(bare)
      ? bare.replace(/ class="([^"]*)"/, (_whole, old: string) => ` class="${old} ${names.join(' ')}"`)
      : bare.replace(/^<([a-z]+)/i, `<$1 class="${names.join(' ')}"`);
  });
  return { html: result, styles: [...styles] };
}

const shortNames: Record<string, string> = {
  height: 'h',
  top: 't',
  'vertical-align': 'v',
  'margin-right': 'r',
  'margin-left': 'l',
  width: 'w',
  'min-width': 'n',
  'padding-left': 'p',
  'border-bottom-width': 'b',
};

/** Readable for common lengths: `kh-0_6833em` is a height. */
function className(property: string, value: string): string {
  const short = shortNames[property];
  if (short && /^-?[\d.]+(?:em|ex|px)?$/.test(value))
    return `k${short}-${value.replace('-', 'm').replace('.', '_')}`;
  return `kx-${createHash('sha256').update(`${property}:${value}`).digest('hex').slice(0, 8)}`;
}
