/**
 * What a process needs to do its work, asked of each part in turn. The answers are for everybody who may ask for
 * readiness: they tell nothing of any tenant and no address.
 */
import { sql } from 'kysely';
import type { Context, ReadinessCheck } from '../context.ts';
import { freeBytesOf } from '../data-folder.ts';
import { holdsFingerprint } from '../secrets.ts';

type Parts = Pick<Context, 'config' | 'database' | 'blobs' | 'changes' | 'secrets'>;

/** Below this SQLite and git begin to fail in the middle of things. */
const leastFreeBytes = 64_000_000;
const lowFreeBytes = 1_000_000_000;

export function makeChecks(parts: Parts): ReadinessCheck[] {
  const { config, database, blobs, changes, secrets } = parts;
  const checks: ReadinessCheck[] = [
    { name: 'database', run: async () => `answers, tables as of ${await newestMigration(database)}` },
    {
      name: 'secrets',
      run: async () => {
        if (await holdsFingerprint(database, secrets)) return 'those of this database';
        throw new Error('others than those that set up the database');
      },
    },
    {
      name: 'storage',
      isOptional: true,
      run: oneAtATime(() => blobs.check().then(() => 'usable')),
    },
    {
      name: 'queue',
      // It works without: then everything is looked up now and then.
      run: async () => (changes.isLive ? 'takes jobs' : 'takes jobs, but does not hear of those of others'),
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
  if (freeBytes < leastFreeBytes) throw new Error(`full: ${free}`);
  return freeBytes < lowFreeBytes ? `low: ${free}` : free;
}

/** Agent jobs say themselves why they cannot begin; for everything else the process is good. */
async function sandboxOf({ dataDir }: Context['config']): Promise<string> {
  const { whySandboxFails } = await import('../agent/engine/sandbox.ts');
  const reason = await whySandboxFails(`${dataDir}/work`).catch(() => 'could not be tried');
  return reason === undefined ? 'holds' : `agent jobs cannot run: ${reason}`;
}

/** A part that is slow to fail is not asked again before it has. */
function oneAtATime(run: () => Promise<string>): () => Promise<string> {
  let pending: Promise<string> | undefined;
  return () => (pending ??= run().finally(() => (pending = undefined)));
}

function onlyOnce(run: () => Promise<string>): () => Promise<string> {
  let result: Promise<string> | undefined;
  return () => (result ??= run());
}
