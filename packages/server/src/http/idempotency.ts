/**
 * Idempotent POST requests. The reply is stored in the transaction of the work, so that after a crash both or neither
 * exist. It is encrypted with a key derived from the Idempotency-Key, because it may contain the text of an API key.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { nowText, type Context } from '../context.ts';
import { acquireLocks, inTransaction, type Database, type IdempotencyRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import type { AccessScope } from '../access-scope.ts';
import type { Commit, Reply } from './request.ts';

export interface IdempotentRequest {
  /** Callers with the same scope share idempotency keys. */
  reach: AccessScope;
  key: string | undefined;
  method: string;
  target: string;
  body: Uint8Array;
  successStatus: number;
}

export type KeyedRequest = IdempotentRequest & { names: PepperedNames; key: string };

/** The record name under each pepper, the active one first. */
type PepperedNames = readonly [PepperedName, ...PepperedName[]];

interface PepperedName {
  name: string;
  pepper: Buffer;
}

const retentionHours = 24;

export class Idempotency {
  readonly #context: Context;
  readonly #inFlight = new Set<string>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Runs the work, or returns the stored reply of the first request. */
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
    const stored = await this.#find(this.#context.database, [record]);
    if (stored.has(record)) return stored.get(record) as Reply<unknown>;
    if (this.#inFlight.has(name)) {
      throw new Problem(
        'idempotency_in_progress',
        'A request with this Idempotency-Key is in progress. Try again later.',
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
        const [stored] = (await this.lock(database, records)).values();
        if (stored !== undefined) return stored as Reply<Body>;
        const fresh = await work({ ...this.#context, database });
        if (record !== undefined) await this.store(database, [{ record, reply: fresh }]);
        return fresh;
      });
      await reply.after?.();
      return reply;
    };
  }

  /**
   * Locks the records until the transaction ends and returns stored replies, which another process may have written
   * meanwhile.
   */
  async lock(
    database: Database,
    records: readonly KeyedRequest[],
  ): Promise<Map<KeyedRequest, Reply<unknown>>> {
    if (records.length === 0) return new Map();
    const names = records.flatMap(recordNames).toSorted();
    await acquireLocks(database, ...names.map((name) => `idempotency:${name}`));
    return this.#find(database, records);
  }

  async store(
    database: Database,
    replies: readonly { record: KeyedRequest; reply: Reply<unknown> }[],
  ): Promise<void> {
    if (replies.length === 0) return;
    const rows = replies.map(({ record, reply }) => ({
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
    const oldest = new Date(this.#context.clock.now().getTime() - retentionHours * 3_600_000).toISOString();
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
        'This Idempotency-Key was used for another request within the last 24 hours. Use a new key.',
      );
    }
    return {
      status: row.status,
      headers: { ...(JSON.parse(row.headers) as Record<string, string>), 'idempotency-replayed': 'true' },
      body: JSON.parse(unseal(record, row)) as unknown,
    };
  }

  #namesOf(reach: AccessScope, key: string): PepperedNames {
    const { keyPepper, otherPeppers } = this.#context.secrets;
    const nameWith = (pepper: Buffer) => {
      const name = createHmac('sha256', pepper)
        .update(`${ownerOf(reach)}:${key}`)
        .digest('hex');
      return { name, pepper };
    };
    return [nameWith(keyPepper), ...otherPeppers.map((other) => nameWith(other.key))];
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

/** Ids contain no colon or slash and the key comes last, so the text is unambiguous. */
function ownerOf({ organizationId, projectId }: AccessScope): string {
  return projectId === null ? organizationId : `${organizationId}/${projectId}`;
}

function fingerprint(request: IdempotentRequest): string {
  return createHash('sha256')
    .update(`${request.method} ${request.target}\n`)
    .update(request.body)
    .digest('hex');
}
