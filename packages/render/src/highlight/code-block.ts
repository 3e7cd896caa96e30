import type { FilePlace } from '../model/diagnostic.ts';
import { attributes, element, escapeText, textOfHtml } from '../text/html.ts';
import { highlight } from './highlight.ts';
import { isShell } from './languages.ts';
import { type Note, takeNotes, withoutTwoslash } from './notes.ts';
import { type FenceMeta, readFenceMeta } from './meta.ts';
import { hooked, hookedIcon, part } from '../model/style-hooks.ts';

export interface CodeBlock {
  language: string;
  /** The rest of the fence line after the language: title, highlighted lines, flags. */
  meta: string;
  code: string;
  place?: FilePlace | undefined;
}

/** Longer blocks get a button that expands them. */
const foldedLines = 20;

export function codeBlockHtml(block: CodeBlock, icon: (name: string | undefined) => string): string {
  const { language: written, meta } = readOpening(block);
  const { language, code, notes } = takeNotes(
    meta.twoslash ? withoutTwoslash(block.code) : block.code,
    written,
  );
  const content = joinLines(finishedHtml(highlight(code, language), code, language, meta), meta, notes);
  const focused = meta.focused.size > 0 || [...notes.values()].includes('focus');
  const classes = [
    hooked('dy-code', 'code-block'),
    meta.wrap && 'dy-code-wrap',
    meta.lineNumbers && 'dy-code-numbered',
    meta.expandable && code.split('\n').length > foldedLines && 'dy-code-expandable',
    focused && 'dy-code-focused',
  ];
  const head = meta.title
    ? element(
        'figcaption',
        { class: 'dy-code-title', ...part('code-block-header') },
        hookedIcon(icon(meta.icon), 'code-block-icon') + escapeText(meta.title),
      )
    : '';
  const values = {
    class: classes.filter(Boolean).join(' '),
    'data-language': language || undefined,
    'data-no-copy': meta.noCopy,
  };
  const label = meta.title || (language ? `${language} code` : 'Code');
  return (
    `<figure${attributes(values)}>${head}<pre${attributes({ tabindex: 0, 'aria-label': label })}>` +
    `<code>${content}</code></pre></figure>`
  );
}

/**
 * The first word of a fence is its language unless it is an option: a block that is only `nocopy` is text.
 */
function readOpening(block: CodeBlock): { language: string; meta: FenceMeta } {
  const flag = /^(?:nocopy|wrap|lines|expandable|showlinenumbers|\[expandable\]|[{/].*|\w+=.*)$/i.test(
    block.language,
  );
  const meta = readFenceMeta(flag ? `${block.language} ${block.meta}` : block.meta);
  const language = meta.language ?? (flag ? '' : block.language);
  return { language: language.toLowerCase(), meta };
}

function finishedHtml(html: string, code: string, language: string, meta: FenceMeta): string {
  const prompts =
    isShell(language) && /^(?:\$|>|PS [^>]*>) \S/m.test(code) && /^\$ |^PS /.test(code.trimStart());
  if (meta.marked.length === 0 && !prompts) return html;
  const lines = html.split('\n').map((line) => markMatches(line, meta.marked));
  return (prompts ? lines.map(withPrompt) : lines).join('\n');
}

/** The prompt is shown but not copied. The dollar may be inside a colored span. */
function withPrompt(line: string): string {
  return line.replace(/^(?:<span class="dy-\w">)?\$(?:<\/span>)? /, '<span class="dy-code-prompt">$ </span>');
}

/** Bounds the cost of the patterns. */
const maxMarkedLineCharacters = 1000;

function markMatches(line: string, patterns: readonly RegExp[]): string {
  if (patterns.length === 0) return line;
  const text = textOfHtml(line);
  if (text.length > maxMarkedLineCharacters) return line;
  const isMarked = new Uint8Array(text.length);
  for (const pattern of patterns)
    for (const match of text.matchAll(pattern)) isMarked.fill(1, match.index, match.index + match[0].length);
  if (!isMarked.includes(1)) return line;
  let at = 0;
  return line.replaceAll(/(<[^>]*>)|[^<]+/g, (piece, tag?: string) => {
    if (tag !== undefined) return tag;
    const plain = textOfHtml(piece);
    const start = at;
    at += plain.length;
    return runsOf(plain, isMarked.subarray(start, at));
  });
}

function runsOf(text: string, isMarked: Uint8Array): string {
  let html = '';
  for (let start = 0, end = 0; start < text.length; start = end) {
    while (end < text.length && isMarked[end] === isMarked[start]) end++;
    const run = escapeText(text.slice(start, end));
    html += isMarked[start] ? `<mark>${run}</mark>` : run;
  }
  return html;
}

const noteClasses: Record<Note, string> = {
  added: 'dy-line-added',
  removed: 'dy-line-removed',
  highlight: 'dy-line-marked',
  focus: 'dy-line-focused',
  error: 'dy-line-error',
  warning: 'dy-line-warning',
};

/** Lines get an element only where something depends on it, which keeps plain blocks small. */
function joinLines(html: string, meta: FenceMeta, notes: ReadonlyMap<number, Note>): string {
  const plain =
    meta.highlighted.size === 0 && meta.focused.size === 0 && notes.size === 0 && !meta.lineNumbers;
  if (plain) return html;
  return html
    .split('\n')
    .map((line, index) => {
      const note = notes.get(index + 1);
      const classes = [
        'dy-line',
        meta.highlighted.has(index + 1) && 'dy-line-marked',
        meta.focused.has(index + 1) && 'dy-line-focused',
        note && noteClasses[note],
      ];
      const number = meta.lineNumbers && meta.start !== 1 ? index + meta.start : undefined;
      return `<span${attributes({ class: classes.filter(Boolean).join(' '), 'data-line': number })}>${line}</span>`;
    })
    .join('\n');
}
