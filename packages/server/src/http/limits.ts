/**
 * Requests per minute and key, in fixed windows that begin with the first request. The counts live in this
 * process; what must survive a restart (starts per hour) is counted in the database.
 */
import { recentInstructions } from '../agent/start.ts';
import type { Context } from '../context.ts';
import { recentStarts } from '../exports/start.ts';
import { exclusively } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import type { Web } from './request.ts';

interface Window {
  endsAt: number;
  used: number;
}

const windowSeconds = 60;

export class RateLimits {
  readonly #windows = new Map<string, Window>();
  readonly #context: Pick<Context, 'config' | 'clock'>;

  constructor(context: Pick<Context, 'config' | 'clock'>) {
    this.#context = context;
  }

  /** Counts the request and writes the headers. The returned function takes the count back: a 304 is free. */
  take(web: Web, keyId: string): () => void {
    const reading = web.req.method === 'GET' || web.req.method === 'HEAD';
    const name = reading ? 'reads' : 'writes';
    const { readsPerMinute, writesPerMinute } = this.#context.config.limits;
    const quota = reading ? readsPerMinute : writesPerMinute;
    const now = this.#context.clock.now().getTime();
    const window = this.#window(`${name}:${keyId}`, now);
    const seconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
    const tell = () => {
      web.header('ratelimit-policy', `"${name}";q=${quota};w=${windowSeconds}`);
      web.header('ratelimit', `"${name}";r=${Math.max(0, quota - window.used)};t=${seconds}`);
    };
    if (window.used >= quota) {
      tell();
      throw new Problem(
        'rate_limited',
        `This key has made its ${quota} ${name} of this minute. Wait ${seconds} s.`,
        {
          headers: { 'retry-after': String(seconds) },
        },
      );
    }
    window.used += 1;
    tell();
    return () => {
      window.used -= 1;
      tell();
    };
  }

  #window(key: string, now: number): Window {
    const open = this.#windows.get(key);
    if (open !== undefined && open.endsAt > now) return open;
    if (this.#windows.size > 10_000) this.#forgetEnded(now);
    const fresh = { endsAt: now + windowSeconds * 1000, used: 0 };
    this.#windows.set(key, fresh);
    return fresh;
  }

  #forgetEnded(now: number): void {
    for (const [key, window] of this.#windows) if (window.endsAt <= now) this.#windows.delete(key);
  }
}

/** Checked inside the transaction that starts the export, so that two at the same time cannot both be the last. */
export async function takeExportStart(context: Context, web: Web, organizationId: string): Promise<void> {
  const quota = context.config.limits.exportStartsPerHour;
  await exclusively(context.database, `export-starts:${organizationId}`);
  const recent = await recentStarts(context, organizationId);
  takeOfHour(context, web, { name: 'export-starts', quota, recent }, (seconds) => {
    const wait = `Wait ${seconds} s, or let the operator raise LIMIT_EXPORT_STARTS_PER_HOUR.`;
    return `This organization has started its ${quota} exports of this hour. ${wait}`;
  });
}

/** Likewise for what a project asks of its agent: new jobs, messages and retries. */
export async function takeAgentInstruction(context: Context, web: Web, projectId: string): Promise<void> {
  const quota = context.config.limits.agentInstructionsPerHour;
  await exclusively(context.database, `instructions:${projectId}`);
  const recent = await recentInstructions(context, projectId);
  takeOfHour(context, web, { name: 'agent-instructions', quota, recent }, (seconds) => {
    const wait = `Wait ${seconds} s, or let the operator raise LIMIT_AGENT_INSTRUCTIONS_PER_HOUR.`;
    return `This project has given its ${quota} instructions of this hour. ${wait}`;
  });
}

function takeOfHour(
  context: Context,
  web: Web,
  limit: { name: string; quota: number; recent: { count: number; oldestAt: Date | undefined } },
  complain: (seconds: number) => string,
): void {
  const { name, quota, recent } = limit;
  const now = context.clock.now().getTime();
  const seconds = Math.max(1, Math.ceil(((recent.oldestAt?.getTime() ?? now) + 3_600_000 - now) / 1000));
  const left = Math.max(0, quota - recent.count - 1);
  web.header('ratelimit-policy', `"${name}";q=${quota};w=3600`, { append: true });
  web.header('ratelimit', `"${name}";r=${left};t=${seconds}`, { append: true });
  if (recent.count >= quota) {
    throw new Problem('rate_limited', complain(seconds), { headers: { 'retry-after': String(seconds) } });
  }
}
