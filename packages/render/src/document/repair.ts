/**
 * Tolerates pages that are almost MDX. `prepare` applies to every page; `repairs` are tried in order when a
 * page does not parse. All of them keep code and line numbers.
 */
import { directivesToElements } from './directives.ts';
import type { MarkupError } from './parser.ts';
import { rewriteProse } from '../text/prose.ts';

/** `<h2>Title {#id}</h2>` on one line: the id becomes an attribute. */
const elementHeading = /<(h[1-6])((?:\s[^<>\n]{0,200})?)>([^\n{}]{1,300})\{#([^\s{}"]{1,100})\}\s*<\/\1>/g;

/**
 * `## Title {#id}` names a heading in the format but is not MDX: it becomes a comment that the heading step
 * reads. `{{#name}}` of template languages stays.
 */
export function prepare(source: string): string {
  const text = boldBesideIdeographs(directivesToElements(source));
  if (!text.includes('{#')) return text;
  return rewriteProse(text, (prose) =>
    prose
      .replaceAll(elementHeading, '<$1$2 id="$4">$3</$1>')
      .replaceAll(/(?<![{$\\])\{#([^\s{}*/][^{}*/\n]*)\}(?!\})/g, '{/*#$1*/}'),
  );
}

const ideograph = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]`;
/** Punctuation directly inside the asterisks and a letter directly outside. */
const besideIdeographs = new RegExp(
  String.raw`(?<=${ideograph})\*\*(?=[\p{P}\p{S}])([^*\n]+)\*\*(?!\*)|(?<!\*)\*\*([^*\n]*[\p{P}\p{S}])\*\*(?=${ideograph})`,
  'gu',
);

/**
 * `**「強調」**です` is bold to its author but not in CommonMark, which expects spaces between words. It becomes an
 * element.
 */
function boldBesideIdeographs(source: string): string {
  if (!source.includes('**') || !/[\u3040-\u9fff\uac00-\ud7af]/.test(source)) return source;
  return rewriteProse(source, (prose) =>
    prose.replaceAll(
      besideIdeographs,
      (_whole, first?: string, second?: string) => `<strong>${first ?? second ?? ''}</strong>`,
    ),
  );
}

export interface Repair {
  name: string;
  apply: (source: string, error: MarkupError) => string;
}

const voidTags = 'area|br|col|hr|img|input|source|track|wbr';

export const repairs: readonly Repair[] = [
  {
    name: 'HTML comments were removed',
    apply: (source) => rewriteProse(source, withoutComments),
  },
  {
    name: 'tags such as <br> were closed',
    apply: (source) =>
      rewriteProse(source, (prose) =>
        prose
          .replaceAll(
            new RegExp(`<(${voidTags})\\b((?:[^<>{}"']|"[^"]*"|'[^']*'|\\{[^{}]*\\})*?)(?<!/)>`, 'gi'),
            '<$1$2/>',
          )
          .replaceAll(new RegExp(`</(?:${voidTags})\\s*>`, 'gi'), ''),
      ),
  },
  {
    name: 'addresses in angle brackets were turned into links',
    apply: (source) =>
      rewriteProse(source, (prose) =>
        prose
          .replaceAll(/<(https?:\/\/[^\s<>]+)>/g, '[$1]($1)')
          .replaceAll(/<([\w.+-]+@[\w-]+(?:\.[\w-]+)+)>/g, '[$1](mailto:$1)'),
      ),
  },
  {
    name: 'a "<" that opens no tag was treated as text',
    apply: (source) => rewriteProse(source, (prose) => prose.replaceAll(/<(?![A-Za-z/_$>!])/g, '&lt;')),
  },
  { name: 'braces without an expression were treated as text', apply: escapeBraces },
  { name: 'a placeholder in angle brackets was treated as text', apply: escapePlaceholder },
  { name: 'an unclosed element was closed', apply: closeElement },
];

/** Not a regular expression, which would be quadratic for unterminated comments. */
function withoutComments(prose: string): string {
  let kept = '';
  let at = 0;
  for (let start = prose.indexOf('<!--'); start >= 0; start = prose.indexOf('<!--', at)) {
    const end = prose.indexOf('-->', start + 4);
    if (end < 0) break;
    const lines = prose.slice(start, end).split('\n').length - 1;
    kept += prose.slice(at, start) + '\n'.repeat(lines);
    at = end + 3;
  }
  return kept + prose.slice(at);
}

function escapeBraces(source: string, error: MarkupError): string {
  if (!/expression|acorn|brace/i.test(error.message) || !error.place) return source;
  const lines = source.split('\n');
  const line = lines[error.place.line - 1];
  if (line === undefined || /^(?:import|export)\b/.test(line)) return source;
  const open = line.lastIndexOf('{', error.place.column);
  if (open < 0 || line.slice(open + 1).startsWith('/*')) return source;
  const close = line.indexOf('}', open);
  const escaped =
    close < 0
      ? `${line.slice(0, open)}&#123;${line.slice(open + 1)}`
      : `${line.slice(0, open)}&#123;${line.slice(open + 1, close)}&#125;${line.slice(close + 1)}`;
  lines[error.place.line - 1] = escaped;
  return lines.join('\n');
}

/** `<port>` and `<YOUR_API_KEY>` are placeholders: tags that are never closed and name no known element. */
function escapePlaceholder(source: string, error: MarkupError): string {
  const name = /closing tag for `<([\w.-]+)[^`]*>`/.exec(error.message)?.[1];
  const position = /closing tag for `[^`]*` \((\d+):(\d+)/.exec(error.message);
  const place = position ? { line: Number(position[1]), column: Number(position[2]) } : error.place;
  if (!name || !place || knownElement.test(name)) return source;
  const lines = source.split('\n');
  const line = lines[place.line - 1];
  if (line?.[place.column - 1] !== '<') return source;
  lines[place.line - 1] = `${line.slice(0, place.column - 1)}&lt;${line.slice(place.column)}`;
  return lines.join('\n');
}

/**
 * Closes an open block before the end tag that the parser reports, or at the end of the page. A tag left open
 * within a paragraph or a list is ambiguous and not closed.
 */
function closeElement(source: string, error: MarkupError): string {
  const [, name, opened] = /closing tag for `<([\w.-]+)[^`]*>` \((\d+):[\d:-]+\)$/.exec(error.message) ?? [];
  if (!name) return source;
  const lines = source.split('\n');
  if (!error.message.startsWith('Unexpected closing tag')) {
    const end = holdsOnlyCode.test(name) ? endOfCode(lines, Number(opened)) : undefined;
    if (end === undefined) return `${source}\n\n</${name}>\n`;
    lines[end] = `</${name}>`;
    return lines.join('\n');
  }
  const { line, column } = error.place ?? { line: 0, column: 0 };
  const text = lines[line - 1];
  if (!text?.startsWith('</', column - 1)) return source;
  lines[line - 1] = `${text.slice(0, column - 1)}</${name}>${text.slice(column - 1)}`;
  return lines.join('\n');
}

/** Text inside these is not shown, so they end after their code blocks. */
const holdsOnlyCode = /^(?:CodeGroup|RequestExample|ResponseExample)$/;

/** The empty line between the fences that begin at a line and the first text after them. */
function endOfCode(lines: readonly string[], start: number): number | undefined {
  let fence = '';
  for (let index = start; index < lines.length; index++) {
    const line = (lines[index] ?? '').trim();
    const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0] ?? '';
    if (fence) fence = line === mark && mark.startsWith(fence) ? '' : fence;
    else if (mark) fence = mark;
    else if (line !== '') return lines[index - 1]?.trim() === '' ? index - 1 : undefined;
  }
  return undefined;
}

/** Elements whose missing end tag is repaired; others are placeholders. */
const knownElement =
  /^(?:a|b|code|details|div|em|figure|h[1-6]|i|iframe|kbd|li|ol|p|pre|section|span|strong|sub|summary|sup|svg|table|tbody|td|th|thead|tr|ul|video|[A-Z][a-z]\w*(?:\.\w+)?)$/;
