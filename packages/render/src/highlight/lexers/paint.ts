/**
 * What every lexer writes to, and the HTML that comes of it: one colour for each character of the code at hand. A lexer
 * may paint over what it painted before, so strings with code in them need no tree of tokens.
 */

/** In the order of `classNames`. The classes are those that the stylesheet and the palettes know. */
export const color = {
  plain: 0,
  comment: 1,
  keyword: 2,
  string: 3,
  regex: 4,
  number: 5,
  function: 6,
  type: 7,
  property: 8,
  tag: 9,
  title: 10,
  variable: 11,
  inserted: 12,
  deleted: 13,
  operator: 14,
} as const;

const classNames = ['', 'c', 'k', 's', 'r', 'n', 'f', 't', 'a', 'g', 'h', 'v', 'i', 'd', 'o'];
const openings = classNames.map((name) => (name ? `<span class="t-${name}">` : ''));
/** From one colour to the next without a character between them. */
const changes = openings.map((opening) => `</span>${opening}`);

/** Colours the characters of `code` from `from` up to `to`. What is not painted stays plain. */
export type Lexer = (code: string, from: number, to: number) => void;

/** Longer code is left uncoloured. */
export const maximumCharacters = 100_000;
const colors = new Uint8Array(maximumCharacters + 1);

export function paint(from: number, to: number, with_: number): void {
  for (let at = from; at < to; at++) colors[at] = with_;
}

/** The code as HTML in which every line is balanced. */
export function highlightedHtml(code: string, lexer: Lexer): string {
  colors.fill(0, 0, code.length + 1);
  lexer(code, 0, code.length);
  return htmlOfPainted(code);
}

/** One element for neighbours of one colour, also across blanks: nobody sees what colour those have. */
function htmlOfPainted(code: string): string {
  const end = code.length;
  let html = '';
  let open = 0;
  let from = 0;
  let special = false;
  for (let at = 0; at < end; at++) {
    const character = code.charCodeAt(at);
    const wanted = colors[at] as number;
    if (character === 38 || character === 60 || character === 62) {
      if (wanted === open) special = true;
    } else if (character === 10) {
      html += special ? escaped(code, from, at) : code.slice(from, at);
      html += open === 0 ? '\n' : '</span>\n';
      open = 0;
      from = at + 1;
      special = false;
      continue;
    } else if (wanted === 0 && (character === 32 || character === 9)) {
      let next = at + 1;
      while (next < end && colors[next] === 0 && isBlank(code.charCodeAt(next))) next++;
      if (open === 0 || (colors[next] === open && code.charCodeAt(next) !== 10)) {
        at = next - 1;
        continue;
      }
    }
    if (wanted === open) continue;
    html += special ? escaped(code, from, at) : code.slice(from, at);
    html += open === 0 ? (openings[wanted] as string) : (changes[wanted] as string);
    open = wanted;
    from = at;
    special = character === 38 || character === 60 || character === 62;
  }
  html += special ? escaped(code, from, end) : code.slice(from, end);
  return open === 0 ? html : `${html}</span>`;
}

function isBlank(character: number): boolean {
  return character === 32 || character === 9;
}

function escaped(code: string, from: number, to: number): string {
  let html = '';
  let done = from;
  for (let at = from; at < to; at++) {
    const character = code.charCodeAt(at);
    if (character !== 38 && character !== 60 && character !== 62) continue;
    html += code.slice(done, at) + (character === 38 ? '&amp;' : character === 60 ? '&lt;' : '&gt;');
    done = at + 1;
  }
  return html + code.slice(done, to);
}
