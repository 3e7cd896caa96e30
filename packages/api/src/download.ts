/**
 * Downloads a bundle to a file. Resumes interrupted downloads, renews expired links, and moves the file into place only when
 * its SHA-256 matches. The only module of this package that requires Node.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { pause, type DocyardClient } from './client.ts';
import type { Bundle } from './schemas.ts';

export interface DownloadOptions {
  /** A job whose bundle is present locally. Downloads the delta from that bundle. */
  since?: string;
  onProgress?: (receivedBytes: number, totalBytes: number) => void;
  /** Consecutive attempts without a new byte before giving up. */
  tries?: number;
  /** Abort a connection that sends nothing for this long. Default 30. */
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
  let maxReceived = received;
  let idleTries = 0;
  while (received < bundle.sizeBytes) {
    const outcome = await receive(bundle, partial, received, options);
    received = outcome.received;
    if (received >= bundle.sizeBytes) break;
    idleTries = received > maxReceived ? 0 : idleTries + 1;
    maxReceived = Math.max(maxReceived, received);
    if (idleTries >= (options.tries ?? 5)) throw outcome.error;
    if (outcome.isLinkExpired) bundle = await freshLink();
    else await pause(Math.min(0.25 * 2 ** idleTries, 5), options.signal);
  }
  if ((await sha256Of(partial)) !== bundle.sha256) {
    await unlink(partial);
    throw new DownloadError(`The download of ${jobId} has the wrong SHA-256 and was deleted. Try again.`);
  }
  await rename(partial, file);
  return bundle;
}

interface Outcome {
  received: number;
  isLinkExpired: boolean;
  /** Why the download is incomplete. */
  error: Error;
}

/** Requests the rest of the file. Network errors are returned for a retry; file system errors are thrown. */
async function receive(
  bundle: Bundle,
  partial: string,
  from: number,
  options: DownloadOptions,
): Promise<Outcome> {
  const watch = watchForStall(options);
  let received = from;
  let handle: FileHandle | undefined;
  const broken = (error: Error, isLinkExpired = false): Outcome => ({ received, isLinkExpired, error });
  try {
    const response = await watch.orError(
      (options.fetch ?? fetch)(bundle.bundleUrl, {
        // A compressing proxy would invalidate ranges and the size.
        headers: { 'accept-encoding': 'identity', ...(from === 0 ? {} : { range: `bytes=${from}-` }) },
        signal: watch.signal,
      }),
    );
    if (response instanceof Error) return broken(response);
    if (response.status === 403 || response.status === 410) {
      return broken(new DownloadError(`The server refused the link with ${response.status}.`), true);
    }
    if ((response.status !== 200 && response.status !== 206) || response.body === null) {
      return broken(new DownloadError(`The server answered ${response.status}.`));
    }
    if (response.status === 206 && !response.headers.get('content-range')?.startsWith(`bytes ${from}-`)) {
      return broken(new DownloadError('The server sent a different range than requested.'));
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

/** Aborts the request when one step takes too long, and when stopped. */
function watchForStall(options: DownloadOptions) {
  const stallSeconds = options.stallSeconds ?? 30;
  const controller = new AbortController();
  const { signal } = options;
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    stop: () => controller.abort(),
    async orError<T>(step: Promise<T>): Promise<T | Error> {
      const stalled = new DownloadError(`No data arrived for ${stallSeconds} seconds.`);
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
