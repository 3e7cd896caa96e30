/**
 * Descriptions of a specification as HTML. They are Markdown, but many are written with a few HTML tags, which become
 * the Markdown they stand for; all other tags are dropped and their text kept.
 */
import type { PageContext } from '../../components/contract.ts';
import { escapeText, textOfHtml } from '../../text/html.ts';

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
  if (!/[\\`*_[\]<>&~!"'#|:\n.+-]/.test(source)) return !/^\d/.test(source);
  return !unusualInSentence.test(source);
}

/**
 * Whatever Markdown could mean something by, and letters that are written from right to left. Sentences without any of
 * it are three quarters of the other descriptions, and a parser takes 0.1 ms for each.
 */
const unusualInSentence =
  /[\\`*_[\]<>~|$@{}^="'\u0000-\u001F\u007F-\u009F\u0590-\u08FF\u2028\u2029\uD800-\uDFFF\uFB1D-\uFDFF\uFE70-\uFEFC]|^[-+#:\d]|--|\.\.|:(?=\S)|&(?=[#\w])|www\./i;

/** Tags and the Markdown they stand for; those with an empty text are dropped, and their content stays. */
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

/** What is no tag of HTML, such as `<token>`, is meant as it stands. */
function proseMarkdown(text: string): string {
  const cut = text.length > maximumLength ? `${text.slice(0, maximumLength)} …` : text;
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

/** Code keeps its angle brackets. */
function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(```[\s\S]*?```|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}
