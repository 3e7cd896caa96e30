/** The entities that the document type of a drawing declares, as programs such as Illustrator write them. */

const maxEntities = 100;
const maxValueCharacters = 1000;
const maxDeclarationCharacters = 100_000;

/**
 * Undefined when the document type at this place declares anything but entities with a plain text. A value that names other
 * entities is refused, or a short file could grow without bound.
 */
export function entitiesIn(
  text: string,
  from: number,
): { entities: Map<string, string>; end: number } | undefined {
  const begin = text.indexOf('[', from);
  const end = text.indexOf(']', begin);
  const close = text.indexOf('>', end);
  if (begin < 0 || end < begin || close < end || end - from > maxDeclarationCharacters) return undefined;
  if (text.slice(from, begin).includes('>') || text.slice(end + 1, close).trim() !== '') return undefined;
  const entities = new Map<string, string>();
  for (const declaration of text.slice(begin + 1, end).split('>')) {
    if (declaration.trim() === '') continue;
    const [, name = '', double, single] =
      /^\s*<!ENTITY\s([\w.-]{1,40})\s(?:"([^"&%<]*)"|'([^'&%<]*)')\s*$/.exec(declaration) ?? [];
    const value = double ?? single;
    if (value === undefined || value.length > maxValueCharacters || entities.size >= maxEntities)
      return undefined;
    entities.set(name, value);
  }
  return { entities, end: close + 1 };
}
