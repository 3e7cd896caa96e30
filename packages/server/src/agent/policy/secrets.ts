/**
 * Looks for credentials in what would leave: by the form every known kind has, and by value, also encoded, for the
 * secrets this installation holds itself.
 */
import { findSecrets } from '@docyard/render/source-rules';
import { mask } from '../redact.ts';
import { type Objection, type Rule, block } from './rule.ts';

export const secretRule: Rule = {
  name: 'secrets',
  judge: ({ files, settings: { secrets } }) =>
    files.flatMap(({ path, before, after }): Objection[] => {
      const reason = whyRefused(after ?? '', before ?? '', secrets) ?? whyRefused(path, '', secrets);
      return reason === undefined ? [] : [block(path, reason)];
    }),
};

function whyRefused(after: string, before: string, secrets: readonly string[]): string | undefined {
  if (holdsSecret(after, secrets)) return 'The text holds a secret of this project or installation.';
  if (masks(after) > masks(before)) return 'A secret of this project or installation was to be written here.';
  const known = new Set(likelySecrets(before).map(({ whole }) => whole));
  const found = likelySecrets(after).find(({ whole }) => !known.has(whole));
  return found && `The text holds what looks like ${found.kind}.`;
}

/** What a model says is masked before it is done, so the mask stands where a secret would have stood. */
function masks(text: string): number {
  return text.split(mask).length - 1;
}

/** In plain text, and in what is written in it as base64 or hexadecimal digits. */
function likelySecrets(text: string) {
  return [text, ...decodedParts(text)].flatMap((part) => findSecrets([Buffer.from(part)], () => part));
}

/** Also true for what looks like a credential without being ours; for text that a model wrote to people. */
export function looksSecret(text: string, secrets: readonly string[]): boolean {
  return holdsSecret(text, secrets) || likelySecrets(text).length > 0;
}

/** Shorter values would be found in ordinary words. */
const shortestSecret = 8;

export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const real = secrets.filter((secret) => secret.length >= shortestSecret);
  if (real.length === 0) return false;
  // A secret may be spread over lines, list items or table cells, so it is looked for in the bare characters too.
  const texts = [text, bare(text), ...decodedParts(text)].map((part) => part.toLowerCase());
  return real.some((secret) => {
    const forms = encodedForms(secret);
    return texts.some((part) => forms.some((form) => part.includes(form)));
  });
}

function bare(text: string): string {
  return text.replaceAll(/[\s\p{C}"'`,;|*>()[\]{}\\]+/gu, '');
}

/** Lower case all of them: what differs only in that is as good as found. */
function encodedForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    bare(secret),
    Array.from(secret).toReversed().join(''),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    ...[0, 1, 2].flatMap((offset) => base64Middles(bytes, offset)),
  ];
  return forms.filter((form) => form.length >= shortestSecret).map((form) => form.toLowerCase());
}

/** The part of the encoding that is the same whatever stands before and behind the bytes. */
function base64Middles(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const start = offset === 0 ? 0 : offset + 1;
  const end = Math.floor((padded.length * 8) / 6);
  return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(start, end));
}

const mostDecodedParts = 200;

function decodedParts(text: string): string[] {
  const runs = [...text.matchAll(/[A-Za-z0-9+/_-]{24,20000}/g)].slice(0, mostDecodedParts);
  return runs.flatMap(([run]) => [
    Buffer.from(run, 'base64').toString('latin1'),
    ...(/^[0-9a-f]+$/i.test(run) ? [Buffer.from(run, 'hex').toString('latin1')] : []),
  ]);
}
