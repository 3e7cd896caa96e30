/**
 * The shape of an API key: `docyard_`, 30 random base62 characters (178 bits), 6 of checksum. The checksum lets a
 * typing error, or a scanner's find, be told from a real key without a look into the database.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyPattern = /^docyard_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

export function newKeyText(): string {
  const secret = randomBase62(30);
  return `docyard_${secret}${checksum(secret)}`;
}

export function isWellFormedKey(text: string): boolean {
  const [, secret, sum] = keyPattern.exec(text) ?? [];
  return secret !== undefined && checksum(secret) === sum;
}

export function looksLikeKey(text: string): boolean {
  return /docyard_[0-9A-Za-z]{8}/.test(text);
}

function checksum(secret: string): string {
  let rest = crc32(`docyard_${secret}`);
  let text = '';
  for (let place = 0; place < 6; place += 1) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Bytes of 248 and above are thrown away: 256 is no multiple of 62 and the first characters would come up more often. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

/** Only this hash of a key is stored. */
export function hashKey(pepper: Buffer, text: string): string {
  return createHmac('sha256', pepper).update(text).digest('hex');
}
