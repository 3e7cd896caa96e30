/**
 * Signed download links for bundles and deltas. One anchored pattern matches the raw request target, so
 * nothing needs to be canonicalized.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../context.ts';
import type { DeltaFile } from './record.ts';

export interface Link {
  jobId: string;
  file: LinkedFile;
  /** The attempt that wrote the bundle; a link to an older one does not open a newer one. */
  generation: number;
  host: string;
  notBefore: number;
  expires: number;
}

export const bundleFileName = 'bundle.tar.gz';
export type LinkedFile = typeof bundleFileName | DeltaFile;

const targetPattern =
  /^\/b\/(se_[0-9a-f]{16})\/(bundle\.tar\.gz|delta-se_[0-9a-f]{16}\.tar\.gz)\?v=1&k=([0-9a-z]{1,16})&n=(\d{10})&e=(\d{10})&g=([1-9]\d{0,5})&s=([A-Za-z0-9_-]{43})$/;

/** Allowed clock difference between servers. */
const clockGraceSeconds = 60;

/** The link without the origin. */
export function signLink(secrets: Pick<Secrets, 'linkKeys'>, link: Link): string {
  const [key] = secrets.linkKeys;
  if (key === undefined) throw new Error('There is no key to sign links with.');
  const query = `v=1&k=${key.id}&n=${link.notBefore}&e=${link.expires}&g=${link.generation}`;
  return `/b/${link.jobId}/${link.file}?${query}&s=${signature(key, link)}`;
}

export type LinkCheck =
  | ({ verdict: 'valid' | 'expired' } & Pick<Link, 'jobId' | 'file' | 'generation'>)
  | { verdict: 'invalid' }
  | { verdict: 'malformed' };

export function checkLink(
  secrets: Pick<Secrets, 'linkKeys'>,
  request: { target: string; host: string; nowSeconds: number },
): LinkCheck {
  const [, jobId, file, keyId, notBefore, expires, generation, given] =
    targetPattern.exec(request.target) ?? [];
  if (jobId === undefined || given === undefined) return { verdict: 'malformed' };
  const known = secrets.linkKeys.find(({ id }) => id === keyId);
  const key = known ?? { id: keyId ?? '', key: Buffer.alloc(32) };
  const link: Link = {
    jobId,
    file: file as LinkedFile,
    generation: Number(generation),
    host: request.host,
    notBefore: Number(notBefore),
    expires: Number(expires),
  };
  if (!isSameSignature(signature(key, link), given) || known === undefined) return { verdict: 'invalid' };
  if (request.nowSeconds + clockGraceSeconds < link.notBefore) return { verdict: 'invalid' };
  const verdict = request.nowSeconds >= link.expires ? 'expired' : 'valid';
  return { verdict, jobId, file: link.file, generation: link.generation };
}

/**
 * 43 base64url characters carry two spare bits; without the second comparison four strings would match one
 * signature.
 */
export function isSameSignature(right: string, given: string): boolean {
  const isCanonical = Buffer.from(given, 'base64url').toString('base64url') === given;
  return timingSafeEqual(Buffer.from(right), Buffer.from(given)) && isCanonical;
}

function signature(key: Secrets['linkKeys'][number], link: Link): string {
  const { host, jobId, file, notBefore, expires, generation } = link;
  const fields = ['1', key.id, 'GET', host, jobId, file, notBefore, expires, generation];
  return signFields(key, 'bundle-link/v1', fields);
}

/**
 * Length-prefixed fields, so that no two lists produce the same input; `purpose` separates the kinds of
 * links.
 */
export function signFields(
  key: Secrets['linkKeys'][number],
  purpose: string,
  fields: readonly (string | number)[],
): string {
  const hmac = createHmac('sha256', key.key).update(purpose);
  for (const field of fields) {
    const bytes = Buffer.from(String(field));
    hmac.update(`${bytes.length}:`).update(bytes);
  }
  return hmac.digest('base64url');
}
