/**
 * The paint buffer of all lexers: one color per character of the current code. A lexer may paint over earlier
 * colors, so strings with code in them need no token tree.
 */

/** In the order of `classPieces`. The stylesheet and the palettes define the classes. */
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

/**
 * `<span class="dy-k">` and `</span>` in words of four bytes, which are faster to write than bytes. Only the
 * last word differs between classes; it overlaps the previous one by the hyphen.
 */
const pieces = [0, 4, 8, 12].map((at) => Buffer.from('<span class="dy-').readUInt32LE(at)) as [
  number,
  number,
  number,
  number,
];
const classPieces = Uint32Array.from('_cksrnftaghvido', (name) => Buffer.from(`-${name}">`).readUInt32LE());
const closing = [Buffer.from('</sp').readUInt32LE(), Buffer.from('an>\0').readUInt32LE()] as const;
const entities: Record<number, Buffer> = {
  38: Buffer.from('&amp;'),
  60: Buffer.from('&lt;'),
  62: Buffer.from('&gt;'),
};

export type Lexer = (code: string, from: number, to: number) => void;

export const maxCharacters = 100_000;
/** Padding, so that reading before the start or after the end is no special case. */
const before = '\n\n';
const behind = '\n\n\n\n';
const capacity = before.length + maxCharacters + behind.length;
const colors = new Uint8Array(capacity);
/** The UTF-16 units of the current code; faster to read than the string. */
const characters = new Uint16Array(capacity);
const characterBytes = Buffer.from(characters.buffer);

export function characterAt(at: number): number {
  return characters[at] as number;
}

export function paint(from: number, to: number, with_: number): void {
  for (let at = from; at < to; at++) colors[at] = with_;
}

export function highlightedHtml(code: string, lexer: Lexer): string {
  const padded = before + code + behind;
  const end = before.length + code.length;
  characterBytes.write(padded, 'utf16le');
  colors.fill(0, 0, padded.length);
  lexer(padded, before.length, end);
  return htmlOfPainted(padded, before.length, end);
}

/** A closing tag, an opening tag, and a character written as an entity. */
const maxBytesPerCharacter = 32;
let bytes = Buffer.alloc(0);
let view = new DataView(bytes.buffer);

/**
 * Adjacent spans of one color share an element, also across blanks. Writing bytes is faster than
 * concatenating strings.
 */
function htmlOfPainted(code: string, from: number, end: number): string {
  if (bytes.length < end * maxBytesPerCharacter) {
    bytes = Buffer.alloc(end * maxBytesPerCharacter);
    view = new DataView(bytes.buffer, bytes.byteOffset);
  }
  const html = bytes;
  let length = 0;
  let open = 0;
  let isAscii = true;
  for (let at = from; at < end; at++) {
    const character = characterAt(at);
    let wanted = colors[at] as number;
    if (character === 10) wanted = 0;
    else if (wanted === 0 && open !== 0 && (character === 32 || character === 9)) {
      let next = at + 1;
      while (next < end && colors[next] === 0 && isBlank(characterAt(next))) next++;
      if (colors[next] === open && characterAt(next) !== 10) {
        for (; at < next - 1; at++) html[length++] = characterAt(at);
        wanted = open;
      }
    }
    if (wanted !== open) {
      if (open !== 0) length = writeClosing(length);
      if (wanted !== 0) length = writeOpening(length, wanted);
      open = wanted;
    }
    if (character > 127) {
      isAscii = false;
      const wide = wideEnd(at, end);
      length += html.write(code.slice(at, wide), length);
      at = wide - 1;
    } else if (character === 38 || character === 60 || character === 62)
      length += (entities[character] as Buffer).copy(html, length);
    else html[length++] = character;
  }
  if (open !== 0) length = writeClosing(length);
  return html.toString(isAscii ? 'latin1' : 'utf8', 0, length);
}

function writeOpening(at: number, painted: number): number {
  view.setUint32(at, pieces[0], true);
  view.setUint32(at + 4, pieces[1], true);
  view.setUint32(at + 8, pieces[2], true);
  view.setUint32(at + 12, pieces[3], true);
  view.setUint32(at + 15, classPieces[painted] as number, true);
  return at + 19;
}

/** The next write overwrites the eighth byte. */
function writeClosing(at: number): number {
  view.setUint32(at, closing[0], true);
  view.setUint32(at + 4, closing[1], true);
  return at + 7;
}

/**
 * The end of a run of non-ASCII characters of one color: written together, so that no surrogate pair is
 * split.
 */
function wideEnd(from: number, end: number): number {
  let at = from + 1;
  while (at < end && characterAt(at) > 127 && colors[at] === colors[from]) at++;
  return at;
}

function isBlank(character: number): boolean {
  return character === 32 || character === 9;
}
