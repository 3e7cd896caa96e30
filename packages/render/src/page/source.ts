/**
 * Reads a source file as text the way authors mean it: byte-order mark dropped, line ends as `\n`, control characters
 * removed, size limited. It does not look inside the text.
 */
export const maximumSourceBytes = 1_000_000;

export function decodeSource(bytes: Uint8Array): string {
  return new TextDecoder('utf-8')
    .decode(bytes)
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replaceAll('\0', '')
    .replaceAll(/[\u2028\u2029]/g, ' ');
}
