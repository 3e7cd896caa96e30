/** Checks that a delivery was signed with a secret of the hook, as its forge does it. */
import { createHmac, timingSafeEqual, type BinaryLike } from 'node:crypto';
import type { ForgeKind } from '../ports/forge.ts';

export type ReadHeader = (name: string) => string | undefined;

interface Delivery {
  header: ReadHeader;
  body: Uint8Array;
}

/** Every secret is tried, so that the duration does not depend on which one matches. */
export function isSigned(forge: ForgeKind, delivery: Delivery, secrets: readonly string[]): boolean {
  return secrets.map((secret) => isSignedWith(forge, delivery, secret)).includes(true);
}

function isSignedWith(forge: ForgeKind, delivery: Delivery, secret: string): boolean {
  const { header, body } = delivery;
  const hex = () => createHmac('sha256', secret).update(body).digest('hex');
  switch (forge) {
    case 'github':
      return equals(header('x-hub-signature-256'), `sha256=${hex()}`);
    case 'gitea':
      return equals(header('x-forgejo-signature') ?? header('x-gitea-signature'), hex());
    case 'bitbucket':
    case 'bitbucket-data-center':
      return equals(header('x-hub-signature'), `sha256=${hex()}`);
    case 'gitlab':
      return equals(header('x-gitlab-token'), secret) || hasStandardSignature(delivery, secret);
    default:
      return false;
  }
}

/** Limits the work that one delivery can cause. */
const maxSignatures = 8;

/** Standard Webhooks, for the signing token of GitLab. */
function hasStandardSignature({ header, body }: Delivery, secret: string): boolean {
  const [id, timestamp] = [header('webhook-id') ?? '', header('webhook-timestamp') ?? ''];
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = `v1,${hmacOf(key, `${id}.${timestamp}.`, body)}`;
  const given = (header('webhook-signature') ?? '').split(' ').slice(0, maxSignatures);
  return given.map((each) => equals(each, signature)).includes(true);
}

function hmacOf(key: Buffer, ...parts: BinaryLike[]): string {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('base64');
}

/** Digests have equal lengths, so neither the content nor the length of the secret shows in the duration. */
function equals(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'comparison').update(text).digest();
  return timingSafeEqual(digest(given ?? ''), digest(expected)) && given !== undefined;
}
