/**
 * The process that makes one delta and ends with it. Comparing files of megabytes byte by byte would keep the server from
 * answering. It gets files and leaves a file; it has no network, no database and no secret.
 */
import { closeSync, createReadStream } from 'node:fs';
import { BundleRefused, makeDelta } from '@docyard/bundle';
import { isDiskFullOrLimited } from '@docyard/site/disk';
import { firstFileDescriptor } from '../rendering/protocol.ts';
import type { DeltaMessage } from './delta.ts';

process.once('message', () => {
  make()
    .catch((error: unknown) => say(explain(error)))
    .finally(() => process.disconnect());
});
// Without a parent there is nobody to work for.
process.once('disconnect', () => process.exit());

/** In the order in which the server has opened them. */
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
  say({ type: 'made', sizeBytes, sha256 });
}

function explain(error: unknown): DeltaMessage {
  const reason =
    error instanceof BundleRefused ? 'not_bundles' : isDiskFullOrLimited(error) ? 'disk_full' : 'internal';
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: 'failed', reason, message: text.slice(0, 4000) };
}

function say(message: DeltaMessage): void {
  process.send?.(message);
}
