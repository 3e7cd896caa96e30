/** What a code unit is to the words of a text, as far as that can be told without looking at the text around it. */
export const kinds = {
  between: 0,
  /** A Latin letter or a digit. */
  letter: 1,
  underscore: 2,
  /** Holds two words together, as in `user.name`. */
  joint: 3,
  /** As in C++ and C#. */
  sharp: 4,
  /** Of a script that is written without spaces. */
  unspaced: 5,
  /** For the search script to judge, with the word around it. */
  foreign: 6,
} as const;

/** Of every unit, so that no text asks for anything that V8 has not seen when it compiles whoever asks. */
const kindOfUnit = new Uint8Array(1 << 16).fill(kinds.foreign);

const latinEnd = 0x2_50;
for (let unit = 0; unit < latinEnd; unit++) {
  const sign = String.fromCharCode(unit);
  if (/[\p{L}\p{N}]/u.test(sign)) kindOfUnit[unit] = kinds.letter;
  else if (sign === '_') kindOfUnit[unit] = kinds.underscore;
  else if (/['.\-/:@]/.test(sign)) kindOfUnit[unit] = kinds.joint;
  else kindOfUnit[unit] = /[+#]/.test(sign) ? kinds.sharp : kinds.between;
}

function isOf(kind: number, first: number, last = first): void {
  kindOfUnit.fill(kind, first, last + 1);
}

// Dashes, quotes, arrows and pictures.
isOf(kinds.between, 0x20_10, 0x20_3f);
isOf(kinds.joint, 0x20_19);
isOf(kinds.between, 0x21_90, 0x23_ff);
isOf(kinds.between, 0x25_00, 0x27_75);
// Chinese, Japanese and Korean: signs, and characters that stay as they are when folded.
isOf(kinds.between, 0x30_00, 0x30_04);
isOf(kinds.between, 0x30_08, 0x30_20);
isOf(kinds.unspaced, 0x30_41, 0x30_96);
isOf(kinds.unspaced, 0x30_a1, 0x30_fa);
isOf(kinds.between, 0x30_fb);
isOf(kinds.unspaced, 0x30_fc);
isOf(kinds.unspaced, 0x4e_00, 0x9f_ff);
isOf(kinds.unspaced, 0xac_00, 0xd7_a3);
isOf(kinds.between, 0xff_01, 0xff_0f);
isOf(kinds.between, 0xff_1a, 0xff_20);
isOf(kinds.between, 0xff_3b, 0xff_40);
isOf(kinds.between, 0xff_5b, 0xff_65);

export function kindOf(unit: number): number {
  return kindOfUnit[unit] as number;
}

/** The end of a name such as C++ or C# that may begin here, or 0. */
export function sharpEnd(units: Uint16Array, start: number, to: number): number {
  const first = (units[start] as number) | 32;
  if (first < 97 || first > 122) return 0;
  if (units[start + 1] === 35) return start + 2;
  return start + 2 < to && units[start + 2] === 43 ? start + 3 : 0;
}

/** Whether a letter belongs to the characters without spaces before it: then it begins no such name. */
export function isSharpInside(units: Uint16Array, start: number, from: number): boolean {
  let before = start - 1;
  if (before >= from && kindOf(units[before] as number) === kinds.joint) before--;
  while (before >= from && kindOf(units[before] as number) === kinds.underscore) before--;
  return before >= from && kindOf(units[before] as number) === kinds.unspaced;
}

export function stringOf(units: Uint16Array, from: number, to: number): string {
  let text = '';
  /** More arguments than this at once may not fit. Spread, they would be gone through one by one, which takes twice as long. */
  for (let at = from; at < to; at += 4096)
    text += Reflect.apply(String.fromCharCode, undefined, units.subarray(at, Math.min(to, at + 4096)));
  return text;
}
