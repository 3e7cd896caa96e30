/**
 * The sandboxed process that makes one delta and then exits. A comparison of large files would block the
 * event loop of the server.
 */
import { closeSync, createReadStream } from 'node:fs';
import { BundleRefusedError, makeDelta } from '@docyard/bundle';
import { isDiskFullOrLimited } from '@docyard/site/disk';
import { firstFileDescriptor } from '../sandbox/protocol.ts';
import type { DeltaMessage } from './delta.ts';

process.once('message', () => {
  make()
    .catch((error: unknown) => sendMessage(explain(error)))
    .finally(() => process.disconnect());
});
// The parent has ended.
process.once('disconnect', () => process.exit());

/** In the order in which `delta.ts` opens them. */
const openFiles = {
  base: firstFileDescriptor,
  target: firstFileDescriptor + 1,
  delta: firstFileDescriptor + 2,
  spool: firstFileDescriptor + 3,
};

async function make(): Promise<void> {
  const base = createReadStream('', { fd: openFiles.base });
  const target = createReadStream('', { fd: openFiles.target });
  const { delta: output, spool } = openFiles;
  const { sizeBytes, sha256 } = await makeDelta({ base, target, spool, output });
  closeSync(output);
  sendMessage({ type: 'made', sizeBytes, sha256 });
}

function explain(error: unknown): DeltaMessage {
  const reason =
    error instanceof BundleRefusedError
      ? 'not_bundles'
      : isDiskFullOrLimited(error)
        ? 'disk_full'
        : 'internal';
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: 'failed', reason, message: text.slice(0, 4000) };
}

function sendMessage(message: DeltaMessage): void {
  process.send?.(message);
}
