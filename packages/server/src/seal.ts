/**
 * Encrypts what is kept secret in the database, with a key that is not in it. A sealed value opens only under the place
 * it was written for, so that a row copied elsewhere is worth nothing.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const version = 'v1';
const nonceBytes = 12;
const tagBytes = 16;

/** What the value belongs to, from the largest part to the name of the value itself. */
export type SealedPlace = readonly string[];

export function seal(key: Buffer, place: SealedPlace, value: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(boundTo(place));
  const hidden = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return `${version}.${Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url')}`;
}

export function unseal(key: Buffer, place: SealedPlace, sealed: string): string {
  const [kind, text = ''] = sealed.split('.');
  if (kind !== version) throw new Error(`The secret ${place.at(-1)} was sealed in a form that is not known.`);
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(boundTo(place));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const plain = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()];
  return Buffer.concat(plain).toString('utf8');
}

/** As a list in JSON, so that no two places read the same. */
function boundTo(place: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([version, ...place]));
}
