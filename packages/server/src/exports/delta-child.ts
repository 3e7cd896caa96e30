/**
 * The process that makes one delta and ends with it. Comparing files of megabytes byte by byte would keep the server from
 * answering. It gets files and leaves a file; it has no network, no database and no secret.
 */
import { closeSync, createReadStream, openSync } from 'node:fs';
import { makeDelta } from '../bundles/delta-making.ts';
import { BundleRefused } from '../bundles/refusal.ts';
import type { DeltaMessage, DeltaOrder } from './delta.ts';

process.once('message', (order: DeltaOrder) => {
  make(order)
    .catch((error: unknown) => say(explain(error)))
    .finally(() => process.disconnect());
});
// Without a parent there is nobody to work for.
process.once('disconnect', () => process.exit());

async function make({ baseFile, targetFile, deltaFile, spoolFile }: DeltaOrder): Promise<void> {
  const output = openSync(deltaFile, 'wx', 0o600);
  const [base, target] = [createReadStream(baseFile), createReadStream(targetFile)];
  const { sizeBytes, sha256 } = await makeDelta({ base, target, spoolFile, output });
  closeSync(output);
  say({ type: 'made', sizeBytes, sha256 });
}

function explain(error: unknown): DeltaMessage {
  const { code } = error as NodeJS.ErrnoException;
  const reason =
    error instanceof BundleRefused
      ? 'not_bundles'
      : code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
        ? 'disk_full'
        : 'internal';
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: 'failed', reason, message: text.slice(0, 4000) };
}

function say(message: DeltaMessage): void {
  process.send?.(message);
}
