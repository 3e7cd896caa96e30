/**
 * What the phases of a run share: the job, its journal, its project's settings, and the workspace while one is open. It
 * decides nothing; the phases do.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nowText, type Context } from '../context.ts';
import { tenantOf, type Job } from '../jobs/store.ts';
import type { RunnerInput } from '../jobs/worker.ts';
import type { Forge } from '../ports/forge.ts';
import { openProjectForge } from '../projects/forge.ts';
import type { DiffFile, EndReason, Message, SiteChecks } from './contract.ts';
import { openJournal, type RunJournal } from './journal.ts';
import type { Survey } from './policy/rule.ts';
import type { StartPreview } from './preview.ts';
import { inputOf, readRuns, type AgentInput, type Run } from './record.ts';
import { redactor, type Redact } from './redact.ts';
import { findStep } from './replay.ts';
import type { OnRunStep } from './run-steps.ts';
import { knownSecrets, readRules } from './settings.ts';
import type { Workspace } from './workspace/workspace.ts';

export interface Difference {
  files: DiffFile[];
  patch: string;
}

export interface RunChange {
  /** What reviewers of the branch see; what is judged. */
  whole: Difference;
  /** What this run adds to it, which is the same for the first one. */
  own: Difference;
}

export interface AgentRun {
  context: Context;
  input: RunnerInput;
  job: Job;
  jobId: string;
  number: number;
  kind: Run['kind'];
  prompt: string;
  /** Of this run, whatever attempt it is. */
  startedAt: string;
  earlier: Run[];
  request: AgentInput;
  rules: Awaited<ReturnType<typeof readRules>>;
  journal: RunJournal;
  /** Values that must be in nothing that is kept. Grows when a forge lends a token. */
  secrets: Set<string>;
  redact: Redact;
  startPreview: StartPreview;
  onStep: OnRunStep;
  /** Of this job alone; gone when the run ends. */
  folder: string;
  /** Set by `prepare`. */
  workspace: Workspace | undefined;
  site: (SiteChecks & { findingsBefore: number }) | undefined;
  /** Set by `prepare`: what the repository held before the run. */
  survey: Survey | undefined;
  /** Set by `prepare`: how the conversation begins, the same on every attempt. */
  opening: Message[];
  /** Set by `changeOf`, once nothing is changed any more. */
  change: RunChange | undefined;
  /** A forge with its credential; opened by whoever is about to use it, and not kept. */
  openForge(): Promise<Forge>;
  /** Why a run ends that was published. */
  publishedReason(): EndReason;
  close(): Promise<void>;
}

export interface RunParts {
  startPreview: StartPreview;
  onStep?: OnRunStep | undefined;
}

export async function openRun(
  context: Context,
  input: RunnerInput,
  { startPreview, onStep = () => {} }: RunParts,
): Promise<AgentRun> {
  const { job } = input;
  const runs = await readRuns(context, [job.id]);
  const row = runs.at(-1);
  if (row === undefined) throw new Error('The job has no run.');
  const secrets = new Set(await knownSecrets(context, job.project_id));
  const redact: Redact = (text) => redactor([...secrets])(text);
  const journal = await openJournal(context, { job, run: row.number, redact, onStep });
  const request = inputOf(job);
  const folder = join(context.config.dataDir, 'work', 'agent', job.id);
  const run: AgentRun = {
    context,
    input,
    job,
    jobId: job.id,
    number: row.number,
    kind: row.kind,
    prompt: row.prompt,
    startedAt: row.startedAt ?? nowText(context),
    earlier: runs.slice(0, -1),
    request,
    rules: await readRules(context, job.project_id),
    journal,
    secrets,
    redact,
    startPreview,
    onStep,
    folder,
    workspace: undefined,
    site: undefined,
    survey: undefined,
    opening: [],
    change: undefined,
    openForge: () => openProjectForge(context, repositoryOf(job), input.signal),
    publishedReason: () => publishedReason(findStep(journal.steps, 'loop-ended')?.reason ?? 'internal'),
    async close() {
      try {
        await run.workspace?.close();
        await rm(folder, { recursive: true, force: true });
      } catch (error) {
        // The ending stands all the same; the next start of the server removes what is left.
        input.log.warn({ err: error }, 'the folder of the job could not be removed');
      }
    },
  };
  return run;
}

export function repositoryOf(job: Job): { organizationId: string; projectId: string; repository: string } {
  return { ...tenantOf(job), repository: inputOf(job).source.repository };
}

/** Work that a limit cut off is offered all the same, and said to be part of the work. */
function publishedReason(reason: EndReason): EndReason {
  return reason === 'done' || reason === 'needs_input' ? reason : 'partial';
}

/** What is different when the work is over: asked for by several phases, worked out once. */
export async function changeOf(run: AgentRun): Promise<NonNullable<AgentRun['change']>> {
  if (run.workspace === undefined) throw new Error('The workspace is not open.');
  if (run.change !== undefined) return run.change;
  const prepared = findStep(run.journal.steps, 'prepared');
  const own = await run.workspace.diff();
  const isAlone = prepared === undefined || prepared.reviewCommit === prepared.baseCommit;
  return (run.change = { own, whole: isAlone ? own : await run.workspace.diff(prepared.reviewCommit) });
}
