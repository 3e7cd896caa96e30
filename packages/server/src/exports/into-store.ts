/**
 * How a bundle gets from the process that packs it to the store: whole, or there is no object. It decides nothing about the
 * process, which is run by whoever asks.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { usualLimits } from '../bundles/reader.ts';
import { JobFailure } from '../jobs/failure.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Answer, runInProcess } from './process.ts';

type Taking = Pick<Parameters<typeof runInProcess<'exported'>>[2], 'takeOutput' | 'outputFile'>;

/**
 * Where objects are files, the process writes the bundle where it will lie: passing on 110 MB takes half a second. One that was
 * started beforehand did not know where that is; what it has written is moved there.
 */
export async function intoStore(
  blobs: Blobs,
  { bundle, writtenTo, signal }: { bundle: string; writtenTo: string | undefined; signal: AbortSignal },
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
    exported.resolve(await run({ outputFile: writtenTo ?? path }));
    if (writtenTo !== undefined) await move(writtenTo, path);
    const written = createReadStream(path, { highWaterMark: readBytes, signal });
    for await (const _ of whole(written, exported.promise));
  });
  return exported.promise;
}

const readBytes = 1024 ** 2;

/** The store may lie on another disk. */
async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error;
    await copyFile(from, to);
  });
}

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
