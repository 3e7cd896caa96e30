/** The secret key that encrypts the files of a bundle that only some readers may see. */
import { createHmac, randomBytes } from 'node:crypto';
import { InvalidKeyError } from './signature.ts';

export interface ContentKey {
  /** 16 hexadecimal digits, which reveal nothing about the key. */
  keyId: string;
  bytes: Buffer;
}

const keyBytes = 32;
const prefix = 'docyard-content-key:';

export function newContentKey(): ContentKey {
  return contentKeyFrom(randomBytes(keyBytes));
}

export function contentKeyFrom(bytes: Buffer): ContentKey {
  if (bytes.length !== keyBytes) throw new InvalidKeyError(`A content key has ${keyBytes} bytes.`);
  return { keyId: derived(bytes, 'key id').toString('hex').slice(0, 16), bytes };
}

export function contentKeyText({ bytes }: ContentKey): string {
  return `${prefix}${bytes.toString('base64url')}\n`;
}

/** The message never contains the text of the key. */
export function parseContentKey(text: string): ContentKey {
  const encoded = text.trim();
  const bytes = Buffer.from(encoded.slice(prefix.length), 'base64url');
  if (encoded !== `${prefix}${bytes.toString('base64url')}` || bytes.length !== keyBytes)
    throw new InvalidKeyError(
      'This is not a content key. Create one with `docyard content-key create`, or read that of a project.',
    );
  return contentKeyFrom(bytes);
}

/** A key for one purpose. */
export function derived(bytes: Buffer, ...purpose: string[]): Buffer {
  return createHmac('sha256', bytes)
    .update(['docyard content key', ...purpose].join('\n'))
    .digest();
}
