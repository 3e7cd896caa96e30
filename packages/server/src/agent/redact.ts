/**
 * Masks known secrets, also encoded, in everything that a run stores or shows. This is a second line of
 * defense: code that writes text never holds a secret.
 */
export type Redact = (text: string) => string;

/** Shorter values occur in ordinary words. */
const minSecretCharacters = 8;
const minFormCharacters = 8;
export const mask = '[secret removed]';

export function redactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter(({ length }) => length >= minSecretCharacters).flatMap(formsOf))]
    .filter(({ length }) => length >= minFormCharacters)
    // Longest first: a form may contain a shorter one.
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return (text) => forms.reduce((clean, form) => clean.replaceAll(form, mask), text);
}

export function redactJson<T>(redact: Redact, value: T): T {
  return JSON.parse(redact(JSON.stringify(value))) as T;
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) => base64Within(bytes, offset));
  const url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const hex = bytes.toString('hex');
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, encodeURIComponent(secret), hex, hex.toUpperCase(), ...base64, ...url];
}

/**
 * The base64 characters that depend only on the secret when it starts `offset` bytes after a multiple of three.
 */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return text.slice(first, end);
}
