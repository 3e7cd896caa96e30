/**
 * Signs the manifest of a sandboxed process, which reads untrusted files and may be compromised: it gets no
 * signature for another version, commit or isolation level than ordered.
 */
import { parseManifest, trustedComment } from '@docyard/bundle';
import type { Signer } from '../context.ts';
import type { ExportOrder } from './messages.ts';

export function signManifest(
  signer: Signer,
  order: Pick<ExportOrder, 'version' | 'commit' | 'committedAt' | 'isolationLevel'>,
  bytes: Uint8Array,
): string {
  const { version, commit, committedAt, isolation } = parseManifest(bytes);
  const isOrdered = version === order.version && commit === order.commit && committedAt === order.committedAt;
  if (!isOrdered || isolation !== order.isolationLevel)
    throw new Error('The rendering process created a bundle that does not match its order.');
  return signer.sign(bytes, trustedComment({ version, commit }));
}
