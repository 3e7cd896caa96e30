import { char, isCapital, isWord } from './characters.ts';
import { characterAt, color, paint } from './paint.ts';

export function isNamePart(character: number): boolean {
  return isWord(character) || character === char.minus || character === char.dot || character === char.colon;
}

export function nameEnd(from: number, to: number): number {
  let at = from;
  while (at < to && isNamePart(characterAt(at))) at++;
  return at;
}

export function paintTagName(from: number, to: number): void {
  paint(from, to, isCapital(characterAt(from)) ? color.type : color.tag);
}

/** The last closing tag of each element. An element that is never closed has no content. */
export function lastClosings(code: string, from: number, to: number): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const match of code.slice(from, to).matchAll(/<\/([\w.:$-]*)/g))
    places.set(match[1] ?? '', from + match.index);
  return places;
}
