/**
 * Authenticates and authorizes a request: key or session, address, scope, project, plan. Access to single records is
 * decided by the features, which query only within the caller's access scope.
 */
import { hash } from 'node:crypto';
import { scopesGrant, type Operation } from '@docyard/api';
import type { Context } from '../context.ts';
import { addressAllowed, plainAddress } from '@docyard/site/network';
import { looksLikeKey } from '../keys/format.ts';
import { keyChanges } from '../keys/keys.ts';
import {
  authenticate,
  findKeyHolder,
  lastUsedPrecisionSeconds,
  touchKey,
  type Caller,
  type KeyHolder,
} from '../keys/authenticate.ts';
import {
  authenticateSession,
  findSession,
  lastSeenPrecisionSeconds,
  userChanges,
  touchSession,
  type SessionHolder,
} from '../users/sessions.ts';
import { Problem } from '../problem.ts';
import { ResponseCache } from './response-cache.ts';
import { callerAddress, rawTarget, type Web } from './request.ts';
import { requireSameOrigin, sessionToken } from './session-cookie.ts';

const maxTouched = 10_000;
/** How long a stream may outlive an expired key, or one revoked by a command on the same SQLite file. */
const watchSeconds = 30;

/** Authenticates callers and caches them briefly, so that polling a status does not query the keys each time. */
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

  /** The response is the same for a missing, malformed, unknown, expired or revoked key. */
  async require(web: Web): Promise<Caller> {
    if (looksLikeKey(rawTarget(web))) {
      throw new Problem(
        'key_in_query',
        'The URL contains an API key, which logs may store. Send it as `Authorization: Bearer …` and revoke this key.',
      );
    }
    const authorization = web.req.header('authorization');
    // A request with both uses its key, because only a program sends that header.
    const caller = await (authorization === undefined ? this.#bySession(web) : this.#byKey(authorization));
    if (caller === undefined) {
      throw new Problem(
        'unauthorized',
        'Send a valid API key as `Authorization: Bearer docyard_…`, or sign in.',
      );
    }
    if (!addressAllowed(caller.allowedAddresses, plainAddress(callerAddress(this.#context, web)))) {
      throw new Problem('address_refused', 'This API key is not allowed from your address.');
    }
    return caller;
  }

  /** Disconnects a stream as soon as its caller loses the right to open it. */
  watch(web: Web, operation: Operation): void {
    const check = async () => {
      try {
        requireRights(await this.require(web), operation);
      } catch (error) {
        // A database error says nothing about the caller.
        if (error instanceof Problem) web.env.outgoing.destroy();
      }
    };
    // Runs after the caches have received the same announcement.
    const checkSoon = () => setImmediate(() => void check());
    const unlisteners = [keyChanges, userChanges].map((name) =>
      this.#context.changes.listen(name, checkSoon),
    );
    const timer = setInterval(checkSoon, watchSeconds * 1000).unref();
    web.env.outgoing.once('close', () => {
      clearInterval(timer);
      for (const unlisten of unlisteners) unlisten();
    });
  }

  async #byKey(authorization: string): Promise<Caller | undefined> {
    const text = keyIn(authorization);
    if (text === undefined) return undefined;
    const name = hash('sha256', text);
    const caller = await authenticate(this.#context, text, () => this.#holderOf(text, name));
    if (caller === undefined) return undefined;
    await this.#touch(name, lastUsedPrecisionSeconds, () => touchKey(this.#context, caller.id));
    return caller;
  }

  /** Cached by a fast hash, so that no key is kept in memory. */
  #holderOf(text: string, name: string): Promise<KeyHolder | undefined> {
    return this.#keys.read(name, keyChanges, () => findKeyHolder(this.#context, text));
  }

  async #bySession(web: Web): Promise<Caller | undefined> {
    const context = this.#context;
    const token = sessionToken(context, web);
    if (token === undefined) return undefined;
    const load = () => findSession(context, token);
    const find = () => this.#sessions.read(hash('sha256', token), userChanges, load);
    const caller = await authenticateSession(context, token, find);
    if (caller === undefined) return undefined;
    if (web.req.method !== 'GET' && web.req.method !== 'HEAD') requireSameOrigin(context, web);
    const touch = () => touchSession(context, token, caller.id);
    await this.#touch(hash('sha256', token), lastSeenPrecisionSeconds, touch);
    return caller;
  }

  async #touch(subject: string, precisionSeconds: number, write: () => Promise<void>): Promise<void> {
    if (this.#isTouched(subject, precisionSeconds)) return;
    if (this.#touchedAtMs.size >= maxTouched) this.#touchedAtMs.clear();
    this.#touchedAtMs.set(subject, this.#context.clock.now().getTime());
    // A failed update must not fail a read, for example when the disk is full.
    await write().catch((error: unknown) =>
      this.#context.log.warn({ err: error }, 'cannot store the last use'),
    );
  }

  #isTouched(subject: string, precisionSeconds: number): boolean {
    const touched = this.#touchedAtMs.get(subject);
    return touched !== undefined && this.#context.clock.now().getTime() - touched < precisionSeconds * 1000;
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
      caller.user === null
        ? `This API key lacks the scope ${scope}. Use a key that has it.`
        : `Your role, ${caller.user.role}, does not include the scope ${scope}. Ask an owner or admin.`,
    );
  }
  if (organizationWide && caller.projectId !== null) {
    throw new Problem(
      'scope_missing',
      `This API key is limited to the project ${caller.projectId}, but this operation needs the whole organization. Use a key without a project.`,
    );
  }
  if (plan !== undefined && caller.plan !== plan) {
    throw new Problem(
      'plan_required',
      `This needs the ${plan} plan; the organization ${caller.organizationName} has ${caller.plan}. The operator changes it with \`docyard orgs plan\`.`,
    );
  }
}
