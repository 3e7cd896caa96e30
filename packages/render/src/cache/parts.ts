/** Values that are kept in parts, of which the first tells of the others: its length comes before it. */

/** They follow each other. */
export type Parts = readonly Uint8Array[];

const lengthBytes = 4;

export function withHead(head: Uint8Array, rest: Parts): Parts {
  const length = Buffer.allocUnsafe(lengthBytes);
  length.writeUInt32LE(head.length);
  return [length, head, ...rest];
}

export function opened(whole: Uint8Array): { head: Uint8Array; rest: Uint8Array } {
  const { buffer, byteOffset } = whole;
  const end = lengthBytes + Buffer.from(buffer, byteOffset, lengthBytes).readUInt32LE();
  return { head: whole.subarray(lengthBytes, end), rest: whole.subarray(end) };
}
