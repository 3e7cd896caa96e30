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

type KeyedRequest = IdempotentRequest & { names: PepperedNames; key: string };

/** How a record is found: under the active pepper first. */
type PepperedNames = readonly [PepperedName, ...PepperedName[]];

interface PepperedName {
  name: string;
  pepper: Buffer;
}

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
    const names = this.#namesOf(request.reach, key);
    const record = { ...request, names, key };
    const [{ name }] = names;
    const kept = await this.#find(this.#context.database, record);
    if (kept !== undefined) return kept;
    if (this.#inFlight.has(name)) {
      throw new Problem(
        'idempotency_in_progress',
        'A request with this Idempotency-Key is being handled. Try again.',
        {
          headers: { 'retry-after': '1' },
        },
      );
    }
    this.#inFlight.add(name);
    try {
      return await work(this.#commitWith(record));
    } finally {
      this.#inFlight.delete(name);
    }
  }

  #commitWith(record: KeyedRequest | undefined): Commit {
    return async <Body>(work: (context: Context) => Promise<Reply<Body>>) => {
      const reply = await inTransaction(this.#context.database, async (database) => {
        if (record !== undefined) {
          // Another process may have been given the same request and be done by now.
          for (const name of record.names.map((each) => each.name).toSorted())
            await exclusively(database, `idempotency:${name}`);
          const kept = await this.#find(database, record);
          if (kept !== undefined) return kept as Reply<Body>;
        }
        const made = await work({ ...this.#context, database });
        if (record !== undefined) {
          await database
            .insertInto('idempotency')
            .values({
              organization_id: record.reach.organizationId,
              key: record.names[0].name,
              fingerprint: fingerprint(record),
              status: made.status ?? record.successStatus,
              headers: JSON.stringify(made.headers ?? {}),
              body: seal(record, JSON.stringify(made.body ?? null)),
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
      .where(
        'key',
        'in',
        record.names.map(({ name }) => name),
      )
      .executeTakeFirst();
    if (row === undefined) return undefined;
    if (row.created_at < oldest) {
      await database
        .deleteFrom('idempotency')
        .where('organization_id', '=', record.reach.organizationId)
        .where('key', '=', row.key)
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
      body: JSON.parse(unseal(record, row)) as unknown,
    };
  }

  #namesOf(reach: Reach, key: string): PepperedNames {
    const { keyPepper, otherPeppers } = this.#context.secrets;
    const named = (pepper: Buffer) => {
      const name = createHmac('sha256', pepper)
        .update(`${ownerOf(reach)}:${key}`)
        .digest('hex');
      return { name, pepper };
    };
    return [named(keyPepper), ...otherPeppers.map((other) => named(other.key))];
  }
}

function sealingKey({ reach, key }: KeyedRequest, pepper: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, ownerOf(reach), `idempotency/${key}`, 32));
}

function seal(record: KeyedRequest, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(record, record.names[0].pepper), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

function unseal(record: KeyedRequest, row: { key: string; body: string }): string {
  const { pepper } = record.names.find(({ name }) => name === row.key) ?? record.names[0];
  const bytes = Buffer.from(row.body, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(record, pepper), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
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
