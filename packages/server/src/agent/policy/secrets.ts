/**
 * Finds credentials in a change: known formats, and the secrets of this installation by value, also encoded.
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
  if (holdsSecret(after, secrets)) return 'The text contains a secret of this project or installation.';
  if (countMasks(after) > countMasks(before))
    return 'The change would write a secret of this project or installation.';
  const known = new Set(likelySecrets(before).map(({ whole }) => whole));
  const found = likelySecrets(after).find(({ whole }) => !known.has(whole));
  return found && `The text contains what looks like ${found.kind}.`;
}

/** Model output is masked before tools run, so an added mask marks the place of a secret. */
function countMasks(text: string): number {
  return text.split(mask).length - 1;
}

function likelySecrets(text: string) {
  return [text, ...decodedParts(text)].flatMap((part) => findSecrets([Buffer.from(part)], () => part));
}

/** Also true for credentials of others; for text by a model that users read. */
export function looksSecret(text: string, secrets: readonly string[]): boolean {
  return holdsSecret(text, secrets) || likelySecrets(text).length > 0;
}

/** Shorter values occur in ordinary words. */
const minSecretCharacters = 8;

export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const checked = secrets.filter((secret) => secret.length >= minSecretCharacters);
  if (checked.length === 0) return false;
  // A secret may be split over lines, list items or table cells, so punctuation is ignored as well.
  const texts = [text, stripPunctuation(text), ...decodedParts(text)].map((part) => part.toLowerCase());
  return checked.some((secret) => {
    const forms = encodedForms(secret);
    return texts.some((part) => forms.some((form) => part.includes(form)));
  });
}

function stripPunctuation(text: string): string {
  return text.replaceAll(/[\s\p{C}"'`,;|*>()[\]{}\\]+/gu, '');
}

/** Lower case, because comparison ignores case. */
function encodedForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    stripPunctuation(secret),
    Array.from(secret).toReversed().join(''),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    ...[0, 1, 2].flatMap((offset) => base64Cores(bytes, offset)),
  ];
  return forms.filter((form) => form.length >= minSecretCharacters).map((form) => form.toLowerCase());
}

/** The part of the encoding that does not depend on the bytes before and after. */
function base64Cores(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const start = offset === 0 ? 0 : offset + 1;
  const end = Math.floor((padded.length * 8) / 6);
  return (['base64', 'base64url'] as const).map((encoding) => padded.toString(encoding).slice(start, end));
}

const maxDecodedParts = 200;

function decodedParts(text: string): string[] {
  const runs = [...text.matchAll(/[A-Za-z0-9+/_-]{24,20000}/g)].slice(0, maxDecodedParts);
  return runs.flatMap(([run]) => [
    Buffer.from(run, 'base64').toString('latin1'),
    ...(/^[0-9a-f]+$/i.test(run) ? [Buffer.from(run, 'hex').toString('latin1')] : []),
  ]);
}
