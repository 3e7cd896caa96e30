/**
 * Finds likely credentials in page text. A match must look random and not be a placeholder. Only its first
 * characters are reported.
 */
import { crc32 } from 'node:zlib';
import { byteText } from '../text/encoded-text.ts';
import type { Severity } from '../model/diagnostic.ts';
import type { FoundSecret } from '../model/page.ts';

interface SecretKind {
  kind: string;
  /** The first group, or the whole match, must look random. */
  pattern: RegExp;
  severity?: Severity;
  confirm?: (match: string) => boolean;
}

/** Every pattern below contains one of these; syntax highlighting never splits them. */
const traces =
  /AKIA|ASIA|aws_secret|AWS_SECRET|gh[opsru]_|github_pat_|glpat|xox[abeoprs]|[rs]k_live_|PRIVATE KEY|eyJ|docyard_|AIza|npm_|\bsk-/;

const kinds: SecretKind[] = [
  { kind: 'an AWS access key', pattern: /\b(?:AKIA|ASIA)([A-Z2-7]{16})\b/g },
  {
    kind: 'an AWS secret key',
    pattern: /aws_secret_access_key["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
  },
  { kind: 'a GitHub token', pattern: /\bgh[opsru]_([A-Za-z0-9]{36})\b/g },
  { kind: 'a GitHub token', pattern: /\bgithub_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b/g },
  { kind: 'a GitLab token', pattern: /\bglpat-([A-Za-z0-9_-]{20,64})\b/g },
  { kind: 'a Slack token', pattern: /\bxox[abeoprs]-(\d{8,16}-[A-Za-z0-9-]{20,128})\b/g },
  { kind: 'a Stripe live key', pattern: /\b[rs]k_live_([A-Za-z0-9]{20,128})\b/g },
  { kind: 'an npm token', pattern: /\bnpm_([A-Za-z0-9]{36})\b/g },
  { kind: 'a model provider key', pattern: /\bsk-(?:proj|ant-api03)-([A-Za-z0-9_-]{40,200})/g },
  { kind: 'a Google API key', pattern: /\bAIza([A-Za-z0-9_-]{35})(?![A-Za-z0-9_-])/g, severity: 'warning' },
  {
    kind: 'a private key',
    pattern: /-----BEGIN (?:(?:RSA|EC|DSA|OPENSSH) )?PRIVATE KEY-----\s{1,4}([A-Za-z0-9+/=\s]{100})/g,
  },
  {
    kind: 'a JSON Web Token',
    pattern: /\beyJ[A-Za-z0-9_-]{10,2000}\.(eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,1000})/g,
    severity: 'warning',
    confirm: isSignedToken,
  },
  { kind: 'a Docyard key', pattern: /\bdocyard_([0-9A-Za-z]{36})\b/g, confirm: hasKeyChecksum },
];

export const maxSecrets = 20;

/** `parts` are consecutive UTF-8 chunks; `text` returns their text without markup. */
export function findSecrets(parts: readonly Uint8Array[], text: () => string): FoundSecret[] {
  if (!parts.some((part) => traces.test(byteText(part)))) return [];
  const plain = text();
  const found = new Map<string, FoundSecret>();
  for (const { kind, pattern, severity = 'error', confirm } of kinds) {
    for (const match of plain.matchAll(pattern)) {
      const [whole, random = match[0]] = match;
      if (found.size >= maxSecrets) break;
      if (isPlaceholder(random) || !looksRandom(random) || confirm?.(whole) === false) continue;
      found.set(whole, { kind, severity, start: shownPart(whole), whole });
    }
  }
  return [...found.values()];
}

function shownPart(whole: string): string {
  return `${whole.startsWith('-----') ? whole.slice(0, 27) : whole.slice(0, 8)}…`;
}

const placeholder =
  /example|sample|placeholder|your|redacted|secret|dummy|fake|insert|replace|xxxx|abcdef|012345|123456|987654|(.)\1{4}/i;

function isPlaceholder(text: string): boolean {
  return placeholder.test(text);
}

/** Shannon entropy per character. Random keys exceed 3.5 bits; words and patterns stay below 3. */
const minBits = 3;

function looksRandom(text: string): boolean {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits >= minBits;
}

/** Excludes the well-known sample token of jwt.io. */
function isSignedToken(token: string): boolean {
  const [header = '', payload = ''] = token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  return (
    /"alg"\s*:\s*"(?!none)/i.test(header) && payload.startsWith('{') && !/John Doe|1234567890/.test(payload)
  );
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A Docyard key ends with a CRC-32 of the rest. */
function hasKeyChecksum(key: string): boolean {
  let rest = crc32(key.slice(0, -6));
  let sum = '';
  for (let place = 0; place < 6; place++) {
    sum = (base62[rest % 62] ?? '') + sum;
    rest = Math.floor(rest / 62);
  }
  return key.endsWith(sum);
}
