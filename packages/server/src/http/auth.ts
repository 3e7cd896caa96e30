/**
 * Who is calling and may they: the key, the address, the scope, the plan, in that order. What belongs to
 * somebody else is not decided here; features look only among the caller's own.
 */
import { hash } from 'node:crypto';
import { scopesGrant, type Operation } from '@docyard/api';
import type { Context } from '../context.ts';
import { addressAllowed, plainAddress } from '../keys/addresses.ts';
import { looksLikeKey } from '../keys/format.ts';
import {
  authenticate,
  findKeyHolder,
  keyChanges,
  lastUsedGrainSeconds,
  touchKey,
  type Caller,
  type KeyHolder,
} from '../keys/keys.ts';
import { Problem } from '../problem.ts';
import { Remembered } from './remembered.ts';
import { callerAddress, rawTarget, type Web } from './request.ts';

const mostTouched = 10_000;

/** Finds out who calls. Keys in use are remembered for a moment: reading a status must not cost a look at the keys. */
export class Callers {
  readonly #context: Context;
  readonly #keys: Remembered<KeyHolder | undefined>;
  readonly #touchedAtMs = new Map<string, number>();

  constructor(context: Context) {
    this.#context = context;
    this.#keys = new Remembered(context.changes);
  }

  /** One answer for a key that is missing, malformed, unknown, expired or revoked: which of them is not told. */
  async require(web: Web): Promise<Caller> {
    const context = this.#context;
    if (looksLikeKey(rawTarget(web))) {
      throw new Problem(
        'key_in_query',
        'An API key must not be part of the address, where logs keep it. Send it as `Authorization: Bearer …` and revoke this one.',
      );
    }
    const [, token] = /^Bearer +(\S+)$/i.exec(web.req.header('authorization') ?? '') ?? [];
    const caller = token === undefined ? undefined : await this.#authenticate(token);
    if (caller === undefined) {
      throw new Problem('unauthorized', 'Send a valid API key as `Authorization: Bearer docyard_…`.');
    }
    if (!addressAllowed(caller.allowedAddresses, plainAddress(callerAddress(context, web)))) {
      throw new Problem('address_refused', 'This API key may not be used from your address.');
    }
    await this.#touch(caller.keyId);
    return caller;
  }

  /** Remembered by a hash: texts of keys are not kept in memory. The stored one, with its pepper, takes longer. */
  #authenticate(token: string): Promise<Caller | undefined> {
    const load = () => findKeyHolder(this.#context, token);
    const find = () => this.#keys.read(hash('sha256', token), keyChanges, load);
    return authenticate(this.#context, token, find);
  }

  async #touch(keyId: string): Promise<void> {
    const now = this.#context.clock.now().getTime();
    const touched = this.#touchedAtMs.get(keyId);
    if (touched !== undefined && now - touched < lastUsedGrainSeconds * 1000) return;
    if (this.#touchedAtMs.size >= mostTouched) this.#touchedAtMs.clear();
    this.#touchedAtMs.set(keyId, now);
    // Not worth failing a read over: a full disk must not stop people from downloading.
    await touchKey(this.#context, keyId).catch((error: unknown) =>
      this.#context.log.warn({ err: error }, 'last use not kept'),
    );
  }
}

export function requireRights(caller: Caller, operation: Operation): void {
  const { scope, plan } = operation;
  if (scope !== null && scope !== 'any' && !scopesGrant(caller.scopes, scope)) {
    throw new Problem('scope_missing', `This API key lacks the scope ${scope}. Create one that has it.`);
  }
  if (plan !== undefined && caller.plan !== plan) {
    throw new Problem(
      'plan_required',
      `This needs the ${plan} plan; the organization ${caller.organizationName} has ${caller.plan}. The operator changes it with \`docyard orgs plan\`.`,
    );
  }
}
