/** The HTML of one code block: title bar, coloured lines, marks for highlighted, focused, added and removed lines. */
import type { FilePlace } from '../check/diagnostic.ts';
import { attributes, element, escapeText } from '../html.ts';
import { highlightLines } from './highlight.ts';
import { type FenceMeta, readFenceMeta } from './meta.ts';

export interface CodeBlock {
  language: string;
  /** What follows the language on the fence line: title, highlighted lines, flags. */
  meta: string;
  code: string;
  place?: FilePlace | undefined;
}

export function codeBlockHtml(block: CodeBlock, icon: (name: string | undefined) => string): string {
  const meta = readFenceMeta(block.meta);
  const language = block.language.toLowerCase();
  const { code, marks } = takeMarks(block.code);
  const lines = highlightLines(code, language);
  const classes = [
    'code',
    meta.wrap && 'code-wrap',
    meta.lineNumbers && 'code-numbered',
    meta.expandable && lines.length > 20 && 'code-expandable',
    meta.focused.size > 0 && 'code-focused',
  ];
  const head = meta.title
    ? element('figcaption', { class: 'code-title' }, icon(meta.icon) + escapeText(meta.title))
    : '';
  const label = meta.title ?? (language ? `${language} code` : 'Code');
  return (
    `<figure${attributes({ class: classes.filter(Boolean).join(' '), 'data-language': language || undefined, 'data-no-copy': meta.noCopy })}>` +
    `${head}<pre${attributes({ tabindex: 0, 'aria-label': label })}><code>${joinLines(lines, meta, marks)}</code></pre></figure>`
  );
}

type Mark = 'added' | 'removed';

/** `[!code ++]` and `[!code --]` at the end of a line mark it, and the next ones with `:n`; the note itself goes. */
function takeMarks(code: string): { code: string; marks: Map<number, Mark> } {
  const marks = new Map<number, Mark>();
  if (!code.includes('[!code')) return { code, marks };
  const lines = code.split('\n').map((line, index) => {
    const note = /\s*(?:\/\/|#|--|;|\/\*|<!--)?\s*\[!code (\+\+|--)(?::(\d+))?\]\s*(?:\*\/|-->)?\s*$/.exec(
      line,
    );
    if (!note) return line;
    const count = Math.min(Number(note[2] ?? 1), 1000);
    for (let next = 0; next < count; next++)
      marks.set(index + 1 + next, note[1] === '++' ? 'added' : 'removed');
    return line.slice(0, note.index);
  });
  return { code: lines.join('\n'), marks };
}

/** Lines get an element of their own only where something depends on it; plain blocks stay small. */
function joinLines(lines: string[], meta: FenceMeta, marks: Map<number, Mark>): string {
  const plain =
    meta.highlighted.size === 0 && meta.focused.size === 0 && marks.size === 0 && !meta.lineNumbers;
  if (plain) return lines.join('\n');
  return lines
    .map((line, index) => {
      const mark = marks.get(index + 1);
      const classes = [
        'line',
        meta.highlighted.has(index + 1) && 'line-marked',
        meta.focused.has(index + 1) && 'line-focused',
        mark && `line-${mark}`,
      ];
      return `<span class="${classes.filter(Boolean).join(' ')}">${line}</span>`;
    })
    .join('\n');
}
