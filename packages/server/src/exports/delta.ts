/**
 * Deltas between two exports of a project: made on the first request, in a process, and stored beside the
 * newer bundle. Callers check access.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { isDiskFull } from '@docyard/site/disk';
import { readJob, type Job } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import type { AccessScope } from '../access-scope.ts';
import { runSandboxed } from '../sandbox/sandbox.ts';
import { blobName, resultOf, type DeltaFile } from './record.ts';

interface DeltaFiles {
  base: string;
  target: string;
  delta: string;
  spool: string;
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Facts = z.object({ sizeBytes: z.int().min(0), sha256 });
type Facts = z.infer<typeof Facts>;

const DeltaMessage = z.discriminatedUnion('type', [
  Facts.extend({ type: z.literal('made') }),
  z.object({
    type: z.literal('failed'),
    reason: z.enum(['disk_full', 'not_bundles', 'internal']),
    message: z.string().max(4000),
  }),
]);
export type DeltaMessage = z.infer<typeof DeltaMessage>;

export interface StoredDelta extends Facts {
  file: DeltaFile;
}

type DeltaContext = Pick<Context, 'blobs' | 'config' | 'database' | 'log'>;

const program = fileURLToPath(new URL('delta-child.ts', import.meta.url));
/** Room for two versions of the largest file and their comparison. */
const memoryMegabytes = 512;
const maxSeconds = 300;
const maxPending = 20;

/** Returns the stored delta from `since` to `job`, or makes it. */
export async function deltaSince(
  context: DeltaContext,
  given: { job: Job; since: string; reach: AccessScope },
): Promise<StoredDelta> {
  const { job, since } = given;
  const pair = { target: bundleOf(job), base: bundleOf(await findBase(context, given)) };
  const file: DeltaFile = `delta-${since}.tar.gz`;
  const facts =
    (await readDeltaFacts(context, { ...pair.target, file })) ?? (await makeOnce(context, pair, file));
  return { ...facts, file };
}

interface StoredBundle {
  jobId: string;
  /** The attempt that wrote the files. */
  generation: number;
}

/** Undefined unless the delta is stored. Its facts are written last, so a delta with facts is complete. */
export async function readDeltaFacts(
  { blobs }: Pick<Context, 'blobs'>,
  { jobId, generation, file }: StoredBundle & { file: DeltaFile },
): Promise<Facts | undefined> {
  const [name, factsName] = [blobName(jobId, generation, file), factsNameOf({ jobId, generation, file })];
  if ((await blobs.stat(factsName)) === undefined) return undefined;
  const facts = Facts.parse(JSON.parse(Buffer.from(await blobs.readBytes(factsName)).toString()));
  return (await blobs.stat(name))?.sizeBytes === facts.sizeBytes ? facts : undefined;
}

function factsNameOf({ jobId, generation, file }: StoredBundle & { file: DeltaFile }): string {
  return blobName(jobId, generation, `${file.slice(0, -'.tar.gz'.length)}.json` as `delta-${string}.json`);
}

/** Throws a problem that explains why `since` cannot be used. */
async function findBase(
  context: DeltaContext,
  { job, since, reach }: { job: Job; since: string; reach: AccessScope },
): Promise<Job> {
  const base = await readJob(context, { id: since, reach, kind: 'export' });
  if (base === undefined) {
    throw new Problem('not_found', `There is no export job ${since}, which \`since\` names.`);
  }
  if (base.project_id !== job.project_id) {
    const message = `\`since\` must name an export of the same project; ${since} is one of ${base.domain}.`;
    throw new Problem('invalid_request', message, { details: [{ path: 'since', message }] });
  }
  if (base.purged_at !== null) throw bundlePurged(since);
  if (base.status === 'failed') {
    throw new Problem('job_failed', `The job ${since}, which \`since\` names, failed and has no bundle.`);
  }
  if (base.status !== 'completed') {
    throw new Problem('job_not_completed', `The job ${since}, which \`since\` names, is ${base.status}.`, {
      headers: { 'retry-after': '2' },
    });
  }
  return base;
}

function bundlePurged(since: string): Problem {
  return new Problem(
    'bundle_purged',
    `The bundle of ${since}, which \`since\` names, was removed. Omit \`since\` to download the full bundle.`,
  );
}

