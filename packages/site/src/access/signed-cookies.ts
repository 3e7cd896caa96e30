/** Cookies with a signature and an end. The signature covers purpose and site, so a cookie is valid for one of each. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';

interface CookieOptions {
  name: string;
  /** Where the browser sends the cookie. */
  path: string;
  maxAgeSeconds: number;
  isSecure: boolean;
}

interface Signed {
  value: unknown;
  endsAtSeconds: number;
}

/** Readers send the same cookie with each request. */
const maxVerified = 1000;

export class CookieSigner {
  readonly #key: Buffer;
  readonly #site: string;
  /** By purpose and text. */
  readonly #verified = new Map<string, Signed>();

  constructor(key: Buffer, site: string) {
    this.#key = key;
    this.#site = site;
  }

  sign(purpose: string, value: object, maxAgeSeconds: number): string {
    const endsAtSeconds = Math.floor(Date.now() / 1000) + maxAgeSeconds;
    const payload = Buffer.from(JSON.stringify({ value, endsAtSeconds })).toString('base64url');
    return `${payload}.${this.#signature(purpose, payload).toString('base64url')}`;
  }

  /** The value of the first valid text. */
  verify<T>(purpose: string, texts: readonly string[], schema: z.ZodType<T>): T | undefined {
    for (const text of texts) {
      const signed = this.#open(purpose, text);
      if (signed === undefined || signed.endsAtSeconds <= Date.now() / 1000) continue;
      const parsed = schema.safeParse(signed.value);
      if (parsed.success) return parsed.data;
    }
    return undefined;
  }

  #open(purpose: string, text: string): Signed | undefined {
    const name = `${purpose} ${text}`;
    const known = this.#verified.get(name);
    if (known !== undefined) return known;
    const [payload = '', signature = '', ...rest] = text.split('.');
    const given = Buffer.from(signature, 'base64url');
    const expected = this.#signature(purpose, payload);
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
      return undefined;
    const signed = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Signed;
    if (this.#verified.size >= maxVerified) this.#verified.clear();
    this.#verified.set(name, signed);
    return signed;
  }

  #signature(purpose: string, payload: string): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([purpose, this.#site, payload]))
      .digest();
  }
}

/** All values of a name: a browser sends one for each path that it was set for. */
export function cookieValues(header: string | undefined, name: string): string[] {
  return (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
}

export function setCookie(value: string, { name, path, maxAgeSeconds, isSecure }: CookieOptions): string {
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}
