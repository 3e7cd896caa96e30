/**
 * Is the process alive, and can it do its work? Both answer without a key and tell nothing of any tenant.
 */
import { access, constants } from 'node:fs/promises';
import type { Readiness } from '@docyard/api';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Handlers } from '../request.ts';

export function healthHandlers(stopping: AbortSignal): Pick<Handlers, 'readHealth' | 'readReadiness'> {
  return {
    readHealth: async ({ context }) => ({ body: { status: 'ok', version: context.version } }),
    readReadiness: async ({ context }) => {
      const body = await checkReadiness(context, stopping.aborted);
      return { body, ...(body.status === 'ready' ? {} : { status: 503, headers: { 'retry-after': '5' } }) };
    },
  };
}

export async function checkReadiness(context: Context, draining: boolean): Promise<Readiness> {
  const checks = [
    { name: 'serving', ok: !draining, message: draining ? 'stopping' : 'taking requests' },
    await attempt('database', 'answers', () => sql`select 1`.execute(context.database)),
    await attempt('storage', 'writable', () => access(context.config.dataDir, constants.W_OK)),
  ];
  return { status: checks.every(({ ok }) => ok) ? 'ready' : 'not_ready', version: context.version, checks };
}

async function attempt(name: string, good: string, work: () => Promise<unknown>) {
  return work().then(
    () => ({ name, ok: true, message: good }),
    () => ({ name, ok: false, message: 'not usable; see the log' }),
  );
}
