/** Checks records, bundles, objects, messages and the queue after the run, and reports problems to the ledger. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ExportJob } from '@docyard/api';
import type { Caller } from './callers.ts';
import type { Cluster } from './cluster.ts';
import { whyUnexplained, type Incident } from './explanation.ts';
import { contradictionsIn, movesOf, type Change } from './history.ts';
import { isFinal, type Ledger } from './ledger.ts';
import type { Receiver } from './receiver.ts';

/** Error codes of a job whose attempts were lost. */
const givenUpCodes = ['worker_lost', 'storage_failed'];
const filesOfAnExport = ['bundle.tar.gz', 'manifest.json', 'report.json'];

export interface Ended {
  completed: number;
  givenUp: number;
  attempts: number;
  lost: number;
  duplicated: number;
  stuck: number;
  wholeBundles: number;
}

/** Every acknowledged job exists once, has one end, and an intact bundle. */
export async function checkJobs(
  callers: readonly Caller[],
  ledger: Ledger,
  run: { history: readonly Change[]; incidents: readonly Incident[] },
): Promise<Ended> {
  const ended: Ended = {
    completed: 0,
    givenUp: 0,
    attempts: 0,
    lost: 0,
    duplicated: 0,
    stuck: 0,
    wholeBundles: 0,
  };
  for (const caller of callers) {
    const jobs = await listExports(caller);
    const there = new Set(jobs.map(({ jobId }) => jobId));
    for (const [jobId, { organization }] of ledger.jobs) {
      if (organization !== caller.organization.name || there.has(jobId)) continue;
      ended.lost += 1;
      ledger.complain(`lost: ${jobId}`);
    }
    for (const [tag, same] of Map.groupBy(jobs, ({ metadata }) => metadata['tag'] ?? '')) {
      if (same.length === 1) continue;
      ended.duplicated += same.length - 1;
      ledger.complain(`${tag} made ${same.map(({ jobId }) => jobId).join(' and ')}`);
    }
    for (const job of jobs) {
      await checkJob(caller, job, ledger, ended);
      if (isGivenUp(job)) checkGivenUp(job, ledger, run);
    }
  }
  return ended;
}

async function checkJob(caller: Caller, job: ExportJob, ledger: Ledger, ended: Ended): Promise<void> {
  ledger.observe(job, performance.now());
  ended.attempts += job.attempt;
  if (!isFinal(job)) {
    ended.stuck += 1;
    ledger.complain(`stuck: ${job.jobId} is ${job.status}, ${job.phase}, attempt ${job.attempt}`);
  } else if (job.status === 'completed') {
    ended.completed += 1;
    if (job.source.commit === null) ledger.complain(`${job.jobId} does not know its commit`);
    const complaint = await checkBundle(caller, job).catch(String);
    if (complaint === undefined) ended.wholeBundles += 1;
    else ledger.complain(`the bundle of ${job.jobId}: ${complaint}`);
  } else if (isGivenUp(job)) {
    ended.givenUp += 1;
  } else {
    ledger.complain(`${job.jobId} failed: ${job.failure?.code} (${job.failure?.message})`);
  }
}

function isGivenUp({ status, failure }: ExportJob): boolean {
  return status === 'failed' && givenUpCodes.includes(failure?.code ?? '');
}

/** An export may fail when faults ended each of its attempts. */
function checkGivenUp(
  { jobId, failure }: ExportJob,
  ledger: Ledger,
  { history, incidents }: { history: readonly Change[]; incidents: readonly Incident[] },
): void {
  const own = history.filter((change) => change.jobId === jobId);
  const reason = whyUnexplained(failure?.code ?? '', own, incidents);
  if (reason !== undefined) ledger.complain(`${jobId} was given up (${failure?.code}): ${reason}`);
}

async function checkBundle(caller: Caller, job: ExportJob): Promise<string | undefined> {
  const { file, sha256, sizeBytes } = await caller.insist('a bundle', () => caller.download(job.jobId));
  try {
    if (sha256 !== job.bundle?.sha256) return 'the link and the record name different hashes';
    if (sizeBytes !== job.bundle.sizeBytes) return 'the link and the record name different sizes';
    const listed = spawnSync('tar', ['-tzf', file], { encoding: 'utf8' });
    if (listed.status !== 0) return `tar: ${listed.stderr}`;
    const files = listed.stdout.split('\n').filter((name) => name !== '' && !name.endsWith('/'));
    if (files.length !== job.bundle.fileCount) return `${files.length} of ${job.bundle.fileCount} files`;
    return undefined;
  } finally {
    rmSync(file, { force: true });
  }
}

