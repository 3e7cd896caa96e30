/**
 * Makes a repeated POST harmless: the answer is kept for a day, in the same transaction as the work itself, so
 * that after a crash either both are there or neither. The kept answer is encrypted under the caller's own
 * idempotency key, because it may hold the text of an API key.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { nowText, type Context } from '../context.ts';
import { exclusively, inTransaction, type Database, type IdempotencyRow } from '../ports/database.ts';
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

export type KeyedRequest = IdempotentRequest & { names: PepperedNames; key: string };

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
    work: (commit: Commit, record: KeyedRequest | undefined) => Promise<Reply<unknown> | Response>,
  ): Promise<Reply<unknown> | Response> {
    const { key } = request;
    if (key === undefined) return work(this.#commitWith(undefined), undefined);
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
      throw new Problem('invalid_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
    }
    const names = this.#namesOf(request.reach, key);
    const record: KeyedRequest = { ...request, names, key };
    const [{ name }] = names;
    const kept = await this.#find(this.#context.database, [record]);
    if (kept.has(record)) return kept.get(record) as Reply<unknown>;
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
      return await work(this.#commitWith(record), record);
    } finally {
      this.#inFlight.delete(name);
    }
  }

  #commitWith(record: KeyedRequest | undefined): Commit {
    return async <Body>(work: (context: Context) => Promise<Reply<Body>>) => {
      const records = record === undefined ? [] : [record];
      const reply = await inTransaction(this.#context.database, async (database) => {
        const [kept] = (await this.hold(database, records)).values();
        if (kept !== undefined) return kept as Reply<Body>;
        const made = await work({ ...this.#context, database });
        if (record !== undefined) await this.keep(database, [{ record, reply: made }]);
        return made;
      });
      await reply.after?.();
      return reply;
    };
  }

  /**
   * Gives the answers that are kept already: another process may have been given the same request and be done by now. Until
   * the transaction ends no other one answers these requests.
   */
  async hold(
    database: Database,
    records: readonly KeyedRequest[],
  ): Promise<Map<KeyedRequest, Reply<unknown>>> {
    if (records.length === 0) return new Map();
    const names = records.flatMap(recordNames).toSorted();
    await exclusively(database, ...names.map((name) => `idempotency:${name}`));
    return this.#find(database, records);
  }

  async keep(
    database: Database,
    answers: readonly { record: KeyedRequest; reply: Reply<unknown> }[],
  ): Promise<void> {
    if (answers.length === 0) return;
    const rows = answers.map(({ record, reply }) => ({
      organization_id: record.reach.organizationId,
      key: record.names[0].name,
      fingerprint: fingerprint(record),
      status: reply.status ?? record.successStatus,
      headers: JSON.stringify(reply.headers ?? {}),
      body: seal(record, JSON.stringify(reply.body ?? null)),
      created_at: nowText(this.#context),
    }));
    await database.insertInto('idempotency').values(rows).execute();
  }

  async #find(
    database: Database,
    records: readonly KeyedRequest[],
  ): Promise<Map<KeyedRequest, Reply<unknown>>> {
    const oldest = new Date(this.#context.clock.now().getTime() - keptHours * 3_600_000).toISOString();
    const owners = [...new Set(records.map(({ reach }) => reach.organizationId))];
    const names = records.flatMap(recordNames);
    const rows = await database
      .selectFrom('idempotency')
      .selectAll()
      .where('organization_id', 'in', owners)
      .where('key', 'in', names)
      .execute();
    const expired = rows.filter(({ created_at }) => created_at < oldest).map(({ key }) => key);
    if (expired.length > 0) {
      await database
        .deleteFrom('idempotency')
        .where('organization_id', 'in', owners)
        .where('key', 'in', expired)
        .execute();
    }
    const found = new Map<KeyedRequest, Reply<unknown>>();
    for (const record of records) {
      const row = rows.find(
        ({ key, created_at }) => recordNames(record).includes(key) && created_at >= oldest,
      );
      if (row !== undefined) found.set(record, this.#replyOf(row, record));
    }
    return found;
  }

  #replyOf(row: IdempotencyRow, record: KeyedRequest): Reply<unknown> {
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

function recordNames({ names }: KeyedRequest): string[] {
  return names.map(({ name }) => name);
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
