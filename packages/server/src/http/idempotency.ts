/**
 * Makes a repeated POST harmless: the answer is kept for a day, in the same transaction as the work itself, so
 * that after a crash either both are there or neither. The kept answer is encrypted under the caller's own
 * idempotency key, because it may hold the text of an API key.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { nowText, type Context } from '../context.ts';
import { exclusively, inTransaction, type Database } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import type { Reach } from '../reach.ts';
import type { Commit, Reply } from './request.ts';

export interface IdempotentRequest {
  /** Callers that reach as far share their keys; others never meet. */
  reach: Reach;
  key: string | undefined;
  method: string;
  target: string;
  body: Uint8Array;
  successStatus: number;
}

type KeyedRequest = IdempotentRequest & { name: string; key: string };

const keptHours = 24;

export class Idempotency {
  readonly #context: Context;
  readonly #inFlight = new Set<string>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Runs the work, or gives the kept answer of the first time. */
  async run(
    request: IdempotentRequest,
    work: (commit: Commit) => Promise<Reply<unknown> | Response>,
  ): Promise<Reply<unknown> | Response> {
    const { key } = request;
    if (key === undefined) return work(this.#commitWith(undefined));
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new Problem('invalid_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
    }
    const record = { ...request, name: this.#nameOf(request.reach, key), key };
    const kept = await this.#find(this.#context.database, record);
    if (kept !== undefined) return kept;
    if (this.#inFlight.has(record.name)) {
      throw new Problem(
        'idempotency_in_progress',
        'A request with this Idempotency-Key is being handled. Try again.',
        {
          headers: { 'retry-after': '1' },
        },
      );
    }
    this.#inFlight.add(record.name);
    try {
      return await work(this.#commitWith(record));
    } finally {
      this.#inFlight.delete(record.name);
    }
  }

  #commitWith(record: KeyedRequest | undefined): Commit {
    return async <Body>(work: (context: Context) => Promise<Reply<Body>>) => {
      const reply = await inTransaction(this.#context.database, async (database) => {
        if (record !== undefined) {
          // Another process may have been given the same request and be done by now.
          await exclusively(database, `idempotency:${record.name}`);
          const kept = await this.#find(database, record);
          if (kept !== undefined) return kept as Reply<Body>;
        }
        const made = await work({ ...this.#context, database });
        if (record !== undefined) {
          await database
            .insertInto('idempotency')
            .values({
              organization_id: record.reach.organizationId,
              key: record.name,
              fingerprint: fingerprint(record),
              status: made.status ?? record.successStatus,
              headers: JSON.stringify(made.headers ?? {}),
              body: this.#seal(record, JSON.stringify(made.body ?? null)),
              created_at: nowText(this.#context),
            })
            .execute();
        }
        return made;
      });
      await reply.after?.();
      return reply;
    };
  }

  async #find(database: Database, record: KeyedRequest): Promise<Reply<unknown> | undefined> {
    const oldest = new Date(this.#context.clock.now().getTime() - keptHours * 3_600_000).toISOString();
    const row = await database
      .selectFrom('idempotency')
      .selectAll()
      .where('organization_id', '=', record.reach.organizationId)
      .where('key', '=', record.name)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    if (row.created_at < oldest) {
      await database
        .deleteFrom('idempotency')
        .where('organization_id', '=', record.reach.organizationId)
        .where('key', '=', record.name)
        .execute();
      return undefined;
    }
    if (row.fingerprint !== fingerprint(record)) {
      throw new Problem(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another request within the last 24 hours. Use a new one.',
      );
    }
    return {
      status: row.status,
      headers: { ...(JSON.parse(row.headers) as Record<string, string>), 'idempotency-replayed': 'true' },
      body: JSON.parse(this.#unseal(record, row.body)) as unknown,
    };
  }

  #nameOf(reach: Reach, key: string): string {
    return createHmac('sha256', this.#context.secrets.keyPepper)
      .update(`${ownerOf(reach)}:${key}`)
      .digest('hex');
  }

  #sealingKey(record: { reach: Reach; key: string }): Buffer {
    const { keyPepper } = this.#context.secrets;
    return Buffer.from(hkdfSync('sha256', keyPepper, ownerOf(record.reach), `idempotency/${record.key}`, 32));
  }

  #seal(record: { reach: Reach; key: string }, text: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#sealingKey(record), nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  #unseal(record: { reach: Reach; key: string }, text: string): string {
    const bytes = Buffer.from(text, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#sealingKey(record), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  }
}

/** Ids hold no colon or slash, and the key comes last: no two owners and keys make the same text. */
function ownerOf({ organizationId, projectId }: Reach): string {
  return projectId === null ? organizationId : `${organizationId}/${projectId}`;
}

function fingerprint(request: IdempotentRequest): string {
  return createHash('sha256')
    .update(`${request.method} ${request.target}\n`)
    .update(request.body)
    .digest('hex');
}
