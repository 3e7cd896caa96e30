/**
 * Is the process alive, and can it do its work? Both answer without a key and tell nothing of any tenant.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Readiness } from '@docyard/api';
import type { Context, ReadinessCheck } from '../../context.ts';
import { Problem } from '../../problem.ts';
import { findIsolation } from '../../rendering/isolation.ts';
import type { Handlers } from '../request.ts';

type Check = Readiness['checks'][number];
type CheckResult = Check & { isOptional: boolean };

/** An orchestrator gives up after some seconds; it should be told which part is the slow one. */
const longestMs = 3000;
/** Probes often wait for a second only, and must not fail because of an optional part. */
const longestOptionalMs = 500;
/** Anybody may ask, and a check may cost a request to the object storage. */
const keptMs = 1000;

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
  const message = draining ? 'stopping' : 'taking requests';
  const serving = { name: 'serving', ok: !draining, message, isOptional: false };
  const [found, isolation] = await Promise.all([recentChecks(context), triedIsolation()]);
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

/** Tried once for a process; whoever asks in the first moments need not wait for it for ever. */
async function triedIsolation(): Promise<Readiness['isolation']> {
  const found = await Promise.race([findIsolation(), pause(longestMs, undefined, { ref: false })]);
  return found === undefined ? undefined : { level: found.level, statement: found.statement };
}

const recent = new WeakMap<Context, { atMs: number; checks: Promise<CheckResult[]> }>();

function recentChecks(context: Context): Promise<CheckResult[]> {
  const known = recent.get(context);
  if (known !== undefined && performance.now() - known.atMs < keptMs) return known.checks;
  const checks = Promise.all(context.checks.map((check) => attempt(context, check)));
  recent.set(context, { atMs: performance.now(), checks });
  return checks;
}

async function attempt(
  { log }: Context,
  { name, isOptional = false, run }: ReadinessCheck,
): Promise<CheckResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error('does not answer')),
      isOptional ? longestOptionalMs : longestMs,
    );
  });
  try {
    return { name, isOptional, ok: true, message: await Promise.race([run(), late]) };
  } catch (error) {
    log.warn({ err: error, check: name }, isOptional ? 'degraded' : 'not ready');
    return { name, isOptional, ok: false, message: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Problems and our own sentences are for everybody; what a library says may name addresses. */
function reasonOf(error: unknown): string {
  const isOurs = error instanceof Problem || (error instanceof Error && !('code' in error));
  return isOurs ? error.message : 'not usable; see the log';
}
