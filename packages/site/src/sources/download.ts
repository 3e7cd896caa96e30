/**
 * Downloads a file over HTTP with resume, renewed links, stall detection and a size limit. The content is
 * untrusted.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { isDiskFull } from '../disk/disk-full.ts';
import { SourceError, type Fetch } from './source.ts';

export interface Remote {
  /** The address without secrets, for messages. */
  origin: string;
  /** The current link, or with `renew` a new one. Undefined when there is none. */
  link(renew: boolean): Promise<string | undefined>;
  /** The message when the link has expired and there is no other. */
  spent: string;
  fetch: Fetch;
}

export interface DownloadLimits {
  bytes: number;
  stallSeconds: number;
  /** Also stops a sender that trickles bytes. */
  totalSeconds: number;
  /** Attempts without progress. */
  tries: number;
}

export const pauseMs = { first: 250, max: 5000 };

/** Far above any real export. */
export const defaultLimits: DownloadLimits = {
  bytes: 8_000_000_000,
  stallSeconds: 30,
  totalSeconds: 6 * 3600,
  tries: 5,
};

export async function download(
  remote: Remote,
  file: string,
  { signal, limits = defaultLimits }: { signal: AbortSignal; limits?: DownloadLimits },
): Promise<void> {
  const handle = await open(file, 'wx').catch((error: unknown) => {
    throw diskFull(error);
  });
  const deadline = AbortSignal.timeout(limits.totalSeconds * 1000);
  try {
    await receiveAll(remote, handle, { signal: AbortSignal.any([signal, deadline]), limits });
  } catch (error) {
    await handle.close();
    await rm(file, { force: true });
    signal.throwIfAborted();
    if (deadline.aborted)
      throw new SourceError('broken_off', `${remote.origin} took more than ${limits.totalSeconds} seconds.`);
    throw diskFull(error);
  }
  await handle.close();
}

interface Progress {
  received: number;
  /** Identifies the partial content; the rest must match it. */
  etag: string | null;
}

async function receiveAll(
  remote: Remote,
  handle: FileHandle,
  { signal, limits }: { signal: AbortSignal; limits: DownloadLimits },
): Promise<void> {
  const progress: Progress = { received: 0, etag: null };
  let link = await remote.link(false);
  for (let idleTries = 0; ;) {
    if (link === undefined) throw new SourceError('link_expired', remote.spent);
    const before = progress.received;
    const outcome = await receive(link, handle, progress, { signal, limits, remote });
    if (outcome === 'whole') return;
    idleTries = progress.received > before ? 0 : idleTries + 1;
    if (idleTries >= limits.tries) throw outcome === 'spent' ? spentLink(remote) : outcome;
    if (outcome === 'spent') link = await remote.link(true);
    else await pause(Math.min(pauseMs.first * 2 ** idleTries, pauseMs.max), undefined, { signal });
  }
}

function spentLink(remote: Remote): SourceError {
  return new SourceError('link_expired', remote.spent);
}

interface Receiving {
  signal: AbortSignal;
  limits: DownloadLimits;
  remote: Remote;
}

/** One request for the rest. Network errors are returned and retried; others are thrown. */
async function receive(
  link: string,
  handle: FileHandle,
  progress: Progress,
  { signal, limits, remote }: Receiving,
): Promise<'whole' | 'spent' | SourceError> {
  const { origin } = remote;
  const stall = new AbortController();
  const silence = `${origin} sent nothing for ${limits.stallSeconds} seconds.`;
  const timer = setTimeout(() => stall.abort(), limits.stallSeconds * 1000);
  const from = progress.received;
  try {
    const response = await remote.fetch(link, {
      headers: {
        'accept-encoding': 'identity',
        ...(from === 0 ? {} : { range: `bytes=${from}-` }),
        ...(from === 0 || progress.etag === null ? {} : { 'if-range': progress.etag }),
      },
      signal: AbortSignal.any([signal, stall.signal]),
    });
    if (response.status === 403 || response.status === 410) return await leave(response, 'spent');
    if (response.status !== 200 && response.status !== 206)
      return await leave(response, answered(origin, response.status));
    const total = await beginAt(response, handle, progress);
    if (total === undefined)
      return await leave(response, new SourceError('broken_off', `${origin} sent another range.`));
    for await (const part of response.body ?? []) {
      timer.refresh();
      if (progress.received + part.length > limits.bytes)
        throw new SourceError('too_large', `${origin} has more than ${limits.bytes / 1e9} GB.`);
      await handle.write(part, 0, part.length, progress.received);
      progress.received += part.length;
    }
    if (total === null || progress.received === total) return 'whole';
    return new SourceError('broken_off', `${origin} sent ${progress.received} of ${total} bytes.`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceError || isOfDisk(error)) throw error;
    if (stall.signal.aborted) return new SourceError('broken_off', silence);
    return unreachable(origin, error);
  } finally {
    clearTimeout(timer);
    stall.abort();
  }
}

/** Returns the total size, null if unknown, or undefined when the response is not the requested range. */
async function beginAt(
  response: Response,
  handle: FileHandle,
  progress: Progress,
): Promise<number | null | undefined> {
  const etag = response.headers.get('etag');
  if (response.status === 206) {
    const [, start, total] =
      /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    return Number(start) === progress.received ? Number(total) : undefined;
  }
  await handle.truncate(0);
  progress.received = 0;
  progress.etag = etag?.startsWith('W/') ? null : etag;
  const length = response.headers.get('content-length');
  return length === null ? null : Number(length);
}

async function leave<Outcome>(response: Response, outcome: Outcome): Promise<Outcome> {
  await response.body?.cancel();
  return outcome;
}

export function answered(origin: string, status: number): SourceError {
  const failure = status === 404 ? 'not_found' : status === 401 ? 'denied' : 'unreachable';
  return new SourceError(failure, `${origin} responded with status ${status}.`);
}

export function unreachable(origin: string, error: unknown): SourceError {
  const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
  return new SourceError('unreachable', `${origin}: ${cause?.code ?? cause?.message ?? message}.`);
}

const diskCodes = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG'];

function isOfDisk(error: unknown): boolean {
  return diskCodes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Other errors are returned unchanged. */
export function diskFull(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return new SourceError('disk_full', 'Free some space in the data folder, or keep fewer releases.');
}
