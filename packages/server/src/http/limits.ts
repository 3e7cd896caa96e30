/**
 * Rate limits. Requests per minute are counted in this process from a lease of the caller's quota (`keys/rates.ts`);
 * hourly limits must survive a restart and are counted in the database.
 */
import { recentInstructions } from '../agent/start.ts';
import type { Context } from '../context.ts';
import type { RecentStarts } from '../exports/start.ts';
import { leaseRequests, windowSeconds, type Rate } from '../keys/rates.ts';
import { acquireLocks } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import type { Web } from './request.ts';

interface Window {
  endsAtMs: number;
  /** Leased by this process and not yet used. */
  leased: number;
  /** Left to lease at the last query. */
  left: number;
}

interface RateHeaders {
  policy: string;
  state: string;
}

type LimitContext = Pick<Context, 'config' | 'clock' | 'database'>;

const maxWindows = 10_000;
const maxStreamsPerCaller = 100;

export class RateLimits {
  readonly #windows = new Map<string, Window>();
  readonly #leasing = new Map<string, Promise<void>>();
  readonly #streams = new Map<string, number>();
  readonly #context: LimitContext;

  constructor(context: LimitContext) {
    this.#context = context;
  }

  /** Counts the request and sets the headers. The returned function refunds it: a 304 is free. */
  async countRequest(web: Web, callerId: string): Promise<() => void> {
    const reading = web.req.method === 'GET' || web.req.method === 'HEAD';
    const rate = this.#rate(reading ? 'reads' : 'writes');
    const { window, isAllowed } = await this.#useOne(callerId, rate);
    const writeHeaders = () => {
      const { policy, state } = this.#headers(rate, window);
      web.header('ratelimit-policy', policy);
      web.header('ratelimit', state);
    };
    writeHeaders();
    if (!isAllowed) {
      const seconds = this.#secondsLeft(window);
      throw new Problem(
        'rate_limited',
        `Rate limit exceeded: ${rate.quota} ${rate.name} per minute. Try again in ${seconds} s.`,
        { headers: { 'retry-after': String(seconds) } },
      );
    }
    return () => {
      window.leased += 1;
      writeHeaders();
    };
  }

  /** Counts a stream until its connection closes. */
  openStream(web: Web, callerId: string): void {
    const open = this.#streams.get(callerId) ?? 0;
    if (open >= maxStreamsPerCaller) {
      throw new Problem(
        'rate_limited',
        `You have ${open} open event streams. Close some, or use a webhook to follow many jobs.`,
        { headers: { 'retry-after': '10' } },
      );
    }
    this.#streams.set(callerId, open + 1);
    web.env.outgoing.once('close', () => {
      const left = (this.#streams.get(callerId) ?? 1) - 1;
      if (left > 0) this.#streams.set(callerId, left);
      else this.#streams.delete(callerId);
    });
  }

  /** Concurrent requests wait for the same lease and then check again. */
  async #useOne(callerId: string, rate: Rate): Promise<{ window: Window; isAllowed: boolean }> {
    const name = `${rate.name}:${callerId}`;
    for (;;) {
      const window = this.#windows.get(name);
      if (window !== undefined && window.endsAtMs > this.#nowMs()) {
        if (window.leased > 0) {
          window.leased -= 1;
          return { window, isAllowed: true };
        }
        if (window.left === 0) return { window, isAllowed: false };
      }
      const leasing =
        this.#leasing.get(name) ??
        this.#lease(name, callerId, rate).finally(() => this.#leasing.delete(name));
      this.#leasing.set(name, leasing);
      await leasing;
    }
  }

  async #lease(name: string, callerId: string, rate: Rate): Promise<void> {
    const { lent, left, endsAtMs } = await leaseRequests(this.#context, callerId, rate);
    const known = this.#windows.get(name);
    // Refunds belong to the window that was charged.
    if (known?.endsAtMs === endsAtMs) {
      known.leased += lent;
      known.left = left;
      return;
    }
    if (this.#windows.size > maxWindows) this.#deleteEndedWindows();
    this.#windows.set(name, { endsAtMs, leased: lent, left });
  }

  #rate(name: Rate['name']): Rate {
    const { readsPerMinute, writesPerMinute } = this.#context.config.limits;
    return { name, quota: name === 'reads' ? readsPerMinute : writesPerMinute };
  }

