/** The readiness checks of a process. Results are public, so they contain no tenant data and no addresses. */
import { sql } from 'kysely';
import type { Context, ReadinessCheck } from '../context.ts';
import { freeBytesOf } from '../data-folder.ts';
import { holdsFingerprint } from '../secrets.ts';

type Parts = Pick<Context, 'config' | 'database' | 'blobs' | 'changes' | 'secrets'>;

/** SQLite and git fail with less. */
const minFreeBytes = 64_000_000;
const lowFreeBytes = 1_000_000_000;

export function makeChecks(parts: Parts): ReadinessCheck[] {
  const { config, database, blobs, changes, secrets } = parts;
  const checks: ReadinessCheck[] = [
    { name: 'database', run: async () => `reachable, migrated to ${await newestMigration(database)}` },
    {
      name: 'secrets',
      run: async () => {
        if (await holdsFingerprint(database, secrets)) return 'match the database';
        throw new Error('do not match the database');
      },
    },
    {
      name: 'storage',
      isOptional: true,
      run: oneAtATime(() => blobs.check().then(() => 'usable')),
    },
    {
      name: 'queue',
      // Without announcements the queue polls.
      run: async () =>
        changes.isLive ? 'accepts jobs' : 'accepts jobs, but receives no announcements from other processes',
    },
    { name: 'disk', run: () => freeSpace(config.dataDir) },
  ];
  if (config.agentCommand !== null) checks.push({ name: 'sandbox', run: onlyOnce(() => sandboxOf(config)) });
  return checks;
}

async function newestMigration(database: Context['database']): Promise<string> {
  const newest = sql<{ name: string }>`select max(name) as name from kysely_migration`;
  return (await newest.execute(database)).rows[0]?.name ?? 'never';
}

export async function freeSpace(folder: string): Promise<string> {
  const freeBytes = await freeBytesOf(folder);
  const free = `${(freeBytes / 1e9).toFixed(1)} GB free`;
  if (freeBytes < minFreeBytes) throw new Error(`full: ${free}`);
  return freeBytes < lowFreeBytes ? `low: ${free}` : free;
}

/** Agent jobs report the reason themselves; other work does not need the sandbox. */
async function sandboxOf({ dataDir }: Context['config']): Promise<string> {
  const { whySandboxFails } = await import('../agent/engine/sandbox.ts');
  const reason = await whySandboxFails(`${dataDir}/work`).catch(() => 'cannot be probed');
  return reason === undefined ? 'works' : `agent jobs cannot run: ${reason}`;
}

/** A slow check is not started again while it runs. */
function oneAtATime(run: () => Promise<string>): () => Promise<string> {
  let pending: Promise<string> | undefined;
  return () => (pending ??= run().finally(() => (pending = undefined)));
}

function onlyOnce(run: () => Promise<string>): () => Promise<string> {
  let result: Promise<string> | undefined;
  return () => (result ??= run());
}
