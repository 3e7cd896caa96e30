/**
 * Renders descriptions as HTML. Common HTML tags become Markdown; other tags are dropped and their text kept.
 */
import type { PageContext } from '../../components/contract.ts';
import { escapeText, textOfHtml } from '../../text/html.ts';

const maxLength = 50_000;

export function proseHtml(text: string, page: PageContext): string {
  const source = proseMarkdown(text);
  if (source === '') return '';
  if (isPlain(source)) return `<p>${escapeText(source)}</p>`;
  return page.outsideContents(() => page.markdown(source));
}

/** Inline, for places that cannot contain paragraphs. */
export function phraseHtml(text: string, page: PageContext): string {
  const source = proseMarkdown(text).replaceAll(/\s+/g, ' ');
  return isPlain(source) ? escapeText(source) : page.inlineMarkdown(source);
}

function isPlain(source: string): boolean {
  if (!/[\\`*_[\]<>&~!"'#|:\n.+-]/.test(source)) return !/^\d/.test(source);
  return !unusualInSentence.test(source);
}

/**
 * Characters with a meaning in Markdown, and right-to-left letters. Text without them skips the Markdown
 * parser.
 */
const unusualInSentence =
  /[\\`*_[\]<>~|$@{}^="'\u0000-\u001F\u007F-\u009F\u0590-\u08FF\u2028\u2029\uD800-\uDFFF\uFB1D-\uFDFF\uFE70-\uFEFC]|^[-+#:\d]|--|\.\.|:(?=\S)|&(?=[#\w])|www\./i;

/** Tags and their Markdown equivalents; an empty value drops the tag and keeps its content. */
const replacements = new Map<string, string>([
  ['br', '\\\n'],
  ['li', '\n- '],
  ['code', '`'],
  ...['p', 'div', 'ul', 'ol', 'table', 'tr', 'blockquote', 'section'].map((name) => [name, '\n\n'] as const),
  ...['b', 'strong'].map((name) => [name, '**'] as const),
  ...['i', 'em'].map((name) => [name, '*'] as const),
  ...'a abbr aside center details dl dd dt font h1 h2 h3 h4 h5 h6 hr img input kbd label mark pre s samp script small span style sub summary sup svg tbody td tfoot th thead u var video'
    .split(' ')
    .map((name) => [name, ''] as const),
]);

/** Unknown tags such as `<token>` are literal text. */
function proseMarkdown(text: string): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)} …` : text;
  if (!cut.includes('<')) return cut.trim();
  return outsideCode(cut, (part) =>
    part
      .replaceAll(/<!--[^>]{0,2000}-->|<(script|style)>[^<]{0,2000}<\/\1>/gi, '')
      .replaceAll(/<code>([^<>`]{1,500})<\/code>/gi, (_whole, code: string) => `\`${textOfHtml(code)}\``)
      .replaceAll(/<a\s[^<>]{0,500}?href="([^"<>]{1,1000})"[^<>]{0,500}>([^<>]{1,1000})<\/a>/gi, '[$2]($1)')
      .replaceAll(/<\/?([a-z][\w.-]{0,40})(?:\s[^<>]{0,500})?\/?>/gi, (whole, name: string) => {
        const known = replacements.get(name.toLowerCase());
        if (known === undefined) return whole.replace('<', '&lt;').replace('>', '&gt;');
        return known === '\n- ' && whole.startsWith('</') ? '' : known;
      }),
  ).trim();
}

function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}
