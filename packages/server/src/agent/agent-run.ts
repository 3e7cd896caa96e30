import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nowText, type Context } from '../context.ts';
import { tenantOf, type Job } from '../jobs/store.ts';
import type { RunnerInput } from '../jobs/worker.ts';
import type { Forge } from '../ports/forge.ts';
import { openProjectForge } from '../projects/forge.ts';
import type { Code, DiffFile, EndReason, SiteChecks } from './contract.ts';
import type { Opening } from './engine/prompt.ts';
import { openJournal, type OnRunStep, type RunJournal } from './journal.ts';
import type { Survey } from './policy/rule.ts';
import type { StartPreview } from './preview.ts';
import { inputOf, readRuns, type AgentInput, type Run } from './record.ts';
import { redactor, type Redact } from './redact.ts';
import { findStep } from './replay.ts';
import { knownSecrets, readRules } from './settings.ts';
import type { Workspace } from './workspace/workspace.ts';

export interface Difference {
  files: DiffFile[];
  patch: string;
}

export interface RunChange {
  /** Everything the branch changes: what reviewers see and the policy judges. */
  whole: Difference;
  /** What this run alone changes; the same object for the first run. */
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
  startedAt: string;
  earlier: Run[];
  request: AgentInput;
  rules: Awaited<ReturnType<typeof readRules>>;
  journal: RunJournal;
  /** Values that must not be stored. Grows when a forge issues a token. */
  secrets: Set<string>;
  redact: Redact;
  startPreview: StartPreview;
  onStep: OnRunStep;
  folder: string;
  /** Set by `prepare`, like `site`, `survey` and `opening`. */
  workspace: Workspace | undefined;
  site: (SiteChecks & { findingsBefore: number }) | undefined;
  /** Undefined without context repositories, and once the change was judged. */
  code: Code | undefined;
  survey: Survey | undefined;
  opening: Opening | undefined;
  change: RunChange | undefined;
  /** Opens the forge with its credential. Open it just before use and do not store it. */
  openForge(): Promise<Forge>;
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
    code: undefined,
    survey: undefined,
    opening: undefined,
    change: undefined,
    openForge() {
      const fork = findStep(journal.steps, 'prepared')?.fork ?? null;
      return openProjectForge(context, { ...repositoryOf(job), fork }, input.signal);
    },
    publishedReason: () => publishedReason(findStep(journal.steps, 'loop-ended')?.reason ?? 'internal'),
    async close() {
      try {
        await run.workspace?.close();
        await rm(folder, { recursive: true, force: true });
      } catch (error) {
        // The next start of the server removes leftover folders.
        input.log.warn({ err: error }, 'cannot remove the folder of the job');
      }
    },
  };
  return run;
}

export function repositoryOf(job: Job): { organizationId: string; projectId: string; repository: string } {
  return { ...tenantOf(job), repository: inputOf(job).source.repository };
}

/** Work that a limit cut off is published as partial. */
function publishedReason(reason: EndReason): EndReason {
  return reason === 'done' || reason === 'needs_input' ? reason : 'partial';
}

export async function changeOf(run: AgentRun): Promise<NonNullable<AgentRun['change']>> {
  if (run.workspace === undefined) throw new Error('The workspace is not open.');
  if (run.change !== undefined) return run.change;
  const prepared = findStep(run.journal.steps, 'prepared');
  const own = await run.workspace.diff();
  const isAlone = prepared === undefined || prepared.reviewCommit === prepared.baseCommit;
  return (run.change = { own, whole: isAlone ? own : await run.workspace.diff(prepared.reviewCommit) });
}
