/** Annotations of lines inside code: `[!code ++]` and similar, and the signs of `diff-js`. */
export type Note = 'added' | 'removed' | 'highlight' | 'focus' | 'error' | 'warning';

const kinds: Record<string, Note> = {
  '++': 'added',
  '--': 'removed',
  highlight: 'highlight',
  hl: 'highlight',
  focus: 'focus',
  error: 'error',
  warning: 'warning',
};

const note =
  /^\[!code (\+\+|--|highlight|hl|focus|error|warning)(?::(\d{1,6}))?\]\s{0,20}(?:\*\/\}|\*\/|-->)?\s{0,20}$/;
const commentSign = /(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*|"|')$/;
const maxCount = 1000;

/** Returns the code without annotations, and the annotations by line number from one. */
export function takeNotes(
  code: string,
  language: string,
): { code: string; language: string; notes: Map<number, Note> } {
  const signed = /^diff[-:](\w+)$/.exec(language)?.[1];
  if (signed) return { ...takeSigns(code), language: signed };
  const notes = new Map<number, Note>();
  if (!code.includes('[!code')) return { code, language, notes };
  const lines: string[] = [];
  for (const line of code.split('\n')) {
    const at = line.lastIndexOf('[!code ');
    const found = at < 0 ? null : note.exec(line.slice(at, at + 100));
    const rest = found ? line.slice(0, at).trimEnd().replace(commentSign, '').trimEnd() : line;
    const kind = found && kinds[found[1] ?? ''];
    /** An annotation alone on its line applies to the following lines. */
    const alone = found !== null && rest.trim() === '';
    const first = lines.length + 1;
    if (!alone) lines.push(rest);
    if (!found || !kind) continue;
    const count = Math.min(Number(found[2] ?? 1), maxCount);
    for (let next = 0; next < count; next++) notes.set(first + next, kind);
  }
  return { code: lines.join('\n'), language, notes };
}

/** In `diff-js` the first character of a line is its sign. */
function takeSigns(code: string): { code: string; notes: Map<number, Note> } {
  const notes = new Map<number, Note>();
  const lines = code.split('\n').map((line, index) => {
    if (line.startsWith('+')) notes.set(index + 1, 'added');
    else if (line.startsWith('-')) notes.set(index + 1, 'removed');
    return line.replace(/^[+ -]/, '');
  });
  return { code: lines.join('\n'), notes };
}

export function withoutTwoslash(code: string): string {
  const cut = code.lastIndexOf('// ---cut---');
  const shown = cut < 0 ? code : code.slice(code.indexOf('\n', cut) + 1);
  return shown
    .split('\n')
    .filter((line) => !/^\s*\/\/\s*(?:\^\?|\^\||@\w+)/.test(line))
    .join('\n');
}
