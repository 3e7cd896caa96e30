/** A read-only S3 bucket. The library is large: import this file only where an address names a bucket. */
import { Readable } from 'node:stream';
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { type Bucket, BucketError, type BucketObject } from './bucket.ts';
import { makeS3Clients, parseS3Url, s3ErrorReason } from './s3-client.ts';

/** Listing more objects at every refresh would be expensive. */
const maxObjects = 10_000;

/** Throws for a malformed address. Does not connect. */
export async function openS3Bucket(url: string): Promise<Bucket> {
  const location = parseS3Url(url);
  const { prompt } = await makeS3Clients(location);
  const path = location.prefix.slice(0, -1);
  const prefix = /\.(tar\.gz|tgz)$/.test(path) ? path : location.prefix;
  return new S3Bucket(prompt, location.bucket, prefix);
}

class S3Bucket implements Bucket {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(client: S3Client, bucket: string, prefix: string) {
    this.#client = client;
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async *objects(signal: AbortSignal): AsyncGenerator<BucketObject> {
    const where = { Bucket: this.#bucket, Prefix: this.#prefix };
    let seen = 0;
    try {
      for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, where)) {
        signal.throwIfAborted();
        for (const { Key = '', ETag = '', Size = 0, LastModified = new Date(0) } of Contents)
          yield { name: Key, etag: ETag, sizeBytes: Size, modifiedAt: LastModified };
        seen += Contents.length;
        if (seen > maxObjects) throw new Error(`more than ${maxObjects} objects`);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw unavailable(error);
    }
  }

  read({ name, etag }: BucketObject, signal: AbortSignal): Readable {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: name, IfMatch: etag });
    const get = async () =>
      this.#client.send(command, { abortSignal: signal }).catch((error: unknown) => {
        throw unavailable(error);
      });
    async function* chunks() {
      yield* (await get()).Body as AsyncIterable<Uint8Array>;
    }
    return Readable.from(chunks(), { objectMode: false });
  }
}

function unavailable(error: unknown): BucketError {
  return new BucketError(
    `The object storage cannot be used at the moment (${s3ErrorReason(error)}). Try again shortly.`,
    { cause: error },
  );
}
