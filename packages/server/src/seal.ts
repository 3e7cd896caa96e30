/**
 * Encrypts secrets for the database with a key that is not stored in it. A sealed value can only be opened for the
 * place it was sealed for, so copying it to another row is useless.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const version = 'v1';
const nonceBytes = 12;
const tagBytes = 16;

export interface SealKeys {
  sealKey: Buffer;
  /** Tried when the value was not sealed with `sealKey`. */
  otherSealKeys: readonly Buffer[];
}

/** What the value belongs to, from the outermost container to the name of the value. */
export type SealedPlace = readonly string[];

export function seal({ sealKey: key }: Pick<SealKeys, 'sealKey'>, place: SealedPlace, value: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(boundTo(place));
  const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return `${version}.${Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
}

export function unseal(keys: SealKeys, place: SealedPlace, sealed: string): string {
  const matching = keys.otherSealKeys.find((key) => isSealedWith(key, place, sealed));
  return unsealWith(matching ?? keys.sealKey, place, sealed);
}

export interface Resealed {
  resealed: number;
  /** Values that no key opens; they are left unchanged. */
  unreadable: number;
}

/** Seals rows with the current key. `write` must skip rows that have changed since they were read. */
export async function resealEach<Row extends { sealed: string }>(
  keys: SealKeys,
  rows: readonly Row[],
  placeOf: (row: Row) => SealedPlace,
  write: (row: Row, sealed: string) => Promise<{ numUpdatedRows: bigint }>,
): Promise<Resealed> {
  const counts = { resealed: 0, unreadable: 0 };
  for (const row of rows) {
    const place = placeOf(row);
    if (isSealedWith(keys.sealKey, place, row.sealed)) continue;
    const key = keys.otherSealKeys.find((each) => isSealedWith(each, place, row.sealed));
    if (key === undefined) counts.unreadable += 1;
    else {
      const { numUpdatedRows } = await write(row, seal(keys, place, unsealWith(key, place, row.sealed)));
      counts.resealed += Number(numUpdatedRows);
    }
  }
  return counts;
}

export function isSealedWith(key: Buffer, place: SealedPlace, sealed: string): boolean {
  try {
    unsealWith(key, place, sealed);
    return true;
  } catch {
    return false;
  }
}

function unsealWith(key: Buffer, place: SealedPlace, sealed: string): string {
  const [kind, text = ''] = sealed.split('.');
  if (kind !== version) throw new Error(`The secret ${place.at(-1)} was sealed in an unknown format.`);
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(boundTo(place));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const plain = [decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()];
  return Buffer.concat(plain).toString('utf8');
}

/** JSON, so that two places never have the same bytes. */
function boundTo(place: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([version, ...place]));
}
