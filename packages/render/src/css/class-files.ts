/** Joins a class with the file URL it refers to, as the stylesheet spells it. */
const separator = '\n';

export function classWithFile(name: string, resolved: string): string {
  return `${name}${separator}${resolved}`;
}

export function partsOfClass(entry: string): { name: string; resolved?: string | undefined } {
  const [name = '', resolved] = entry.split(separator);
  return { name, resolved };
}
