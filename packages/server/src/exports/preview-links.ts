/**
 * Signed preview paths. The first path segment carries the signature, so that relative links between pages
 * work.
 */
import type { Secrets } from '../context.ts';
import { isSameSignature, signFields } from './links.ts';

export interface PreviewLink {
  jobId: string;
  /** The attempt that wrote the bundle. */
  generation: number;
  expires: number;
  /** The place of the audience in the bundle; undefined for readers without a group. */
  audience?: number | undefined;
}

export type PreviewCheck =
  | ({ verdict: 'valid'; /** The part before the path of the site. */ root: string } & PreviewLink)
  | { verdict: 'expired' | 'invalid' | 'malformed' };

const purpose = 'preview-link/v1';
const rootPattern =
  /^\/preview\/(se_[0-9a-f]{16})\.([1-9]\d{0,5})\.(\d{10})(?:\.a(0|[1-9]\d?))?\.([0-9a-z]{1,16})\.([\w-]{43})(?=[/?]|$)/;

/** The path after the origin, with a trailing slash. */
export function signPreview(secrets: Pick<Secrets, 'linkKeys'>, link: PreviewLink): string {
  const [key] = secrets.linkKeys;
  if (key === undefined) throw new Error('There is no key to sign links with.');
  const { jobId, generation, expires, audience } = link;
  const place = audience === undefined ? '' : `.a${audience}`;
  return `/preview/${jobId}.${generation}.${expires}${place}.${key.id}.${signatureOf(key, link)}/`;
}

function signatureOf(
  key: Secrets['linkKeys'][number],
  { jobId, generation, expires, audience }: PreviewLink,
): string {
  const ofAudience = audience === undefined ? [] : [audience];
  return signFields(key, purpose, [key.id, jobId, generation, expires, ...ofAudience]);
}

/** `target` is the raw request target. */
export function checkPreview(
  secrets: Pick<Secrets, 'linkKeys'>,
  { target, nowSeconds }: { target: string; nowSeconds: number },
): PreviewCheck {
  const [root = '', jobId = '', generation, expires, audience, keyId, given = ''] =
    rootPattern.exec(target) ?? [];
  if (root === '') return { verdict: 'malformed' };
  const key = secrets.linkKeys.find(({ id }) => id === keyId);
  if (key === undefined) return { verdict: 'invalid' };
  const link: PreviewLink = {
    jobId,
    generation: Number(generation),
    expires: Number(expires),
    ...(audience === undefined ? {} : { audience: Number(audience) }),
  };
  if (!isSameSignature(signatureOf(key, link), given)) return { verdict: 'invalid' };
  return nowSeconds >= link.expires ? { verdict: 'expired' } : { verdict: 'valid', root, ...link };
}
