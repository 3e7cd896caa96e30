/** Selects the parts of a font that a site needs, by a typical letter of each writing system. */

const letterOfScript: Readonly<Record<string, string>> = {
  Arab: 'ع',
  Armn: 'ա',
  Beng: 'ক',
  Cyrl: 'я',
  Deva: 'क',
  Geor: 'ა',
  Grek: 'ω',
  Hebr: 'א',
  Taml: 'க',
  Thai: 'ก',
};

export const latinLetter = 'a';
const extendedLatinLetter = 'ł';

/** Languages that the basic Latin part covers. */
const basicLatin = new Set('af ca da de en es eu fi fr gl id is it ms nb nl nn no pt sv sw'.split(' '));

/** Latin letters are always needed: code, names and addresses use them in every language. */
export function neededLetters(languages: Iterable<string>): string[] {
  return [...new Set([latinLetter, ...[...languages].flatMap(lettersOf)])].toSorted();
}

function lettersOf(language: string): string[] {
  const { language: code, script } = likelyLocale(language);
  if (code === 'vi') return [extendedLatinLetter, 'ế'];
  if (script === 'Latn') return basicLatin.has(code) ? [] : [extendedLatinLetter];
  const letter = letterOfScript[script];
  return letter === undefined ? [] : [letter];
}

function likelyLocale(language: string): { language: string; script: string } {
  try {
    const { language: code, script = 'Latn' } = new Intl.Locale(language).maximize();
    return { language: code, script };
  } catch {
    return { language: 'en', script: 'Latn' };
  }
}

/** Whether a `unicode-range` contains a letter. A font without a range contains all letters. */
export function coversLetter(range: string | undefined, letter: string): boolean {
  if (range === undefined) return true;
  const code = letter.codePointAt(0) ?? 0;
  return range.split(',').some((part) => {
    const [first = '', last = first] = part.trim().slice('U+'.length).split('-');
    const from = Number.parseInt(first.replaceAll('?', '0'), 16);
    return from <= code && code <= Number.parseInt(last.replaceAll('?', 'F'), 16);
  });
}

export function coversAny(range: string | undefined, letters: readonly string[]): boolean {
  return letters.some((letter) => coversLetter(range, letter));
}
