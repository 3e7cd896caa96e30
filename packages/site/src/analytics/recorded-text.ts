/** Limits texts of readers, and drops search texts that may identify a person or hold a secret. */

const maxQueryCharacters = 100;
const maxCommentCharacters = 2000;

/** Undefined for a text that must not be stored. */
export function recordedQuery(text: string): string | undefined {
  const plain = withoutControls(text).trim().toLowerCase();
  if (plain === '' || plain.includes('@') || /\d{7}/.test(plain.replaceAll(/[\s().+-]/g, '')))
    return undefined;
  if (plain.split(' ').some((word) => word.length >= 16 && /\d/.test(word) && /\p{L}/u.test(word)))
    return undefined;
  return plain.slice(0, maxQueryCharacters).trimEnd();
}

export function recordedComment(text: string): string | null {
  const plain = text
    .split(/\r?\n/)
    .map((line) => withoutControls(line).trimEnd())
    .join('\n')
    .trim()
    .slice(0, maxCommentCharacters);
  return plain === '' ? null : plain;
}

/** Each control character or run of spaces becomes one space. */
function withoutControls(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/ {2,}/g, ' ');
}
