/**
 * The journal of a run: every step is committed before the next begins. Only the worker that holds the job may
 * write, and known secrets are masked.
 */
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import { JobStoppedError } from '../jobs/worker.ts';
import { inTransaction, isPostgres, type Database } from '../ports/database.ts';
import type { Journal, Step } from './contract.ts';
import { addStep, readSteps } from './record.ts';
import { redactJson, type Redact } from './redact.ts';

/** The kinds of steps in order, and the effects that happen before their step is written. */
export const runSteps = [
  'base merged',
  'prepared',
  'message',
  'answer',
  'result',
  'loop-ended',
  'validated',
  'judged',
  'committed',
  'branch pushed',
  'pushed',
  'previewed',
  'pull request made',
  'proposed',
  'ended',
  'run settled',
] as const;
export type RunStep = (typeof runSteps)[number];
export type OnRunStep = (step: RunStep, job: { attempt: number }) => void;

export interface RunJournal extends Journal {
  /** Runs `make` and writes the step it returns in one transaction. */
  appendWith(make: (database: Database) => Promise<Step>): Promise<void>;
}

type JournalContext = Pick<Context, 'database' | 'clock' | 'changes'>;

export async function openJournal(
  context: JournalContext,
  given: { job: Pick<Job, 'id' | 'attempt'>; run: number; redact: Redact; onStep?: OnRunStep },
): Promise<RunJournal> {
  const { job, run, redact, onStep } = given;
  const steps = await stepsOfRun(context, { jobId: job.id, run });
  const appendWith = async (make: (database: Database) => Promise<Step>) => {
    const step = await inTransaction(context.database, async (database) => {
      await refuseLateWorker(database, job);
      // The next step sees the masked text, as a replay would.
      const masked = redactJson(redact, await make(database));
      await addStep({ ...context, database }, { jobId: job.id, run, number: steps.length + 1 }, masked);
      return masked;
    });
    steps.push(step);
    context.changes.notify(job.id);
    onStep?.(step.kind, job);
  };
  return { steps, appendWith, append: (step) => appendWith(async () => step) };
}

export async function stepsOfRun(
  context: Pick<Context, 'database'>,
  where: { jobId: string; run: number },
): Promise<Step[]> {
  return (await readSteps(context, where)).map(({ step }) => step);
}

/** A worker that lost its lease must not write to the journal of its successor. */
async function refuseLateWorker(database: Database, job: Pick<Job, 'id' | 'attempt'>): Promise<void> {
  const row = await database
    .selectFrom('jobs')
    .select(['attempt', 'status'])
    .where('id', '=', job.id)
    // Locks the row until the commit. SQLite has a single writer.
    .$if(isPostgres(database), (query) => query.forShare())
    .executeTakeFirst();
  if (row?.attempt !== job.attempt || row.status !== 'running') throw new JobStoppedError('stopping');
}
