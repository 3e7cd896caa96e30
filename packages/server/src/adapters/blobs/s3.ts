/**
 * Objects in an S3 bucket. Uploads are multipart streams without a local file; downloads are presigned URLs.
 * The library loads slowly: import this file only where a bucket is configured.
 */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { makeS3Clients, parseS3Url, s3ErrorReason, type S3Clients, type S3Location } from '@docyard/site/s3';
import { checkBlobName, type BlobInfo, type BlobLink, type Blobs } from '../../ports/blobs.ts';
import type { Measures } from '../../ports/telemetry.ts';
import { Problem } from '../../problem.ts';

/** S3 allows 10,000 parts per object. */
const partBytes = 8 * 1024 * 1024;
const partsInFlight = 3;
const smallObjectSeconds = 30;

/** Throws a readable message for an invalid URL. Does not connect. */
export async function openS3Blobs(url: string, measures?: Pick<Measures, 's3Requested'>): Promise<Blobs> {
  const location = parseS3Url(url);
  return new S3Blobs(location, await makeS3Clients(location, measures));
}

class S3Blobs implements Blobs {
  readonly #location: S3Location;
  readonly #patient: S3Client;
  readonly #prompt: S3Client;

  constructor(location: S3Location, { patient, prompt }: S3Clients) {
    this.#location = location;
    this.#patient = patient;
    this.#prompt = prompt;
  }

