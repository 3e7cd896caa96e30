/**
 * Random operations of clients during the torture test. Each is recorded in the ledger before it is sent and after its
 * response; failed requests are expected.
 */
import { createHash } from 'node:crypto';
import { DocyardError, type DocyardClient } from '@docyard/api';
import type { Service } from '../service.ts';
import type { Chance } from './seeded-random.ts';
import type { KnownJob, Ledger, StartRequest } from './ledger.ts';

export interface Caller {
  service: Service;
  client: DocyardClient;
  ledger: Ledger;
  chance: Chance;
  domains: readonly string[];
  /** A repository for any number of projects. */
  repository: string;
  figures: { idempotentRetries: number; downloads: number };
  /** Links and downloads in progress. */
  bundlesUnderWay: number;
  /** Makes names unique over all rounds. */
  counter: { value: number };
}

const maxUnfinished = 10;

/** Several concurrent callers, until the signal or the end of the server. */
export async function keepBusy(caller: Caller, signal: AbortSignal, callers: number): Promise<void> {
  const one = async () => {
    while (!signal.aborted) {
      await attempt(caller.chance.pick(deck) ?? startExport, caller);
      await new Promise((resolve) => setTimeout(resolve, caller.chance.between(5, 60)));
    }
  };
  await Promise.all(Array.from({ length: callers }, one));
}

/** Repeats requests without a response, and sometimes others: both must return the existing job. */
export async function repeatRequests(caller: Caller): Promise<void> {
  const { ledger, chance } = caller;
  const repeated = ledger.requests.filter(
    ({ idempotencyKey, jobId }) =>
      idempotencyKey !== undefined && (jobId === undefined || chance.happens(0.1)),
  );
  for (const request of repeated) {
    caller.figures.idempotentRetries += 1;
    await attempt(() => send(caller, request), caller);
  }
}

/** A broken connection is expected; an undocumented response is not. */
async function attempt(operation: (caller: Caller) => Promise<void>, caller: Caller): Promise<void> {
  try {
    await operation(caller);
  } catch (error) {
    if (error instanceof DocyardError && error.status >= 500 && error.code !== 'draining') {
      caller.ledger.complain('other', `${operation.name} was answered ${error.status}: ${error.message}`);
    }
  }
}

async function startExport(caller: Caller): Promise<void> {
  const { ledger, chance, counter } = caller;
  if (jobsThat(ledger, ({ latest }) => !isFinal(latest.status)).length >= maxUnfinished) return;
  counter.value += 1;
  const tag = `start-${counter.value}`;
  const request: StartRequest = {
    tag,
    body: {
      domain: chance.pick(caller.domains) ?? '',
      metadata: { tag },
      ...(chance.happens(0.2) ? { urlStyle: 'directory' as const } : {}),
    },
    idempotencyKey: chance.happens(0.6) ? `torture-${tag}` : undefined,
    jobId: undefined,
  };
  ledger.requests.push(request);
  await send(caller, request);
}

async function send({ client, ledger }: Caller, request: StartRequest): Promise<void> {
  const askedAt = ledger.moment();
  const { body, idempotencyKey } = request;
  const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
  ledger.acknowledgeStart(request, await client.call('startExport', { body }, { headers }), askedAt);
}

async function readStatus({ client, ledger, chance }: Caller): Promise<void> {
  const job = chance.pick(jobsThat(ledger, ({ latest }) => !isFinal(latest.status)));
  if (job === undefined) return;
  const askedAt = ledger.moment();
  ledger.observe(await client.call('readExport', { params: { jobId: job.latest.jobId } }), askedAt);
}

async function listExports({ client, ledger }: Caller): Promise<void> {
  const askedAt = ledger.moment();
  const { data } = await client.call('listExports', { query: { limit: 20 } });
  for (const job of data) ledger.observe(job, askedAt);
}

async function downloadBundle(caller: Caller): Promise<void> {
  const { client, ledger, chance } = caller;
  const job = chance.pick(
    jobsThat(ledger, ({ latest, deletion }) => latest.status === 'completed' && deletion === 'none'),
  );
  if (job === undefined) return;
  caller.bundlesUnderWay += 1;
  try {
    const bundle = await client.call('createBundle', { params: { jobId: job.latest.jobId } });
    const response = await fetch(bundle.bundleUrl);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (job.deletion !== 'none') return;
    caller.figures.downloads += 1;
    const hash = createHash('sha256').update(bytes).digest('hex');
    if (response.status !== 200 || hash !== job.latest.bundle?.sha256) {
      ledger.complain('torn', `${job.latest.jobId}: ${response.status}, ${bytes.length} bytes, ${hash}`);
    }
  } finally {
    caller.bundlesUnderWay -= 1;
  }
}

