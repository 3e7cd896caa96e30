/** Shared passwords from a file of hashes. Each can give groups. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../errors.ts';
import { Attempts } from '../serving/attempts.ts';
import { groupsIn } from './reader.ts';
import type { Outcome, SignIn, SignInPage, SignInStep } from './sign-in.ts';

const cost = { N: 2 ** 15, r: 8, p: 1 };
const saltBytes = 16;
const hashBytes = 32;
const maxPasswords = 20;
const maxPasswordCharacters = 1024;
/** scrypt uses the threads that also read files. */
const maxConcurrent = 2;
const maxWaiting = 20;

export interface PasswordHash {
  salt: Buffer;
  hash: Buffer;
  cost: typeof cost;
  groups: readonly string[];
}

/** A line of the file of passwords. */
export async function passwordLine(password: string, groups: readonly string[]): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, { salt, cost });
  const encoded = [salt, hash].map((bytes) => bytes.toString('base64url'));
  const text = ['scrypt', cost.N, cost.r, cost.p, ...encoded].join(':');
  return groups.length === 0 ? text : `${text} ${groups.join(',')}`;
}

/** `place` is for messages. */
export function parsePasswordFile(text: string, place: string): PasswordHash[] {
  const hashes: PasswordHash[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    const hash = parseLine(content);
    if (hash === undefined)
      throw new ConfigError(
        `${place}:${index + 1}: this is not the hash of a password. Make one with: docyard-site hash-password`,
      );
    hashes.push(hash);
  }
  if (hashes.length === 0)
    throw new ConfigError(`${place} has no password. Make one with: docyard-site hash-password`);
  if (hashes.length > maxPasswords)
    throw new ConfigError(`${place} has more than ${maxPasswords} passwords. Use oidc for accounts.`);
  return hashes;
}

function parseLine(line: string): PasswordHash | undefined {
  const [encoded = '', ...groups] = line.split(' ');
  const [kind, N, r, p, salt = '', hash = '', ...rest] = encoded.split(':');
  const given = { N: Number(N), r: Number(r), p: Number(p) };
  const isUsual = given.N >= 2 ** 14 && given.N <= 2 ** 18 && given.r === 8 && given.p >= 1 && given.p <= 4;
  const bytes = { salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') };
  const isWhole = bytes.salt.length >= saltBytes && bytes.hash.length === hashBytes;
  if (kind !== 'scrypt' || !isUsual || !isWhole || rest.length > 0) return undefined;
  return { ...bytes, cost: given, groups: groupsIn(groups.join(' ')) };
}

export class PasswordSignIn implements SignIn {
  readonly #hashes: readonly PasswordHash[];
  readonly #attempts = new Attempts(10);
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(hashes: readonly PasswordHash[]) {
    this.#hashes = hashes;
  }

  async begin(): Promise<Outcome> {
    return { page: form(), status: 200 };
  }

  async submit({ form: fields, clientAddress, to }: SignInStep): Promise<Outcome> {
    const wait = this.#attempts.waitSeconds(clientAddress);
    if (wait > 0) {
      const minutes = Math.ceil(wait / 60);
      const message = `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
      return { page: form(message), status: 429, retryAfterSeconds: wait };
    }
    if (this.#waiting.length >= maxWaiting)
      return { page: form('The server is busy. Try again in a moment.'), status: 503, retryAfterSeconds: 5 };
    this.#attempts.count(clientAddress);
    const password = (fields.get('password') ?? '').normalize('NFKC');
    const found = password.length > maxPasswordCharacters ? undefined : await this.#find(password);
    if (found === undefined) return { page: form('This password is wrong.'), status: 403 };
    this.#attempts.forgive(clientAddress);
    return { reader: { name: null, groups: found.groups }, to };
  }

  /** Compares with every hash, so that the time does not show which one matched. */
  async #find(password: string): Promise<PasswordHash | undefined> {
    if (this.#running >= maxConcurrent) await new Promise<void>((go) => this.#waiting.push(go));
    this.#running += 1;
    try {
      let found: PasswordHash | undefined;
      for (const each of this.#hashes) {
        if (timingSafeEqual(await derive(password, each), each.hash)) found ??= each;
      }
      return found;
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }
}

function form(problem?: string): SignInPage {
  const page = { title: 'Sign in', asksForPassword: true };
  return problem === undefined
    ? { ...page, message: 'Enter the password of this site.' }
    : { ...page, message: problem, isProblem: true };
}

function derive(password: string, given: Pick<PasswordHash, 'salt' | 'cost'>): Promise<Buffer> {
  const options = { ...given.cost, maxmem: 256 * given.cost.N * given.cost.r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), given.salt, hashBytes, options, (error, hash) => {
      if (error) reject(error);
      else resolve(hash);
    });
  });
}
