/**
 * Descriptions of a specification as HTML. They are Markdown, but many are written with a few HTML tags, which become
 * the Markdown they stand for; all other tags are dropped and their text kept.
 */
import type { PageContext } from '../../components/contract.ts';
import { escapeText } from '../../html.ts';

/** A longer description is cut; none in the specifications at hand comes near. */
const maximumLength = 50_000;

export function proseHtml(text: string, page: PageContext): string {
  const source = proseMarkdown(text);
  if (source === '') return '';
  if (isPlain(source)) return `<p>${escapeText(source)}</p>`;
  return page.outsideContents(() => page.markdown(source));
}

/** The same as one run of text, for places that hold no paragraphs. */
export function phraseHtml(text: string, page: PageContext): string {
  const source = proseMarkdown(text).replaceAll(/\s+/g, ' ');
  return isPlain(source) ? escapeText(source) : page.inlineMarkdown(source);
}

function isPlain(source: string): boolean {
  return !/[\\`*_[\]<>&~!"'#|:\n.+-]/.test(source) && !/^\d/.test(source);
}

const replacements: Record<string, string> = {
  br: '\\\n',
  p: '\n\n',
  div: '\n\n',
  ul: '\n\n',
  ol: '\n\n',
  li: '\n- ',
  code: '`',
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
};

export function proseMarkdown(text: string): string {
  const cut = text.length > maximumLength ? `${text.slice(0, maximumLength)} …` : text;
  if (!cut.includes('<')) return cut.trim();
  return outsideCode(cut, (part) =>
    part
      .replaceAll(/<!--[^>]{0,2000}-->/g, '')
      .replaceAll(/<a\s[^<>]{0,500}?href="([^"<>]{1,1000})"[^<>]{0,500}>([^<>]{1,1000})<\/a>/gi, '[$2]($1)')
      .replaceAll(/<\/?([a-z][a-z0-9]{0,15})(?:\s[^<>]{0,500})?\/?>/gi, (whole, name: string) => {
        const known = name.toLowerCase();
        if (known === 'li' && whole.startsWith('</')) return '';
        return Object.hasOwn(replacements, known) ? (replacements[known] ?? '') : '';
      }),
  ).trim();
}

/** Code keeps its angle brackets. */
function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}
