/**
 * Who is calling and may they: the key or the session, the address, the scope, how far the key reaches, the plan, in that
 * order. What belongs to somebody else is not decided here; features look only within the caller's reach.
 */
import { hash } from 'node:crypto';
import { scopesGrant, type Operation } from '@docyard/api';
import type { Context } from '../context.ts';
import { plainAddress } from '@docyard/site/network';
import { addressAllowed } from '../keys/addresses.ts';
import { looksLikeKey } from '../keys/format.ts';
import { keyChanges } from '../keys/keys.ts';
import {
  authenticate,
  findKeyHolder,
  lastUsedGrainSeconds,
  touchKey,
  type Caller,
  type KeyHolder,
} from '../keys/authenticate.ts';
import {
  authenticateSession,
  findSession,
  lastSeenGrainSeconds,
  peopleChanges,
  touchSession,
  type SessionHolder,
} from '../people/sessions.ts';
import { Problem } from '../problem.ts';
import { ResponseCache } from './response-cache.ts';
import { callerAddress, rawTarget, type Web } from './request.ts';
import { requireOwnOrigin, sessionToken } from './session-cookie.ts';

const mostTouched = 10_000;
/** How long a stream may outlive a key that ended by time, or by a command on the same SQLite file. */
const watchSeconds = 30;

/** Finds out who calls. Who has called is remembered for a moment: reading a status must not cost a look at the keys. */
export class Callers {
  readonly #context: Context;
  readonly #keys: ResponseCache<KeyHolder | undefined>;
  readonly #sessions: ResponseCache<SessionHolder | undefined>;
  readonly #touchedAtMs = new Map<string, number>();

  constructor(context: Context) {
    this.#context = context;
    this.#keys = new ResponseCache(context.changes);
    this.#sessions = new ResponseCache(context.changes);
  }

  /** One answer for a key that is missing, malformed, unknown, expired or revoked: which of them is not told. */
  async require(web: Web): Promise<Caller> {
    if (looksLikeKey(rawTarget(web))) {
      throw new Problem(
        'key_in_query',
        'An API key must not be part of the address, where logs keep it. Send it as `Authorization: Bearer …` and revoke this one.',
      );
    }
    const authorization = web.req.header('authorization');
    // A request with both means its key: only a program adds that header.
    const caller = await (authorization === undefined ? this.#bySession(web) : this.#byKey(authorization));
    if (caller === undefined) {
      throw new Problem(
        'unauthorized',
        'Send a valid API key as `Authorization: Bearer docyard_…`, or sign in.',
      );
    }
    if (!addressAllowed(caller.allowedAddresses, plainAddress(callerAddress(this.#context, web)))) {
      throw new Problem('address_refused', 'This API key may not be used from your address.');
    }
    return caller;
  }

  /** A stream outlasts the look at who opened it: it is cut off once they could not open it again. */
  watch(web: Web, operation: Operation): void {
    const look = async () => {
      try {
        requireRights(await this.require(web), operation);
      } catch (error) {
        // A database that is away for a moment says nothing about the caller.
        if (error instanceof Problem) web.env.outgoing.destroy();
      }
    };
    // Whoever remembers something is told of the change first.
    const lookSoon = () => setImmediate(() => void look());
    const endings = [keyChanges, peopleChanges].map((name) => this.#context.changes.listen(name, lookSoon));
    const timer = setInterval(lookSoon, watchSeconds * 1000).unref();
    web.env.outgoing.once('close', () => {
      clearInterval(timer);
      for (const unlisten of endings) unlisten();
    });
  }

  async #byKey(authorization: string): Promise<Caller | undefined> {
    const text = keyIn(authorization);
    if (text === undefined) return undefined;
    const name = hash('sha256', text);
    const caller = await authenticate(this.#context, text, () => this.#holderOf(text, name));
    if (caller === undefined) return undefined;
    await this.#touch(name, lastUsedGrainSeconds, () => touchKey(this.#context, caller.id));
    return caller;
  }

  /** ResponseCache by a hash: texts of keys are not kept in memory. The stored one, with its pepper, takes longer. */
  #holderOf(text: string, name: string): Promise<KeyHolder | undefined> {
    return this.#keys.read(name, keyChanges, () => findKeyHolder(this.#context, text));
  }

  async #bySession(web: Web): Promise<Caller | undefined> {
    const context = this.#context;
    const token = sessionToken(context, web);
    if (token === undefined) return undefined;
    const load = () => findSession(context, token);
    const find = () => this.#sessions.read(hash('sha256', token), peopleChanges, load);
    const caller = await authenticateSession(context, token, find);
    if (caller === undefined) return undefined;
    if (web.req.method !== 'GET' && web.req.method !== 'HEAD') requireOwnOrigin(context, web);
    const touch = () => touchSession(context, token, caller.id);
    await this.#touch(hash('sha256', token), lastSeenGrainSeconds, touch);
    return caller;
  }

  async #touch(subject: string, grainSeconds: number, write: () => Promise<void>): Promise<void> {
    if (this.#isTouched(subject, grainSeconds)) return;
    if (this.#touchedAtMs.size >= mostTouched) this.#touchedAtMs.clear();
    this.#touchedAtMs.set(subject, this.#context.clock.now().getTime());
    // Not worth failing a read over: a full disk must not stop people from downloading.
    await write().catch((error: unknown) => this.#context.log.warn({ err: error }, 'last use not kept'));
  }

  #isTouched(subject: string, grainSeconds: number): boolean {
    const touched = this.#touchedAtMs.get(subject);
    return touched !== undefined && this.#context.clock.now().getTime() - touched < grainSeconds * 1000;
  }
}

function keyIn(authorization: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

export function requireRights(caller: Caller, operation: Operation): void {
  const { scope, plan, organizationWide } = operation;
  if (scope !== null && scope !== 'any' && !scopesGrant(caller.scopes, scope)) {
    throw new Problem(
      'scope_missing',
      caller.person === null
        ? `This API key lacks the scope ${scope}. Create one that has it.`
        : `Your role, ${caller.person.role}, does not include ${scope}. Ask an owner or admin.`,
    );
  }
  if (organizationWide && caller.projectId !== null) {
    throw new Problem(
      'scope_missing',
      `This API key is limited to the project ${caller.projectId}, and this concerns the whole organization. Use one for all projects.`,
    );
  }
  if (plan !== undefined && caller.plan !== plan) {
    throw new Problem(
      'plan_required',
      `This needs the ${plan} plan; the organization ${caller.organizationName} has ${caller.plan}. The operator changes it with \`docyard orgs plan\`.`,
    );
  }
}
