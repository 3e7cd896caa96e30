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

const latinEnd = 0x2_50;
const latin = new Uint8Array(latinEnd);
for (let unit = 0; unit < latinEnd; unit++) {
  const sign = String.fromCharCode(unit);
  if (/[\p{L}\p{N}]/u.test(sign)) latin[unit] = kinds.letter;
  else if (sign === '_') latin[unit] = kinds.underscore;
  else if (/['.\-/:@]/.test(sign)) latin[unit] = kinds.joint;
  else if (/[+#]/.test(sign)) latin[unit] = kinds.sharp;
}

export function kindOf(unit: number): number {
  return unit < latinEnd ? (latin[unit] as number) : kindBeyond(unit);
}

function kindBeyond(unit: number): number {
  if (unit < 0x20_10) return kinds.foreign;
  /** Dashes, quotes, arrows and pictures. */
  if (unit <= 0x27_75) {
    if (unit <= 0x20_3f) return unit === 0x20_19 ? kinds.joint : kinds.between;
    return (unit >= 0x21_90 && unit <= 0x23_ff) || unit >= 0x25_00 ? kinds.between : kinds.foreign;
  }
  if (unit < 0x30_00) return kinds.foreign;
  /** Chinese, Japanese and Korean: signs first, then characters that stay as they are when folded. */
  if (unit <= 0x30_20) return unit <= 0x30_04 || unit >= 0x30_08 ? kinds.between : kinds.foreign;
  if (unit <= 0x30_fc) {
    if (unit === 0x30_fb) return kinds.between;
    const isKana = (unit >= 0x30_41 && unit <= 0x30_96) || (unit >= 0x30_a1 && unit <= 0x30_fa);
    return isKana || unit === 0x30_fc ? kinds.unspaced : kinds.foreign;
  }
  if (unit >= 0x4e_00 && unit <= 0x9f_ff) return kinds.unspaced;
  if (unit >= 0xac_00 && unit <= 0xd7_a3) return kinds.unspaced;
  if (unit < 0xff_01 || unit > 0xff_65) return kinds.foreign;
  const isSign = unit <= 0xff_0f || (unit >= 0xff_1a && unit <= 0xff_20) || unit >= 0xff_5b;
  return isSign || (unit >= 0xff_3b && unit <= 0xff_40) ? kinds.between : kinds.foreign;
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
  /** More arguments than this at once may not fit. */
  for (let at = from; at < to; at += 4096)
    text += String.fromCharCode(...units.subarray(at, Math.min(to, at + 4096)));
  return text;
}
