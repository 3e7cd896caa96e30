/**
 * Downloads a bundle to a file: resumes what broke off, renews a link that expired on the way, and moves the
 * file to its place only when its SHA-256 is the promised one. Node only; the rest of the package is not.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { pause, type DocyardClient } from './client.ts';
import type { Bundle } from './schemas.ts';

export interface DownloadOptions {
  /** The job whose bundle is here already: what is downloaded is then the delta from there. */
  since?: string;
  onProgress?: (receivedBytes: number, totalBytes: number) => void;
  /** Tries without any new byte before giving up. */
  tries?: number;
  /** A connection that brings nothing for this long counts as broken. Default 30. */
  stallSeconds?: number;
  signal?: AbortSignal;
  fetch?: typeof fetch;
}

export class DownloadError extends Error {
  override name = 'DownloadError';
}

export async function downloadBundle(
  client: DocyardClient,
  jobId: string,
  file: string,
  options: DownloadOptions = {},
): Promise<Bundle> {
  const freshLink = () =>
    client.call(
      'createBundle',
      { params: { jobId }, ...(options.since === undefined ? {} : { body: { since: options.since } }) },
      options.signal === undefined ? {} : { signal: options.signal },
    );
  let bundle = await freshLink();
  const partial = `${file}.${bundle.sha256.slice(0, 16)}.part`;
  let received = await sizeOf(partial);
  if (received > bundle.sizeBytes) received = 0;
  let most = received;
  let idleTries = 0;
  while (received < bundle.sizeBytes) {
    const outcome = await receive(bundle, partial, received, options);
    received = outcome.received;
    if (received >= bundle.sizeBytes) break;
    idleTries = received > most ? 0 : idleTries + 1;
    most = Math.max(most, received);
    if (idleTries >= (options.tries ?? 5)) throw outcome.error;
    if (outcome.linkSpent) bundle = await freshLink();
    else await pause(Math.min(0.25 * 2 ** idleTries, 5), options.signal);
  }
  if ((await sha256Of(partial)) !== bundle.sha256) {
    await unlink(partial);
    throw new DownloadError(
      `The download of ${jobId} does not have the promised SHA-256; it was thrown away.`,
    );
  }
  await rename(partial, file);
  return bundle;
}

interface Outcome {
  received: number;
  linkSpent: boolean;
  /** Why it ended before the whole file was there. */
  error: Error;
}

/**
 * One request for the rest of the file. Whatever arrives is kept, so that the next one starts there. Trouble with
 * the network ends up in the outcome; trouble with the file is thrown, since another try would not help.
 */
async function receive(
  bundle: Bundle,
  partial: string,
  from: number,
  options: DownloadOptions,
): Promise<Outcome> {
  const watch = watchForStall(options);
  let received = from;
  let handle: FileHandle | undefined;
  const broken = (error: Error, linkSpent = false): Outcome => ({ received, linkSpent, error });
  try {
    const response = await watch.orError(
      (options.fetch ?? fetch)(bundle.bundleUrl, {
        // Without `identity` a proxy may compress, and neither ranges nor the size would fit any more.
        headers: { 'accept-encoding': 'identity', ...(from === 0 ? {} : { range: `bytes=${from}-` }) },
        signal: watch.signal,
      }),
    );
    if (response instanceof Error) return broken(response);
    if (response.status === 403 || response.status === 410) {
      return broken(new DownloadError(`The server refuses the link with ${response.status}.`), true);
    }
    if ((response.status !== 200 && response.status !== 206) || response.body === null) {
      return broken(new DownloadError(`The server answered ${response.status}.`));
    }
    if (response.status === 206 && !response.headers.get('content-range')?.startsWith(`bytes ${from}-`)) {
      return broken(new DownloadError('The server sent another part of the file than the one asked for.'));
    }
    if (response.status === 200) received = 0;
    handle = await open(partial, received === 0 ? 'w' : 'a');
    const reader = response.body.getReader();
    while (received <= bundle.sizeBytes) {
      const part = await watch.orError(reader.read());
      if (part instanceof Error) return broken(part);
      if (part.done) break;
      await handle.appendFile(part.value);
      received += part.value.length;
      options.onProgress?.(received, bundle.sizeBytes);
    }
    await handle.sync();
    return broken(new DownloadError(`The server sent ${received} of ${bundle.sizeBytes} bytes.`));
  } finally {
    watch.stop();
    await handle?.close();
  }
}

/** Aborts what it watches when one step takes too long, and at the end, so that no connection stays open. */
function watchForStall(options: DownloadOptions) {
  const stallSeconds = options.stallSeconds ?? 30;
  const controller = new AbortController();
  const { signal } = options;
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    stop: () => controller.abort(),
    async orError<T>(step: Promise<T>): Promise<T | Error> {
      const stalled = new DownloadError(`Nothing arrived for ${stallSeconds} seconds.`);
      const timer = setTimeout(() => controller.abort(stalled), stallSeconds * 1000);
      try {
        return await step;
      } catch (error) {
        signal?.throwIfAborted();
        return error instanceof Error ? error : new DownloadError(String(error));
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.size,
    () => 0,
  );
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