  #headers({ name, quota }: Rate, window: Window): RateHeaders {
    return {
      policy: `"${name}";q=${quota};w=${windowSeconds}`,
      state: `"${name}";r=${window.leased + window.left};t=${this.#secondsLeft(window)}`,
    };
  }

  #secondsLeft({ endsAtMs }: Window): number {
    return Math.max(1, Math.ceil((endsAtMs - this.#nowMs()) / 1000));
  }

  #deleteEndedWindows(): void {
    const now = this.#nowMs();
    for (const [name, { endsAtMs }] of this.#windows) if (endsAtMs <= now) this.#windows.delete(name);
  }

  #nowMs(): number {
    return this.#context.clock.now().getTime();
  }
}

/** For the transaction that starts the export. */
export function refuseExportStart(
  context: Pick<Context, 'config' | 'clock'>,
  recent: RecentStarts,
): Problem | undefined {
  return refuseHourly(context, exportStarts(context, recent), (quota, seconds) => {
    const wait = `Try again in ${seconds} s, or ask the operator to raise LIMIT_EXPORT_STARTS_PER_HOUR.`;
    return `Rate limit exceeded: ${quota} export starts per hour and organization. ${wait}`;
  });
}

export function writeExportStartHeaders(
  context: Pick<Context, 'config' | 'clock'>,
  web: Web,
  recent: RecentStarts,
): void {
  writeHourlyHeaders(context, web, exportStarts(context, recent));
}

function exportStarts({ config }: Pick<Context, 'config'>, recent: RecentStarts): HourLimit {
  return { name: 'export-starts', quota: config.limits.exportStartsPerHour, recent };
}

/** Locked in the transaction of the instruction, so that concurrent instructions cannot exceed the limit. */
export async function countAgentInstruction(context: Context, web: Web, projectId: string): Promise<void> {
  const limit = await instructionLimit(context, projectId);
  writeHourlyHeaders(context, web, limit);
  const problem = refuseInstruction(context, limit);
  if (problem !== undefined) throw problem;
}

/** For instructions that no request makes, in the transaction that starts them. */
export async function refuseAgentInstruction(
  context: Context,
  projectId: string,
): Promise<Problem | undefined> {
  return refuseInstruction(context, await instructionLimit(context, projectId));
}

async function instructionLimit(context: Context, projectId: string): Promise<HourLimit> {
  const quota = context.config.limits.agentInstructionsPerHour;
  await acquireLocks(context.database, `instructions:${projectId}`);
  const recent = await recentInstructions(context, projectId);
  return { name: 'agent-instructions', quota, recent };
}

function refuseInstruction(context: Context, limit: HourLimit): Problem | undefined {
  return refuseHourly(context, limit, (quota, seconds) => {
    const wait = `Try again in ${seconds} s, or ask the operator to raise LIMIT_AGENT_INSTRUCTIONS_PER_HOUR.`;
    return `Rate limit exceeded: ${quota} instructions per hour and project. ${wait}`;
  });
}

interface HourLimit {
  name: string;
  quota: number;
  recent: RecentStarts;
}

function writeHourlyHeaders(context: Pick<Context, 'clock'>, web: Web, limit: HourLimit): void {
  const { name, quota, recent } = limit;
  const left = Math.max(0, quota - recent.count - 1);
  web.header('ratelimit-policy', `"${name}";q=${quota};w=3600`, { append: true });
  web.header('ratelimit', `"${name}";r=${left};t=${secondsLeftOfHour(context, limit)}`, { append: true });
}

function refuseHourly(
  context: Pick<Context, 'clock'>,
  limit: HourLimit,
  describe: (quota: number, seconds: number) => string,
): Problem | undefined {
  if (limit.recent.count < limit.quota) return undefined;
  const seconds = secondsLeftOfHour(context, limit);
  const headers = { 'retry-after': String(seconds) };
  return new Problem('rate_limited', describe(limit.quota, seconds), { headers });
}

function secondsLeftOfHour({ clock }: Pick<Context, 'clock'>, { recent }: HourLimit): number {
  const now = clock.now().getTime();
  return Math.max(1, Math.ceil(((recent.oldestAt?.getTime() ?? now) + 3_600_000 - now) / 1000));
}
