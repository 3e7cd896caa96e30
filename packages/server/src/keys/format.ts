/**
 * The format of an API key: `docyard_`, 30 random base62 characters (178 bits), 6 characters of checksum. The
 * checksum detects typos and false positives of secret scanners without a database query.
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

/** Bytes from 248 are discarded: 256 is no multiple of 62, so they would favor the first characters. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

/** Only this hash is stored. */
export function hashKey(pepper: Buffer, text: string): string {
  return createHmac('sha256', pepper).update(text).digest('hex');
}
