/** Notes that authors leave inside code about its lines: `[!code ++]` and its kin, and the signs of `diff-js`. */
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
const maximumCount = 1000;

/** The code without its notes, and what they say by line, counted from one. */
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
    /** A note with a line to itself is about the next ones. */
    const alone = found !== null && rest.trim() === '';
    const first = lines.length + 1;
    if (!alone) lines.push(rest);
    if (!found || !kind) continue;
    const count = Math.min(Number(found[2] ?? 1), maximumCount);
    for (let next = 0; next < count; next++) notes.set(first + next, kind);
  }
  return { code: lines.join('\n'), language, notes };
}

/** In `diff-js` the first character of a line is its sign, and the rest is code. */
function takeSigns(code: string): { code: string; notes: Map<number, Note> } {
  const notes = new Map<number, Note>();
  const lines = code.split('\n').map((line, index) => {
    if (line.startsWith('+')) notes.set(index + 1, 'added');
    else if (line.startsWith('-')) notes.set(index + 1, 'removed');
    return line.replace(/^[+ -]/, '');
  });
  return { code: lines.join('\n'), notes };
}

/** Questions to the type checker and what is cut off above are not part of the example. */
export function withoutTwoslash(code: string): string {
  const cut = code.lastIndexOf('// ---cut---');
  const shown = cut < 0 ? code : code.slice(code.indexOf('\n', cut) + 1);
  return shown
    .split('\n')
    .filter((line) => !/^\s*\/\/\s*(?:\^\?|\^\||@\w+)/.test(line))
    .join('\n');
}
