/** `/metrics` for Prometheus. It needs no key and names no tenant, but is only available on the internal network. */
import { statfs } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { countOpenJobs } from '../jobs/job-metrics.ts';
import { isInternalAddress } from '@docyard/site/network';
import { Problem } from '../problem.ts';
import { findIsolation } from '../sandbox/isolation.ts';
import { countWaitingDeliveries } from '../webhooks/deliveries.ts';
import { callerAddress, isBehindProxy, type App, type Web } from './request.ts';

export function addMetrics(app: App, context: Context): void {
  app.get('/metrics', async (web) => {
    if (!isInternal(context, web)) {
      throw new Problem('address_refused', 'Metrics are available on the internal network only.');
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

/** A scrape does not wait for the probe that runs after the start. */
async function probedIsolation() {
  return Promise.race([findIsolation(), nextTurn(undefined)]);
}

/** A proxy that is not trusted makes every caller look internal, so its requests are refused. */
function isInternal(context: Context, web: Web): boolean {
  const forwarded = ['x-forwarded-for', 'forwarded', 'x-real-ip'].some(
    (name) => web.req.header(name) !== undefined,
  );
  if (forwarded && !isBehindProxy(context, web)) return false;
  return isInternalAddress(callerAddress(context, web));
}

/** A failing source must not fail the scrape. */
function orUndefined<T>(query: Promise<T>): Promise<T | undefined> {
  return query.catch(() => undefined);
}
