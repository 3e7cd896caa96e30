/**
 * Signs the manifest that a rendering process has made. The process reads strangers' files and may have been turned by one,
 * so it gets no signature for another version, commit or isolation than it was asked for.
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
    throw new Error('The rendering process made another bundle than it was asked for.');
  return signer.sign(bytes, trustedComment({ version, commit }));
}
