/** Runs many concurrent agent jobs, cancels some at random moments, and reports resources that they leave behind. */
import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { AgentJob } from '@docyard/api';
import type { Service } from '../service.ts';
import { Chance } from '../torture/seeded-random.ts';
import { isFinal } from '../torture/operations.ts';
import { survivors, type FoundProcess } from '../torture/processes.ts';
import { createProject, mendLink, setStage, type Stage } from './harness.ts';

export interface ManyOptions {
  jobs: number;
  seed: number;
  onJob?: (ended: number) => void;
}

const cancelShare = 0.3;
/** A pushed job also starts an export, so most jobs do not push. */
const pushShare = 0.2;
const maxJobMs = 3000;

export async function runMany({ jobs, seed, onJob }: ManyOptions) {
  const started = performance.now();
  const chance = new Chance(seed);
  const stage = await setStage({ script: mendLink, environment: { AGENT_CONCURRENCY: '2' } });
  try {
    const service = await stage.start({ workingFolder: stage.dataDir });
    const projectId = await createProject(service, stage);
    const openFilesBefore = openFiles(service);
    const ids: string[] = [];
    for (let made = 0; made < jobs; made += 1) {
      const body = { prompt: 'Mend the link of the first page.', dryRun: !chance.happens(pushShare) };
      ids.push((await service.client.call('createAgentJob', { params: { projectId }, body })).id);
    }
    const cancels = chance
      .shuffled(ids)
      .slice(0, Math.round(jobs * cancelShare))
      .map((id) => cancelLater(service, projectId, id, chance.between(0, jobs * (maxJobMs / 2))));
    const ended = await everyEnding(service, projectId, ids, onJob);
    const canceled = (await Promise.all(cancels)).filter(Boolean).length;
    const left = await leftovers(stage, service);
    return {
      jobs,
      canceled,
      ...counted(ended),
      leakedFolders: left.folders.length,
      heldJobs: left.held.length,
      leakedProcesses: left.processes.length,
      openFilesBefore,
      openFilesAfter: left.openFiles,
      seconds: Math.round((performance.now() - started) / 1000),
      problems: [...contradictions(stage, ended), ...complaints(left, openFilesBefore)],
    };
  } finally {
    await stage.close();
  }
}

/** Resolves with whether the service accepted the cancellation; it refuses to cancel an ended job. */
async function cancelLater(
  service: Service,
  projectId: string,
  id: string,
  delayMs: number,
): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  const answer = await service.request(`/v2/agent/${projectId}/job/${id}/cancel`, { method: 'POST' });
  return answer.status === 200;
}

async function everyEnding(
  service: Service,
  projectId: string,
  ids: readonly string[],
  onJob: (ended: number) => void = () => undefined,
): Promise<AgentJob[]> {
  const ended: AgentJob[] = [];
  for (const id of ids) {
    for (;;) {
      const job = await service.client.call(
        'readAgentJob',
        { params: { projectId, id } },
        { headers: { prefer: 'wait=20' } },
      );
      if (job.status === 'active') continue;
      ended.push(job);
      break;
    }
    onJob(ended.length);
  }
  return ended;
}

function counted(ended: readonly AgentJob[]) {
  const of = (status: AgentJob['status']) => ended.filter((job) => job.status === status).length;
  return { completed: of('completed'), failed: of('failed') };
}

/** Contradictions between the records, the git host and the forge. */
function contradictions(stage: Stage, ended: readonly AgentJob[]): string[] {
  return ended.flatMap((job) => {
    const branch = `docyard/${job.id.slice(3, 15)}`;
    const pulls = stage.forge.pulls.filter(({ head }) => head === branch).length;
    const isPushed = stage.repository.tip(branch) !== undefined;
    const summary = `${job.id} (${job.status}, ${job.statusReason}, dry ${job.dryRun})`;
    if (job.status === 'failed' && job.statusReason !== 'cancelled') return [`${summary}: ${job.error}`];
    if (job.dryRun && (isPushed || pulls > 0)) return [`${summary} was pushed`];
    if (pulls > 1) return [`${summary} has ${pulls} pull requests`];
    if (job.status === 'completed' && !job.dryRun && (pulls !== 1 || !isPushed))
      return [`${summary} is not there`];
    return [];
  });
}

interface Leftovers {
  folders: string[];
  /** Jobs that are still queued or claimed by a worker. */
  held: string[];
  processes: FoundProcess[];
  openFiles: number;
  stopStatus: number | null;
}

/** Checked after the previews have ended: first on the running service, where a leak would grow, then after it stops. */
async function leftovers(stage: Stage, service: Service): Promise<Leftovers> {
  for (;;) {
    const { data } = await service.client.call('listExports', { query: { limit: 100 } });
    if (data.every(({ status }) => isFinal(status))) break;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  const besides = await survivors(stage.dataDir, 5, service.pid);
  const work = join(stage.dataDir, 'work');
  const folders = readdirSync(work).flatMap((name) =>
    name === 'agent' ? readdirSync(join(work, name)) : [name],
  );
  const open = openFiles(service);
  const stopStatus = await service.stop();
  const processes = [...besides, ...(await survivors(stage.dataDir, 5))];
  return { folders, held: heldJobs(stage.dataDir), processes, openFiles: open, stopStatus };
}

function openFiles({ pid }: Service): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function heldJobs(dataDir: string): string[] {
  const database = new DatabaseSync(join(dataDir, 'docyard.db'), { readOnly: true });
  const rows = database.prepare(`select id from jobs where status not in ('completed', 'failed')`).all();
  database.close();
  return rows.map(({ id }) => String(id));
}

/** Idle keep-alive connections vary. */
const usualOpenFiles = 30;

function complaints(left: Leftovers, openFilesBefore: number): string[] {
  return [
    ...left.folders.map((name) => `the folder ${name} is still there`),
    ...left.held.map((id) => `${id} is still held`),
    ...left.processes.map(({ pid, command }) => `still running: ${pid} ${command}`),
    ...(left.openFiles - openFilesBefore > usualOpenFiles
      ? [`${openFilesBefore} open files became ${left.openFiles}`]
      : []),
    ...(left.stopStatus === 0 ? [] : [`a clean stop ended with ${left.stopStatus}`]),
  ];
}
