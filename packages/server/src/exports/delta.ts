/**
 * What changed between two exports of a project, as a file that lies beside the newer bundle. It is made when somebody first
 * asks for it, in a process of its own, and kept as long as that bundle. Who may have it is decided elsewhere.
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
import type { Reach } from '../reach.ts';
import { converse } from '../rendering/sandbox.ts';
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
/** Two versions of one file of 64 MB, and what it takes to compare them. */
const memoryMegabytes = 512;
/** 1,000 pages take 2 s on two cores. */
const mostSeconds = 300;
const mostWaiting = 20;

/** The delta from `since` to `job`, both completed; made now unless it is there. */
export async function deltaSince(
  context: DeltaContext,
  given: { job: Job; since: string; reach: Reach },
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

/** Undefined unless the delta is stored. Its facts are written after it, so what has facts is whole. */
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

/** Says of every job that will not do why `since` cannot name it. */
async function findBase(
  context: DeltaContext,
  { job, since, reach }: { job: Job; since: string; reach: Reach },
): Promise<Job> {
  const base = await readJob(context, { id: since, reach, kind: 'export' });
  if (base === undefined) {
    throw new Problem('not_found', `There is no export job ${since}, which \`since\` names.`);
  }
  if (base.project_id !== job.project_id) {
    const message = `\`since\` must name an export of the same project; ${since} is one of ${base.domain}.`;
    throw new Problem('invalid_request', message, { details: [{ path: 'since', message }] });
  }
  if (base.purged_at !== null) throw gone(since);
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

function gone(since: string): Problem {
  return new Problem(
    'bundle_purged',
    `The bundle of ${since}, which \`since\` names, was removed. Take the whole bundle: leave \`since\` out.`,
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

/** By name, so that callers who ask at once share one. Another process may make it too: it gets the same bytes. */
const making = new Map<string, Promise<Facts>>();
let lastInLine: Promise<unknown> = Promise.resolve();

/** One after another: each takes a core, and the exports need them more. */
async function makeOnce(context: DeltaContext, pair: Pair, file: DeltaFile): Promise<Facts> {
  const name = blobName(pair.target.jobId, pair.target.generation, file);
  const begun = making.get(name);
  if (begun !== undefined) return begun;
  if (making.size >= mostWaiting) {
    throw new Problem('overloaded', 'Too many deltas are being made. Try again, or take the whole bundle.', {
      headers: { 'retry-after': '10' },
    });
  }
  const made = lastInLine.then(() => make(context, pair, file));
  lastInLine = made.catch(() => {});
  making.set(name, made);
  return made.finally(() => making.delete(name));
}

async function make(context: DeltaContext, pair: Pair, file: DeltaFile): Promise<Facts> {
  const { blobs, config, log } = context;
  const began = performance.now();
  const folder = await mkdtemp(join(config.dataDir, 'work', 'delta-'));
  const files: DeltaFiles = {
    base: join(folder, 'base'),
    target: join(folder, 'target'),
    delta: join(folder, 'delta'),
    spool: join(folder, 'spool'),
  };
  const signal = AbortSignal.timeout(mostSeconds * 1000);
  try {
    await fetchBundle(context, pair.base, files.base, signal);
    await fetchBundle(context, pair.target, files.target, signal);
    const { sizeBytes, sha256: digest } = await makeInProcess(files, signal);
    const facts: Facts = { sizeBytes, sha256: digest };
    const name = blobName(pair.target.jobId, pair.target.generation, file);
    await blobs.putStream(name, createReadStream(files.delta), signal);
    await blobs.putBytes(factsNameOf({ ...pair.target, file }), Buffer.from(JSON.stringify(facts)), signal);
    const milliseconds = Math.round(performance.now() - began);
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
  if ((await blobs.stat(name)) === undefined) throw gone(jobId);
  await pipeline(blobs.read(name), createWriteStream(file, { mode: 0o600 }), { signal });
}

function makeInProcess({ base, target, delta, spool }: DeltaFiles, signal: AbortSignal): Promise<Facts> {
  return converse<Facts>({
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
    hear(raw) {
      const message = DeltaMessage.parse(raw);
      if (message.type === 'made') return { answer: message };
      throw problemOf(message);
    },
  });
}

function problemOf({ reason, message }: Extract<DeltaMessage, { type: 'failed' }>): Error {
  const cause = new Error(message);
  if (reason === 'disk_full') return diskFull(cause);
  if (reason === 'internal') return new Error('The delta could not be made.', { cause });
  const explanation =
    'There is no delta between these two: an older version made one of the bundles. Take the whole one, without `since`.';
  return new Problem('invalid_request', explanation, {
    details: [{ path: 'since', message: explanation }],
    cause,
  });
}

function diskFull(cause: unknown): Problem {
  return new Problem(
    'storage_unavailable',
    'The disk is full, and a delta needs room while it is made. Take the whole bundle: leave `since` out.',
    { headers: { 'retry-after': '60' }, cause },
  );
}
