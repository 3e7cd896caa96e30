/**
 * How much one caller may ask for. Requests a minute are counted down in this process from what it has borrowed of the
 * caller's window (`keys/rates.ts`); what must survive a restart (starts per hour) is counted in the database.
 */
import { recentInstructions } from '../agent/start.ts';
import type { Context } from '../context.ts';
import type { RecentStarts } from '../exports/start.ts';
import { borrowRequests, windowSeconds, type Rate } from '../keys/rates.ts';
import { exclusively } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import type { Web } from './request.ts';

interface Window {
  endsAtMs: number;
  /** What this process has borrowed and not yet used. */
  inHand: number;
  /** What was left to borrow when it last asked. */
  left: number;
}

/** `RateLimit-Policy` and `RateLimit`. */
interface RateHeaders {
  policy: string;
  state: string;
}

type LimitContext = Pick<Context, 'config' | 'clock' | 'database'>;

const mostWindows = 10_000;
/** One that follows a job needs one; whoever opens hundreds follows nothing. */
const streamsPerCaller = 100;

export class RateLimits {
  readonly #windows = new Map<string, Window>();
  readonly #borrowing = new Map<string, Promise<void>>();
  readonly #streams = new Map<string, number>();
  readonly #context: LimitContext;

  constructor(context: LimitContext) {
    this.#context = context;
  }

  /** Counts the request and writes the headers. The returned function takes the count back: a 304 is free. */
  async take(web: Web, callerId: string): Promise<() => void> {
    const reading = web.req.method === 'GET' || web.req.method === 'HEAD';
    const rate = this.#rate(reading ? 'reads' : 'writes');
    const { window, isTaken } = await this.#takeOne(callerId, rate);
    const tell = () => {
      const { policy, state } = this.#headers(rate, window);
      web.header('ratelimit-policy', policy);
      web.header('ratelimit', state);
    };
    tell();
    if (!isTaken) {
      const seconds = this.#secondsLeft(window);
      throw new Problem(
        'rate_limited',
        `You have made your ${rate.quota} ${rate.name} of this minute. Wait ${seconds} s.`,
        { headers: { 'retry-after': String(seconds) } },
      );
    }
    return () => {
      window.inHand += 1;
      tell();
    };
  }

  /** Counts a stream of events from now until its connection is given up. */
  openStream(web: Web, callerId: string): void {
    const open = this.#streams.get(callerId) ?? 0;
    if (open >= streamsPerCaller) {
      throw new Problem(
        'rate_limited',
        `You have ${open} streams of events open. Close some, or follow many jobs with a webhook.`,
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

  /** Requests that come while it is being borrowed wait for the same loan, and look again whether it was enough. */
  async #takeOne(callerId: string, rate: Rate): Promise<{ window: Window; isTaken: boolean }> {
    const name = `${rate.name}:${callerId}`;
    for (;;) {
      const window = this.#windows.get(name);
      if (window !== undefined && window.endsAtMs > this.#nowMs()) {
        if (window.inHand > 0) {
          window.inHand -= 1;
          return { window, isTaken: true };
        }
        if (window.left === 0) return { window, isTaken: false };
      }
      const borrowing =
        this.#borrowing.get(name) ??
        this.#borrow(name, callerId, rate).finally(() => this.#borrowing.delete(name));
      this.#borrowing.set(name, borrowing);
      await borrowing;
    }
  }

  async #borrow(name: string, callerId: string, rate: Rate): Promise<void> {
    const { lent, left, endsAtMs } = await borrowRequests(this.#context, callerId, rate);
    const known = this.#windows.get(name);
    // What requests under way give back belongs to the window they were taken from.
    if (known?.endsAtMs === endsAtMs) {
      known.inHand += lent;
      known.left = left;
      return;
    }
    if (this.#windows.size > mostWindows) this.#forgetEnded();
    this.#windows.set(name, { endsAtMs, inHand: lent, left });
  }

  #rate(name: Rate['name']): Rate {
    const { readsPerMinute, writesPerMinute } = this.#context.config.limits;
    return { name, quota: name === 'reads' ? readsPerMinute : writesPerMinute };
  }

  #headers({ name, quota }: Rate, window: Window): RateHeaders {
    return {
      policy: `"${name}";q=${quota};w=${windowSeconds}`,
      state: `"${name}";r=${window.inHand + window.left};t=${this.#secondsLeft(window)}`,
    };
  }

  #secondsLeft({ endsAtMs }: Window): number {
    return Math.max(1, Math.ceil((endsAtMs - this.#nowMs()) / 1000));
  }

  #forgetEnded(): void {
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
  return refuseOfHour(context, exportStarts(context, recent), (quota, seconds) => {
    const wait = `Wait ${seconds} s, or let the operator raise LIMIT_EXPORT_STARTS_PER_HOUR.`;
    return `This organization has started its ${quota} exports of this hour. ${wait}`;
  });
}

export function tellExportStarts(
  context: Pick<Context, 'config' | 'clock'>,
  web: Web,
  recent: RecentStarts,
): void {
  tellOfHour(context, web, exportStarts(context, recent));
}

function exportStarts({ config }: Pick<Context, 'config'>, recent: RecentStarts): HourLimit {
  return { name: 'export-starts', quota: config.limits.exportStartsPerHour, recent };
}

/** Checked inside the transaction that gives the instruction, so that two at the same time cannot both be the last. */
export async function takeAgentInstruction(context: Context, web: Web, projectId: string): Promise<void> {
  const quota = context.config.limits.agentInstructionsPerHour;
  await exclusively(context.database, `instructions:${projectId}`);
  const recent = await recentInstructions(context, projectId);
  const limit = { name: 'agent-instructions', quota, recent };
  tellOfHour(context, web, limit);
  const problem = refuseOfHour(context, limit, (_quota, seconds) => {
    const wait = `Wait ${seconds} s, or let the operator raise LIMIT_AGENT_INSTRUCTIONS_PER_HOUR.`;
    return `This project has given its ${quota} instructions of this hour. ${wait}`;
  });
  if (problem !== undefined) throw problem;
}

interface HourLimit {
  name: string;
  quota: number;
  recent: RecentStarts;
}

function tellOfHour(context: Pick<Context, 'clock'>, web: Web, limit: HourLimit): void {
  const { name, quota, recent } = limit;
  const left = Math.max(0, quota - recent.count - 1);
  web.header('ratelimit-policy', `"${name}";q=${quota};w=3600`, { append: true });
  web.header('ratelimit', `"${name}";r=${left};t=${secondsLeftOfHour(context, limit)}`, { append: true });
}

function refuseOfHour(
  context: Pick<Context, 'clock'>,
  limit: HourLimit,
  complain: (quota: number, seconds: number) => string,
): Problem | undefined {
  if (limit.recent.count < limit.quota) return undefined;
  const seconds = secondsLeftOfHour(context, limit);
  const headers = { 'retry-after': String(seconds) };
  return new Problem('rate_limited', complain(limit.quota, seconds), { headers });
}

function secondsLeftOfHour({ clock }: Pick<Context, 'clock'>, { recent }: HourLimit): number {
  const now = clock.now().getTime();
  return Math.max(1, Math.ceil(((recent.oldestAt?.getTime() ?? now) + 3_600_000 - now) / 1000));
}
