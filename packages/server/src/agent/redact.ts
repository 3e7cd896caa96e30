/**
 * Masks known secret values in whatever a run keeps or tells, in the forms they would be hidden in. This is the second
 * line: the first is that no part of a run that writes text ever holds a secret. What was kept is masked again when read.
 */
export type Redact = (text: string) => string;

/** Shorter values are words, and masking words would garble what people read. */
const shortestSecret = 8;
const shortestForm = 8;
export const mask = '[secret removed]';

export function redactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter(({ length }) => length >= shortestSecret).flatMap(formsOf))]
    .filter(({ length }) => length >= shortestForm)
    // A long form first: it may hold a shorter one.
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return (text) => forms.reduce((clean, form) => clean.replaceAll(form, mask), text);
}

/** The same value with every text in it masked. */
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

/** The characters that every base64 text has in which the secret begins `offset` bytes after a multiple of three. */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return text.slice(first, end);
}
