/**
 * Many agent jobs at once, some of them cancelled at random moments: afterwards nothing may be left of them but their
 * records and what they pushed. Counts and complains; decides nothing.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentJob } from '@docyard/api';
import type { Service } from '../service.ts';
import { Chance } from '../torture/chance.ts';
import { survivors } from '../torture/processes.ts';
import { createProject, mendLink, setStage, type Stage } from './stage.ts';

export interface ManyOptions {
  jobs: number;
  seed: number;
  onJob?: (ended: number) => void;
}

const cancelShare = 0.3;
/** A job that is pushed also makes an export; most are not, so that the agent is what is measured. */
const pushShare = 0.2;
const longestJobMs = 3000;

export async function runMany({ jobs, seed, onJob }: ManyOptions) {
  const started = performance.now();
  const chance = new Chance(seed);
  const stage = await setStage({ script: mendLink, environment: { AGENT_CONCURRENCY: '2' } });
  try {
    const service = await stage.start({ workingFolder: stage.dataDir });
    const projectId = await createProject(service, stage);
    const ids: string[] = [];
    for (let made = 0; made < jobs; made += 1) {
      const body = { prompt: 'Mend the link of the first page.', dryRun: !chance.happens(pushShare) };
      ids.push((await service.client.call('createAgentJob', { params: { projectId }, body })).id);
    }
    const cancels = chance
      .shuffled(ids)
      .slice(0, Math.round(jobs * cancelShare))
      .map((id) => cancelLater(service, projectId, id, chance.between(0, jobs * (longestJobMs / 2))));
    const ended = await everyEnding(service, projectId, ids, onJob);
    const cancelled = (await Promise.all(cancels)).filter(Boolean).length;
    const problems = [...contradictions(stage, ended), ...(await leftovers(stage, service))];
    return {
      jobs,
      cancelled,
      ...counted(ended),
      problems,
      seconds: Math.round((performance.now() - started) / 1000),
    };
  } finally {
    await stage.close();
  }
}

/** Resolves with whether the service promised to cancel; a job that had ended before is refused. */
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

/** What the records, the git host and the forge say of each other. */
function contradictions(stage: Stage, ended: readonly AgentJob[]): string[] {
  return ended.flatMap((job) => {
    const branch = `docyard/${job.id.slice(3, 15)}`;
    const pulls = stage.forge.pulls.filter(({ head }) => head === branch).length;
    const isPushed = stage.repository.tip(branch) !== undefined;
    const told = `${job.id} (${job.status}, ${job.statusReason}, dry ${job.dryRun})`;
    if (job.status === 'failed' && job.statusReason !== 'cancelled') return [`${told}: ${job.error}`];
    if (job.dryRun && (isPushed || pulls > 0)) return [`${told} was pushed`];
    if (pulls > 1) return [`${told} has ${pulls} pull requests`];
    if (job.status === 'completed' && !job.dryRun && (pulls !== 1 || !isPushed))
      return [`${told} is not there`];
    return [];
  });
}

/** Folders and processes; looked at once the exports are through and the service has stopped. */
async function leftovers(stage: Stage, service: Service): Promise<string[]> {
  const folder = join(stage.dataDir, 'work', 'agent');
  const folders = readdirSync(folder).map((name) => `the folder of ${name} is still there`);
  const status = await service.stop();
  const processes = await survivors(stage.dataDir, 5);
  return [
    ...folders,
    ...(status === 0 ? [] : [`a clean stop ended with ${status}`]),
    ...processes.map(({ pid, command }) => `still running: ${pid} ${command}`),
  ];
}