async function cancelExport(caller: Caller): Promise<void> {
  const { ledger, chance } = caller;
  const jobs = jobsThat(ledger, ({ latest, cancel }) => !isFinal(latest.status) && cancel === 'none');
  const job = chance.happens(0.08) ? chance.pick(jobs) : undefined;
  if (job !== undefined) await cancel(caller, job);
}

/** The work is done and only the ending is not yet written. */
async function cancelLate(caller: Caller): Promise<void> {
  const { client, ledger } = caller;
  const askedAt = ledger.moment();
  const { data } = await client.call('listExports', { query: { status: 'running' } });
  for (const job of data) ledger.observe(job, askedAt);
  const late = data.find(({ phase }) => phase === 'packing' || phase === 'storing');
  const job = late === undefined ? undefined : ledger.jobs.get(late.jobId);
  if (job?.cancel === 'none' && caller.chance.happens(0.2)) await cancel(caller, job);
}

async function cancel({ client, ledger }: Caller, job: KnownJob): Promise<void> {
  job.cancel = 'asked';
  await client.call('cancelExport', { params: { jobId: job.latest.jobId } });
  ledger.acknowledgeCancel(job.latest.jobId);
}

async function deleteExport({ client, ledger, chance }: Caller): Promise<void> {
  const jobs = jobsThat(ledger, ({ latest, deletion }) => isFinal(latest.status) && deletion === 'none');
  const job = chance.happens(0.25) ? chance.pick(jobs) : undefined;
  if (job === undefined) return;
  job.deletion = 'asked';
  await client.call('deleteExport', { params: { jobId: job.latest.jobId } });
  job.deletion = 'acknowledged';
}

async function createKey({ client, ledger, counter }: Caller): Promise<void> {
  counter.value += 1;
  const body = { name: `key-${counter.value}`, scopes: ['read' as const] };
  ledger.acknowledgeKey(await client.call('createKey', { body }));
}

async function revokeKey({ client, ledger, chance }: Caller): Promise<void> {
  const live = [...ledger.keys].filter(([, { revocation }]) => revocation === 'none');
  const [keyId, key] = chance.pick(live) ?? [];
  if (keyId === undefined || key === undefined) return;
  key.revocation = 'asked';
  await client.call('revokeKey', { params: { keyId } });
  key.revocation = 'acknowledged';
}

async function createProject({ client, ledger, counter, repository }: Caller): Promise<void> {
  counter.value += 1;
  const name = `project-${counter.value}`;
  const body = { name, domain: `${name}.example.com`, source: { repository, ref: 'main' } };
  ledger.acknowledgeProject(await client.call('createProject', { body }), { deletable: true });
}

async function changeProject({ client, ledger, chance, counter }: Caller): Promise<void> {
  const idle = [...ledger.projects].filter(([, { deletion, busy }]) => deletion === 'none' && !busy);
  const [projectId, project] = chance.pick(idle) ?? [];
  if (projectId === undefined || project === undefined) return;
  project.busy = true;
  if (project.deletable && chance.happens(0.3)) {
    project.deletion = 'asked';
    await client.call('deleteProject', { params: { projectId } });
    project.deletion = 'acknowledged';
  } else {
    counter.value += 1;
    const name = `renamed-${counter.value}`;
    project.possibleNames.add(name);
    await client.call('updateProject', { params: { projectId }, body: { name } });
    project.possibleNames = new Set([name]);
  }
  project.busy = false;
}

const deck = [
  startExport,
  startExport,
  startExport,
  startExport,
  readStatus,
  readStatus,
  readStatus,
  listExports,
  downloadBundle,
  downloadBundle,
  downloadBundle,
  cancelExport,
  cancelLate,
  cancelLate,
  deleteExport,
  createKey,
  revokeKey,
  createProject,
  changeProject,
];

function jobsThat(ledger: Ledger, fits: (job: KnownJob) => boolean): KnownJob[] {
  return [...ledger.jobs.values()].filter(fits);
}

export function isFinal(status: string): boolean {
  return status === 'completed' || status === 'failed';
}
