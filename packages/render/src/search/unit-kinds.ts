/** The word-boundary class of each UTF-16 code unit, independent of context. */
export const kinds = {
  between: 0,
  /** A Latin letter or a digit. */
  letter: 1,
  underscore: 2,
  /** Joins two words, as in `user.name`. */
  joint: 3,
  /** As in C++ and C#. */
  sharp: 4,
  /** Part of a script without spaces between words. */
  unspaced: 5,
  /** Decided by the search script, which sees the whole word. */
  foreign: 6,
} as const;

export const kindOfUnit = new Uint8Array(1 << 16).fill(kinds.foreign);

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

// Dashes, quotes, arrows and symbols.
isOf(kinds.between, 0x20_10, 0x20_3f);
isOf(kinds.joint, 0x20_19);
isOf(kinds.between, 0x21_90, 0x23_ff);
isOf(kinds.between, 0x25_00, 0x27_75);
// Chinese, Japanese and Korean: punctuation, and characters that case folding does not change.
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
