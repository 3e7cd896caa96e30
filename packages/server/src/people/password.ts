/**
 * Passwords: whether one is good enough, and their hash. Only the hash is kept, and the pepper of the installation is
 * mixed in, so that the database alone does not allow a guess.
 */
import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { leastPasswordCharacters } from '@docyard/api';
import type { Secrets } from '../context.ts';
import { Problem } from '../problem.ts';
import { commonPasswords } from './common-passwords.ts';

/** 107 ms of one core and 32 MiB; twice the cost took 268 ms, which is too long for a small machine under attack. */
const cost = { N: 2 ** 15, r: 8, p: 1 };
const hashBytes = 32;
const saltBytes = 16;
/** More at the same time would take the threads that files and DNS need, of which there are four. */
const mostAtOnce = 2;
const mostWaiting = 50;

type Peppered = Pick<Secrets, 'keyPepper' | 'pepperId' | 'otherPeppers'>;

/** `path` is where the password stood in the request. */
export function requireGoodPassword(password: string, path: string, email?: string): void {
  const complaint = complainAboutPassword(password, email);
  if (complaint === undefined) return;
  throw new Problem('invalid_request', complaint, { details: [{ path, message: complaint }] });
}

/** Length is what counts. Kinds of characters are not asked for: they make passwords harder for people alone. */
function complainAboutPassword(password: string, email?: string): string | undefined {
  const plain = password.normalize('NFKC');
  if (plain.length < leastPasswordCharacters)
    return `A password has at least ${leastPasswordCharacters} characters.`;
  const folded = plain.toLowerCase();
  if (new Set(folded).size < 4)
    return 'This password repeats too few characters. A few words make a good one.';
  if (email !== undefined && folded === email.toLowerCase()) return 'The email address is no password.';
  const bare = folded.replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (commonPasswords.has(folded) || commonPasswords.has(bare))
    return 'This password is one of the first that are tried. A few words make a good one.';
  return undefined;
}

/** Names the cost and the pepper, so that it can be checked after either has changed. */
export async function hashPassword(secrets: Peppered, password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(secrets.keyPepper, password, salt, cost);
  const encoded = [salt, hash].map((bytes) => bytes.toString('base64url'));
  return ['scrypt', cost.N, cost.r, cost.p, ...encoded, secrets.pepperId].join(':');
}

/** Takes as long when there is no hash: whether a person exists must not be told by the time it takes. */
export async function isPassword(
  secrets: Peppered,
  password: string,
  kept: string | null | undefined,
): Promise<boolean> {
  const [, N, r, p, salt = '', hash = '', pepperId] = (kept ?? '').split(':');
  const given = kept ? { N: Number(N), r: Number(r), p: Number(p) } : cost;
  const expected = kept ? Buffer.from(hash, 'base64url') : Buffer.alloc(hashBytes);
  const pepper = secrets.otherPeppers.find(({ id }) => id === pepperId)?.key ?? secrets.keyPepper;
  const derived = await derive(pepper, password, Buffer.from(salt, 'base64url'), given);
  return timingSafeEqual(derived, expected) && Boolean(kept);
}

/** Whether the hash uses the pepper of another key than the active one. A hash that names none is of the active one. */
export function isOfOtherPepper(secrets: Peppered, kept: string): boolean {
  const pepperId = kept.split(':')[6];
  return pepperId !== undefined && pepperId !== secrets.pepperId;
}

let atWork = 0;
const waiting: (() => void)[] = [];

async function derive(
  pepper: Buffer,
  password: string,
  salt: Buffer,
  { N, r, p }: typeof cost,
): Promise<Buffer> {
  const peppered = createHmac('sha256', pepper).update(password.normalize('NFKC')).digest();
  await takeTurn();
  try {
    return await new Promise((resolve, reject) => {
      const maxmem = 256 * N * r;
      scrypt(peppered, salt, hashBytes, { N, r, p, maxmem }, (error, hash) =>
        error === null ? resolve(hash) : reject(error),
      );
    });
  } finally {
    const next = waiting.shift();
    if (next === undefined) atWork -= 1;
    else next();
  }
}

/** Whoever is next takes over the turn of the one that is done. */
async function takeTurn(): Promise<void> {
  if (atWork < mostAtOnce) {
    atWork += 1;
    return;
  }
  if (waiting.length >= mostWaiting) {
    const message = 'Too many people sign in at this moment. Try again in a few seconds.';
    throw new Problem('overloaded', message, { headers: { 'retry-after': '5' } });
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}