function bundleOf(job: Job): StoredBundle {
  const result = resultOf(job);
  if (result === null) throw new Error(`The completed job ${job.id} has no result.`);
  return { jobId: job.id, generation: result.attempt };
}

interface Pair {
  base: StoredBundle;
  target: StoredBundle;
}

/** Concurrent callers share one promise. Another process that makes the same delta writes the same bytes. */
const pending = new Map<string, Promise<Facts>>();
let lastPending: Promise<unknown> = Promise.resolve();

/** Deltas are made sequentially, because exports need the processors more. */
async function makeOnce(context: DeltaContext, pair: Pair, file: DeltaFile): Promise<Facts> {
  const name = blobName(pair.target.jobId, pair.target.generation, file);
  const running = pending.get(name);
  if (running !== undefined) return running;
  if (pending.size >= maxPending) {
    throw new Problem(
      'overloaded',
      'Too many deltas are being created. Try again, or omit `since` to download the full bundle.',
      {
        headers: { 'retry-after': '10' },
      },
    );
  }
  const made = lastPending.then(() => make(context, pair, file));
  lastPending = made.catch(() => {});
  pending.set(name, made);
  return made.finally(() => pending.delete(name));
}

async function make(context: DeltaContext, pair: Pair, file: DeltaFile): Promise<Facts> {
  const { blobs, config, log } = context;
  const startedMs = performance.now();
  const folder = await mkdtemp(join(config.dataDir, 'work', 'delta-'));
  const files: DeltaFiles = {
    base: join(folder, 'base'),
    target: join(folder, 'target'),
    delta: join(folder, 'delta'),
    spool: join(folder, 'spool'),
  };
  const signal = AbortSignal.timeout(maxSeconds * 1000);
  try {
    await fetchBundle(context, pair.base, files.base, signal);
    await fetchBundle(context, pair.target, files.target, signal);
    const { sizeBytes, sha256: digest } = await makeInProcess(files, signal);
    const facts: Facts = { sizeBytes, sha256: digest };
    const name = blobName(pair.target.jobId, pair.target.generation, file);
    await blobs.putStream(name, createReadStream(files.delta), signal);
    await blobs.putBytes(factsNameOf({ ...pair.target, file }), Buffer.from(JSON.stringify(facts)), signal);
    const milliseconds = Math.round(performance.now() - startedMs);
    log.info({ jobId: pair.target.jobId, since: pair.base.jobId, sizeBytes, milliseconds }, 'made a delta');
    return facts;
  } catch (error) {
    throw isDiskFull(error) ? diskFull(error) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchBundle(
  { blobs }: DeltaContext,
  { jobId, generation }: StoredBundle,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const name = blobName(jobId, generation, 'bundle.tar.gz');
  if ((await blobs.stat(name)) === undefined) throw bundlePurged(jobId);
  await pipeline(blobs.read(name), createWriteStream(file, { mode: 0o600 }), { signal });
}

function makeInProcess({ base, target, delta, spool }: DeltaFiles, signal: AbortSignal): Promise<Facts> {
  return runSandboxed<Facts>({
    program,
    order: {},
    files: [
      { path: base, use: 'read' },
      { path: target, use: 'read' },
      { path: delta, use: 'write' },
      { path: spool, use: 'write' },
    ],
    memoryMegabytes,
    signal,
    onMessage(raw) {
      const message = DeltaMessage.parse(raw);
      if (message.type === 'made') return { answer: message };
      throw problemOf(message);
    },
  });
}

function problemOf({ reason, message }: Extract<DeltaMessage, { type: 'failed' }>): Error {
  const cause = new Error(message);
  if (reason === 'disk_full') return diskFull(cause);
  if (reason === 'internal') return new Error('Cannot create the delta.', { cause });
  const explanation =
    'No delta exists between these bundles, because an older version created one of them. Omit `since` to download the full bundle.';
  return new Problem('invalid_request', explanation, {
    details: [{ path: 'since', message: explanation }],
    cause,
  });
}

function diskFull(cause: unknown): Problem {
  return new Problem(
    'storage_unavailable',
    'The disk is too full to create a delta. Omit `since` to download the full bundle.',
    { headers: { 'retry-after': '60' }, cause },
  );
}
