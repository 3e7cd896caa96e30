/**
 * File descriptors of a sandboxed process and the encoding of bytes in JSON messages. Every such process
 * loads this file, so it imports nothing.
 */

/** Messages in both directions. stdin, stdout and stderr come first. */
export const messageDescriptor = 3;
export const outputDescriptor = 4;
/** The files of a run, in order. */
export const firstFileDescriptor = 5;

/** Encodes bytes in the properties of a message as base64; `withTextAsBytes` reverses it. */
export function withBytesAsText(message: object): object {
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : (value as unknown),
    ]),
  );
}

export function withTextAsBytes(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return message;
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name, bytesOf(value) ?? (value as unknown)]),
  );
}

function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const [[name, text] = [], ...others] = Object.entries(value);
  return name === 'base64' && typeof text === 'string' && others.length === 0
    ? Buffer.from(text, 'base64')
    : undefined;
}
