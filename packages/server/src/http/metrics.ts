/**
 * `/metrics` for Prometheus. It needs no key and names no tenant, but is for the own network only: an installation on
 * the internet must not tell strangers how busy it is.
 */
import { statfs } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { countOpenJobs } from '../jobs/observing.ts';
import { isInternalAddress } from '@docyard/site/network';
import { Problem } from '../problem.ts';
import { findIsolation } from '../rendering/isolation.ts';
import { countWaitingDeliveries } from '../webhooks/deliveries.ts';
import { callerAddress, type App, type Web } from './request.ts';

export function addMetrics(app: App, context: Context): void {
  app.get('/metrics', async (web) => {
    if (!isNear(context, web)) {
      throw new Problem('address_refused', 'The numbers are handed out within the own network only.');
    }
    const [jobs, webhooksWaiting, disk, isolation] = await Promise.all([
      orUndefined(countOpenJobs(context)),
      orUndefined(countWaitingDeliveries(context)),
      orUndefined(statfs(context.config.dataDir)),
      probedIsolation(),
    ]);
    const { type, text } = await context.measures.read({
      ...(jobs === undefined ? {} : { jobs }),
      ...(webhooksWaiting === undefined ? {} : { webhooksWaiting }),
      ...(disk === undefined ? {} : { diskFreeBytes: disk.bavail * disk.bsize }),
      ...(isolation === undefined ? {} : { isolationLevel: isolation.level }),
    });
    return web.body(text, 200, { 'content-type': type });
  });
}

/** The probe takes a moment after the start; a scrape does not wait for it. */
async function probedIsolation() {
  return Promise.race([findIsolation(), nextTurn(undefined)]);
}

/** Behind a proxy that we were not told of everybody seems to be near; the header gives it away. */
function isNear(context: Context, web: Web): boolean {
  const forwarded = ['x-forwarded-for', 'forwarded', 'x-real-ip'].some(
    (name) => web.req.header(name) !== undefined,
  );
  if (forwarded && !context.config.trustProxy) return false;
  return isInternalAddress(callerAddress(context, web));
}

/** A part that cannot be asked now must not take the others with it. */
function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch(() => undefined);
}
