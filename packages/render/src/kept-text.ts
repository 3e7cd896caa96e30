/**
 * A text that is kept longer than what it was cut from. V8 cuts without copying, so that an address of 40 characters holds on
 * to the whole page that it stands on.
 */
export function keptText(text: string): string {
  // Put together it is another text, which is laid out as a whole before something is cut from it.
  return ` ${text}`.slice(1);
}
