/**
 * Checks and hashes passwords. Hashes include the installation's pepper, so that a stolen database does not allow
 * guessing.
 */
import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { minPasswordCharacters } from '@docyard/api';
import type { Secrets } from '../context.ts';
import { Problem } from '../problem.ts';
import { commonPasswords } from './common-passwords.ts';

/** Higher costs make sign-in too slow on a small machine under attack. */
const cost = { N: 2 ** 15, r: 8, p: 1 };
const hashBytes = 32;
const saltBytes = 16;
/** scrypt runs in libuv's thread pool, whose four threads also serve files and DNS. */
const maxConcurrent = 2;
const maxWaiting = 50;

type Peppered = Pick<Secrets, 'keyPepper' | 'pepperId' | 'otherPeppers'>;

/** `path` is the field of the request. */
export function requireGoodPassword(password: string, path: string, email?: string): void {
  const weakness = findWeakness(password, email);
  if (weakness === undefined) return;
  throw new Problem('invalid_request', weakness, { details: [{ path, message: weakness }] });
}

/**
 * Only length counts, as NIST SP 800-63B recommends; rules about character classes make passwords harder for users
 * only.
 */
function findWeakness(password: string, email?: string): string | undefined {
  const plain = password.normalize('NFKC');
  if (plain.length < minPasswordCharacters)
    return `A password needs at least ${minPasswordCharacters} characters.`;
  const folded = plain.toLowerCase();
  if (new Set(folded).size < 4) return 'This password repeats too few characters. Use a few words instead.';
  if (email !== undefined && folded === email.toLowerCase())
    return 'The email address cannot be the password.';
  const bare = folded.replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (commonPasswords.has(folded) || commonPasswords.has(bare))
    return 'This password is too common. Use a few words instead.';
  return undefined;
}

/** The hash names its cost and pepper, so that both can change. */
export async function hashPassword(secrets: Peppered, password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(secrets.keyPepper, password, salt, cost);
  const encoded = [salt, hash].map((bytes) => bytes.toString('base64url'));
  return ['scrypt', cost.N, cost.r, cost.p, ...encoded, secrets.pepperId].join(':');
}

/** Takes the same time without a hash, so that timing does not reveal whether a user exists. */
export async function isPassword(
  secrets: Peppered,
  password: string,
  storedHash: string | null | undefined,
): Promise<boolean> {
  const [, N, r, p, salt = '', hash = '', pepperId] = (storedHash ?? '').split(':');
  const given = storedHash ? { N: Number(N), r: Number(r), p: Number(p) } : cost;
  const expected = storedHash ? Buffer.from(hash, 'base64url') : Buffer.alloc(hashBytes);
  const pepper = secrets.otherPeppers.find(({ id }) => id === pepperId)?.key ?? secrets.keyPepper;
  const derived = await derive(pepper, password, Buffer.from(salt, 'base64url'), given);
  return timingSafeEqual(derived, expected) && Boolean(storedHash);
}

/** A hash without a pepper id uses the active pepper. */
export function usesOtherPepper(secrets: Peppered, storedHash: string): boolean {
  const pepperId = storedHash.split(':')[6];
  return pepperId !== undefined && pepperId !== secrets.pepperId;
}

let running = 0;
const waiting: (() => void)[] = [];

async function derive(
  pepper: Buffer,
  password: string,
  salt: Buffer,
  { N, r, p }: typeof cost,
): Promise<Buffer> {
  const peppered = createHmac('sha256', pepper).update(password.normalize('NFKC')).digest();
  await acquireSlot();
  try {
    return await new Promise((resolve, reject) => {
      const maxmem = 256 * N * r;
      scrypt(peppered, salt, hashBytes, { N, r, p, maxmem }, (error, hash) =>
        error === null ? resolve(hash) : reject(error),
      );
    });
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** Called before each hash; a finished hash passes its slot to the next in line. */
async function acquireSlot(): Promise<void> {
  if (running < maxConcurrent) {
    running += 1;
    return;
  }
  if (waiting.length >= maxWaiting) {
    const message = 'Too many users are signing in. Try again in a few seconds.';
    throw new Problem('overloaded', message, { headers: { 'retry-after': '5' } });
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}
