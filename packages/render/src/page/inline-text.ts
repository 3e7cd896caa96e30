/** Keeps what begins a title from being read as the beginning of a list, quote or heading. */
const blockMark = /^\s*(?:(\d{1,9})([.)])(?=\s)|([-+*>]|#{1,6})(?=\s))/;

export function asOneLine(source: string): string {
  if (source.includes('\n')) return source;
  return source.replace(blockMark, (_whole, number?: string, end?: string, mark?: string) =>
    mark === undefined ? `${number}\\${end}` : `\\${mark}`,
  );
}
