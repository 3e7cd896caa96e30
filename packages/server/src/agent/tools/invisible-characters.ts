/**
 * Shows invisible characters (zero-width, bidirectional, tags, controls), which can carry instructions for a
 * model, as `⟦U+200B⟧`. A marker in the text to replace stands for the character.
 */

/** The first group matches joiners in emoji such as 👩‍💻, which are not hidden. */
const hidden =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /(?<joiner>(?<=[\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}\ufe0f])\u200d(?=\p{Extended_Pictographic}))|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
const marker = /⟦U\+([0-9A-F]{4,6})⟧/g;

export function withVisibleMarkers(text: string): string {
  return text.replaceAll(hidden, (character, joiner: string | undefined) =>
    joiner === undefined ? `⟦${nameOf(character)}⟧` : character,
  );
}

export function withoutMarkers(text: string): string {
  return text.replaceAll(marker, (whole, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Without duplicates. Line endings and a leading byte order mark do not count. */
export function hiddenCharacters(text: string): string[] {
  const plain = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const found = [...plain.matchAll(hidden)].filter((match) => match.groups?.['joiner'] === undefined);
  return [...new Set(found.map(([character]) => character))];
}

export function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
