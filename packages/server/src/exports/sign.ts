/**
 * Signs the manifest of a sandboxed process, which reads untrusted files and may be compromised: it gets no
 * signature for another version, commit, isolation level or content key than ordered.
 */
import { parseContentKey, parseManifest, trustedComment } from '@docyard/bundle';
import type { Signer } from '../context.ts';
import type { ExportOrder } from './messages.ts';

type Ordered = Pick<ExportOrder, 'version' | 'commit' | 'committedAt' | 'isolationLevel' | 'contentKey'>;

export function signManifest(signer: Signer, order: Ordered, bytes: Uint8Array): string {
  requireOrdered(order, bytes);
  const { version, commit } = parseManifest(bytes);
  return signer.sign(bytes, trustedComment({ version, commit }));
}

/** Returns the empty signature of a bundle that is not signed. */
export function requireOrdered(order: Ordered, bytes: Uint8Array): '' {
  const { version, commit, committedAt, isolation, access } = parseManifest(bytes);
  const isOrdered = version === order.version && commit === order.commit && committedAt === order.committedAt;
  // A site without groups has no sealed files, also when a key is ordered.
  const isSealedAsOrdered =
    access === undefined ||
    (order.contentKey !== null && access.keyId === parseContentKey(order.contentKey).keyId);
  if (!isOrdered || isolation !== order.isolationLevel || !isSealedAsOrdered)
    throw new Error('The rendering process created a bundle that does not match its order.');
  return '';
}
