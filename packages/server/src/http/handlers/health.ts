/** Health and readiness. Both need no key and reveal nothing about tenants. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Readiness } from '@docyard/api';
import type { Context, ReadinessCheck } from '../../context.ts';
import { Problem } from '../../problem.ts';
import { findIsolation } from '../../sandbox/isolation.ts';
import type { Handlers } from '../request.ts';

type Check = Readiness['checks'][number];
type CheckResult = Check & { isOptional: boolean };

/** Below the timeout of orchestrators, so that the response names the slow component. */
const maxCheckMs = 3000;
/** Probes often time out after a second and must not fail because of an optional component. */
const maxOptionalCheckMs = 500;
/** Limits the cost of unauthenticated requests: a check may call the object storage. */
const cacheMs = 1000;

export function healthHandlers(stopping: AbortSignal): Pick<Handlers, 'readHealth' | 'readReadiness'> {
  return {
    readHealth: async ({ context }) => ({ body: { status: 'ok', version: context.version } }),
    readReadiness: async ({ context }) => {
      const body = await checkReadiness(context, stopping.aborted);
      return {
        body,
        ...(body.status === 'not_ready' ? { status: 503, headers: { 'retry-after': '5' } } : {}),
      };
    },
  };
}

export async function checkReadiness(context: Context, draining: boolean): Promise<Readiness> {
  const message = draining ? 'stopping' : 'accepting requests';
  const serving = { name: 'serving', ok: !draining, message, isOptional: false };
  const [found, isolation] = await Promise.all([recentChecks(context), probedIsolation()]);
  const results = [serving, ...found];
  const status = statusOf(results);
  const checks = results.map(({ isOptional: _isOptional, ...check }) => check);
  return { status, version: context.version, checks, ...(isolation === undefined ? {} : { isolation }) };
}

function statusOf(results: readonly CheckResult[]): Readiness['status'] {
  const failed = results.filter(({ ok }) => !ok);
  if (failed.length === 0) return 'ready';
  return failed.every(({ isOptional }) => isOptional) ? 'degraded' : 'not_ready';
}

/** The first probe may take long after a start. */
async function probedIsolation(): Promise<Readiness['isolation']> {
  const found = await Promise.race([findIsolation(), pause(maxCheckMs, undefined, { ref: false })]);
  return found === undefined ? undefined : { level: found.level, statement: found.statement };
}

const recent = new WeakMap<Context, { atMs: number; checks: Promise<CheckResult[]> }>();

function recentChecks(context: Context): Promise<CheckResult[]> {
  const known = recent.get(context);
  if (known !== undefined && performance.now() - known.atMs < cacheMs) return known.checks;
  const checks = Promise.all(context.checks.map((check) => attempt(context, check)));
  recent.set(context, { atMs: performance.now(), checks });
  return checks;
}

async function attempt(
  { log }: Context,
  { name, isOptional = false, run }: ReadinessCheck,
): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error('does not answer')),
      isOptional ? maxOptionalCheckMs : maxCheckMs,
    );
  });
  try {
    return { name, isOptional, ok: true, message: await Promise.race([run(), timeout]) };
  } catch (error) {
    log.warn({ err: error, check: name }, isOptional ? 'degraded' : 'not ready');
    return { name, isOptional, ok: false, message: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Messages of libraries may contain addresses, so only our own are shown. */
function reasonOf(error: unknown): string {
  const isSafe = error instanceof Problem || (error instanceof Error && !('code' in error));
  return isSafe ? error.message : 'unavailable; see the log';
}
