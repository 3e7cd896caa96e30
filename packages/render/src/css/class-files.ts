/** A class that names a file travels with the name of that file as the stylesheet must spell it. */
const separator = '\n';

export function classWithFile(name: string, resolved: string): string {
  return `${name}${separator}${resolved}`;
}

export function partsOfClass(entry: string): { name: string; resolved?: string | undefined } {
  const [name = '', resolved] = entry.split(separator);
  return { name, resolved };
}