  async putBytes(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<BlobInfo> {
    return this.putStream(name, Readable.from([bytes]), signal);
  }

  async putStream(name: string, stream: Readable, signal?: AbortSignal): Promise<BlobInfo> {
    const object = this.#object(name);
    signal?.throwIfAborted();
    const source = counted(stream);
    const upload = new Upload({
      client: this.#patientUntil(signal),
      params: { ...object, Body: Readable.from(source.chunks), ContentType: contentTypeOf(name) },
      partSize: partBytes,
      queueSize: partsInFlight,
    });
    const abort = () => void upload.abort();
    signal?.addEventListener('abort', abort, { once: true });
    const failure: unknown = await upload.done().then(
      () => undefined,
      (error: unknown) => error,
    );
    signal?.removeEventListener('abort', abort);
    stream.destroy();
    signal?.throwIfAborted();
    if (source.failure !== undefined) throw source.failure;
    if (!source.isWhole) throw unavailable(failure);
    // A response may be lost although the upload succeeded, so the stored object decides.
    const stored = await this.#head(this.#patientUntil(signal), name).catch((error: unknown) => {
      throw unavailable(failure ?? error);
    });
    if (stored?.sizeBytes === source.sizeBytes) return stored;
    throw unavailable(failure ?? new Error('LengthDiffers'));
  }

  async stat(name: string): Promise<BlobInfo | undefined> {
    return this.#head(this.#prompt, name);
  }

  read(name: string, range?: { start: number; end: number }): Readable {
    const object = this.#object(name);
    const bytes = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    const command = new GetObjectCommand({ ...object, ...bytes });
    const closed = new AbortController();
    const get = async () =>
      this.#prompt.send(command, { abortSignal: closed.signal }).catch((error: unknown) => {
        throw isMissing(error) ? new Error(`There is no object ${name}.`) : unavailable(error);
      });
    async function* chunks() {
      yield* (await get()).Body as AsyncIterable<Uint8Array>;
    }
    const stream = Readable.from(chunks(), { objectMode: false });
    return stream.once('close', () => closed.abort());
  }

  async readBytes(name: string): Promise<Uint8Array> {
    const stream = this.read(name);
    const giveUp = () => stream.destroy(unavailable(new Error('TimeoutError')));
    const deadline = setTimeout(giveUp, smallObjectSeconds * 1000);
    return buffer(stream).finally(() => clearTimeout(deadline));
  }

  async removeAll(prefix: string): Promise<void> {
    const below = `${this.#object(prefix).Key}/`;
    const Bucket = this.#location.bucket;
    await orUnavailable(async () => {
      for await (const keys of this.#keysBelow(below)) {
        if (keys.length === 0) continue;
        const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
        const answer = await this.#prompt.send(new DeleteObjectsCommand({ Bucket, Delete }));
        const [first] = answer.Errors ?? [];
        if (first !== undefined) throw new Error(first.Code);
      }
      for await (const { key, uploadId } of this.#uploadsBelow(below)) {
        const which = { Bucket, Key: key, UploadId: uploadId };
        await this.#prompt.send(new AbortMultipartUploadCommand(which)).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
      }
    });
  }

  async *listOwners(): AsyncGenerator<{ owner: string; generations: string[] }> {
    const { prefix } = this.#location;
    yield* byOwner(this.#keysBelow(prefix), prefix);
    yield* byOwner(this.#uploadKeysBelow(prefix), prefix);
  }

  async link(name: string, { seconds, fileName, method }: Parameters<Blobs['link']>[1]): Promise<BlobLink> {
    const object = this.#object(name);
    const disposition = { ResponseContentDisposition: `attachment; filename="${fileName}"` };
    const command =
      method === 'HEAD'
        ? new HeadObjectCommand({ ...object, ...disposition })
        : new GetObjectCommand({ ...object, ...disposition });
    return orUnavailable(async () => {
      const { expiration } = await this.#prompt.config.credentials();
      const signedAt = Math.floor(Date.now() / 1000);
      // A presigned URL expires with the credentials that signed it.
      const credentialSeconds =
        expiration === undefined ? seconds : Math.floor(expiration.getTime() / 1000) - signedAt;
      const expiresIn = Math.min(seconds, credentialSeconds);
      if (expiresIn < 1) throw new Error('ExpiredToken');
      const url = await getSignedUrl(this.#prompt, command, {
        expiresIn,
        signingDate: new Date(signedAt * 1000),
      });
      return { url, expiresAt: new Date((signedAt + expiresIn) * 1000) };
    });
  }

  async check(): Promise<void> {
    const command = new HeadBucketCommand({ Bucket: this.#location.bucket });
    await orUnavailable(() => this.#prompt.send(command));
  }

  /**
   * The upload library passes no signal to its requests. The request that aborts an upload is sent regardless
   * of the signal.
   */
  #patientUntil(signal: AbortSignal | undefined): S3Client {
    if (signal === undefined) return this.#patient;
    const send = (command: GetObjectCommand) =>
      command instanceof AbortMultipartUploadCommand
        ? this.#prompt.send(command)
        : this.#patient.send(command, { abortSignal: signal });
    return Object.assign(Object.create(this.#patient) as S3Client, { send });
  }

  #object(name: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#location;
    return { Bucket: bucket, Key: prefix + checkBlobName(name) };
  }

  async #head(client: S3Client, name: string): Promise<BlobInfo | undefined> {
    const command = new HeadObjectCommand(this.#object(name));
    try {
      return { sizeBytes: (await client.send(command)).ContentLength ?? 0 };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw unavailable(error);
    }
  }

  /** Yields one page of at most 1,000 keys, which is also the limit of one delete request. */
  async *#keysBelow(prefix: string): AsyncGenerator<string[]> {
    const pages = paginateListObjectsV2(
      { client: this.#prompt },
      { Bucket: this.#location.bucket, Prefix: prefix },
    );
    try {
      for await (const { Contents = [] } of pages) yield Contents.map(({ Key = '' }) => Key);
    } catch (error) {
      throw unavailable(error);
    }
  }

  async *#uploadKeysBelow(prefix: string): AsyncGenerator<string[]> {
    for await (const { key } of this.#uploadsBelow(prefix)) yield [key];
  }

  async *#uploadsBelow(prefix: string): AsyncGenerator<{ key: string; uploadId: string }> {
    const where = { Bucket: this.#location.bucket, Prefix: prefix };
    for (let from = {}, more = true; more;) {
      const page = await this.#prompt.send(new ListMultipartUploadsCommand({ ...where, ...from }));
      for (const { Key = '', UploadId = '' } of page.Uploads ?? []) yield { key: Key, uploadId: UploadId };
      from = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
      more = page.IsTruncated === true;
    }
  }
}

interface Source {
  chunks: AsyncGenerator<Uint8Array>;
  sizeBytes: number;
  isWhole: boolean;
  failure: Error | undefined;
}

/** Records whether the producer of the bytes or the upload failed. */
function counted(stream: Readable): Source {
  const source: Source = { chunks: through(), sizeBytes: 0, isWhole: false, failure: undefined };
  async function* through() {
    const made = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    for (;;) {
      const next = await made.next().catch((error: Error) => {
        source.failure = error;
        throw error;
      });
      if (next.done) break;
      source.sizeBytes += next.value.length;
      yield next.value;
    }
    source.isWhole = true;
  }
  return source;
}

/** Keys are sorted, so the keys of an owner are contiguous. */
async function* byOwner(
  pages: AsyncIterable<string[]> | Iterable<string[]>,
  prefix: string,
): AsyncGenerator<{ owner: string; generations: string[] }> {
  let current: { owner: string; generations: string[] } | undefined;
  for await (const keys of pages) {
    for (const key of keys) {
      const [owner = '', generation = ''] = key.slice(prefix.length).split('/');
      if (owner !== current?.owner) {
        if (current !== undefined) yield current;
        current = { owner, generations: [] };
      }
      if (!current.generations.includes(generation)) current.generations.push(generation);
    }
  }
  if (current !== undefined) yield current;
}

function contentTypeOf(name: string): string {
  return name.endsWith('.json') ? 'application/json' : 'application/gzip';
}

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(error);
  }
}

function isMissing(error: unknown): boolean {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404;
}

/** Callers can only retry, regardless of the cause. */
function unavailable(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(
    'storage_unavailable',
    `The object storage cannot be used at the moment (${s3ErrorReason(error)}). Try again shortly.`,
    { headers: { 'retry-after': '5' }, cause: error },
  );
}