async function listExports(caller: Caller): Promise<ExportJob[]> {
  const all: ExportJob[] = [];
  for (let cursor: string | null | undefined = undefined; cursor !== null;) {
    const query: { limit: number; cursor?: string } = {
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page = await caller.insist('the list', () => caller.client.call('listExports', { query }));
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  return all;
}

/** Each completed job has the three files of its last attempt, and there are no others. */
export async function checkObjects(cluster: Cluster, ledger: Ledger, seconds: number): Promise<number> {
  const completed = await cluster.rows(`select id, attempt from jobs where status = 'completed'`);
  const expected = new Set(
    completed.flatMap(([id, attempt]) => filesOfAnExport.map((file) => `${id}/${attempt}/${file}`)),
  );
  let found: string[] = [];
  for (const deadline = Date.now() + seconds * 1000; ;) {
    found = await cluster.rgw.listObjects(cluster.blobsUrl);
    if (found.every((name) => expected.has(name)) || Date.now() > deadline) break;
    await pause(1000);
  }
  const there = new Set(found);
  for (const name of found) if (!expected.has(name)) ledger.complain(`left in the storage: ${name}`);
  for (const name of expected) if (!there.has(name)) ledger.complain(`not in the storage: ${name}`);
  return found.length;
}

/** Clients received all rows as events, in order and without a gap. */
export function checkHistory(history: readonly Change[], ledger: Ledger): { followedByEvents: number } {
  let followedByEvents = 0;
  const byJob = Map.groupBy(history, ({ jobId }) => jobId);
  for (const [jobId, { events, final }] of ledger.jobs) {
    const changes = byJob.get(jobId) ?? [];
    for (const problem of contradictionsIn(changes)) ledger.complain(`${jobId}: ${problem}`);
    if (events.length === 0 || final === undefined) continue;
    followedByEvents += 1;
    const rows = changes.map(({ sequence }) => String(sequence)).join(' ');
    if (events.join(' ') !== rows)
      ledger.complain(`${jobId} has events ${rows}, sent was ${events.join(' ')}`);
  }
  return { followedByEvents };
}

export interface Messages {
  messages: number;
  received: number;
  outOfOrder: number;
}

/** Delivery is at least once. Order is best effort, so violations are only counted. */
export async function checkMessages(
  { cluster, ledger, receiver }: { cluster: Cluster; ledger: Ledger; receiver: Receiver },
  history: readonly Change[],
  seconds: number,
): Promise<Messages> {
  const waiting = () =>
    cluster.rows(`select id, message_id, attempt from webhook_deliveries where status <> 'delivered'`);
  let left = await waiting();
  for (const deadline = Date.now() + seconds * 1000; left.length > 0 && Date.now() < deadline;) {
    await pause(1000);
    left = await waiting();
  }
  for (const [id, message, attempt] of left) {
    ledger.complain(`the delivery ${id} of ${message} was not settled after ${attempt} attempts`);
  }
  for (const refused of receiver.refused) ledger.complain(`a webhook was refused: ${refused}`);
  const deliveries = Map.groupBy(receiver.deliveries.values(), ({ jobId }) => jobId);
  let outOfOrder = 0;
  for (const [jobId, changes] of Map.groupBy(history, (change) => change.jobId)) {
    const moves = movesOf(changes).map(({ status, attempt }) => `export.${status} ${attempt}`);
    const arrived = (deliveries.get(jobId) ?? []).map(({ type, attempt }) => `${type} ${attempt}`);
    if (arrived.toSorted().join() !== moves.toSorted().join()) {
      ledger.complain(`${jobId} went ${moves.join(', ')}; webhooks delivered ${arrived.join(', ')}`);
    } else if (arrived.join() !== moves.join()) {
      outOfOrder += 1;
    }
  }
  return { messages: receiver.deliveries.size, received: receiver.received, outOfOrder };
}

/** The queue contains no entry without a waiting job. */
export async function checkQueue(cluster: Cluster, ledger: Ledger): Promise<void> {
  const statement = `select data->>'jobId', state, retry_count from pgboss.job where state <= 'active'`;
  for (const [jobId, state, taken] of await cluster.rows(statement)) {
    ledger.complain(`still in the queue: ${jobId}, ${state}, taken ${taken} times`);
  }
}
