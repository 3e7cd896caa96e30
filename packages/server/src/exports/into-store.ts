/** Moves a bundle from the process that packs it into the store: complete, or no object exists. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { usualLimits } from '@docyard/bundle';
import { JobFailure } from '../jobs/failure.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Answer, runInProcess } from './process.ts';

type Taking = Pick<Parameters<typeof runInProcess<'exported'>>[2], 'takeOutput' | 'outputFile'>;

/** Where objects are files, the process writes the temporary file that becomes the object; else the bundle passes through a pipe. */
export async function intoStore(
  blobs: Blobs,
  { bundle, signal }: { bundle: string; signal: AbortSignal },
  run: (taking: Taking) => Promise<Answer<'exported'>>,
): Promise<Answer<'exported'>> {
  if (blobs.putFile === undefined) {
    return run({
      takeOutput: (output, answered) =>
        blobs.putStream(bundle, Readable.from(whole(output, answered)), signal),
    });
  }
  const exported = Promise.withResolvers<Answer<'exported'>>();
  await blobs.putFile(bundle, async (path) => {
    exported.resolve(await run({ outputFile: path }));
    const written = createReadStream(path, { highWaterMark: readBytes, signal });
    for await (const _ of whole(written, exported.promise));
  });
  return exported.promise;
}

const readBytes = 1024 ** 2;

/** Ends well only when every byte has arrived that was packed; else there must be no object. */
async function* whole(output: Readable, answered: Promise<Answer<'exported'>>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of output as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > usualLimits.contentBytes)
      throw new JobFailure('too_large', `The bundle is larger than ${usualLimits.contentBytes} bytes.`);
    yield chunk;
  }
  const packed = await answered;
  if (sizeBytes !== packed.sizeBytes || hash.digest('hex') !== packed.sha256)
    throw new Error('The bundle did not arrive as it was packed.');
}
