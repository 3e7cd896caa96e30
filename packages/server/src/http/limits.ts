/**
 * Requests per minute and key, in fixed windows that begin with the first request. The counts live in this
 * process; what must survive a restart (export starts per hour) is counted in the database.
 */
import type { Context } from '../context.ts';
import { recentStarts } from '../exports/start.ts';
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
  const { count, oldestAt } = await recentStarts(context, organizationId);
  const now = context.clock.now().getTime();
  const seconds = Math.max(1, Math.ceil(((oldestAt?.getTime() ?? now) + 3_600_000 - now) / 1000));
  web.header('ratelimit-policy', `"export-starts";q=${quota};w=3600`, { append: true });
  web.header('ratelimit', `"export-starts";r=${Math.max(0, quota - count - 1)};t=${seconds}`, {
    append: true,
  });
  if (count >= quota) {
    throw new Problem(
      'rate_limited',
      `This organization has started its ${quota} exports of this hour. Wait ${seconds} s, or let the operator raise LIMIT_EXPORT_STARTS_PER_HOUR.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  }
}
