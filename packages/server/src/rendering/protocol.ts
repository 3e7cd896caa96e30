/**
 * What both ends agree on: the numbers of the open files that a rendering process finds, and how messages of JSON carry
 * bytes. It loads nothing, since every such process loads it.
 */

/** Messages, both ways. The usual three descriptors come before it. */
export const messageDescriptor = 3;
/** What is passed on as it is written. */
export const outputDescriptor = 4;
/** The files of a conversation, in their order. */
export const firstFileDescriptor = 5;

/** A property of a message that holds bytes becomes a text that says so, and bytes again on the other end. */
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
