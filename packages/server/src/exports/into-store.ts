/**
 * Moves a bundle from the process that packs it into the store. No object exists unless the bundle is
 * complete.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { defaultReadingLimits } from '@docyard/bundle';
import { JobFailedError } from '../jobs/failure.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Answer, runInProcess } from './process.ts';

type OutputOptions = Pick<Parameters<typeof runInProcess<'exported'>>[2], 'takeOutput' | 'outputFile'>;

/** The folder store lets the process write the temporary file directly; other stores read a pipe. */
export async function intoStore(
  blobs: Blobs,
  { bundle, signal }: { bundle: string; signal: AbortSignal },
  run: (output: OutputOptions) => Promise<Answer<'exported'>>,
): Promise<Answer<'exported'>> {
  if (blobs.putFile === undefined) {
    return run({
      takeOutput: (output, answered) =>
        blobs.putStream(bundle, Readable.from(verified(output, answered)), signal),
    });
  }
  const exported = Promise.withResolvers<Answer<'exported'>>();
  await blobs.putFile(bundle, async (path) => {
    exported.resolve(await run({ outputFile: path }));
    const written = createReadStream(path, { highWaterMark: readBytes, signal });
    for await (const _ of verified(written, exported.promise));
  });
  return exported.promise;
}

const readBytes = 1024 ** 2;

/** Throws unless size and hash match what the process reports. */
async function* verified(
  output: Readable,
  answered: Promise<Answer<'exported'>>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of output as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > defaultReadingLimits.contentBytes)
      throw new JobFailedError(
        'too_large',
        `The bundle is larger than ${defaultReadingLimits.contentBytes} bytes.`,
      );
    yield chunk;
  }
  const packed = await answered;
  if (sizeBytes !== packed.sizeBytes || hash.digest('hex') !== packed.sha256)
    throw new Error('The stored bundle differs from the packed one.');
}
