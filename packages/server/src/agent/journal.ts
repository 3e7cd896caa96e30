/**
 * The journal of a run: every step is a row before the next one begins, so that another worker can go on where this one
 * was cut off. Only the worker that holds the job may write, and no known secret gets in.
 */
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import { Stopped } from '../jobs/worker.ts';
import { inTransaction, isPostgres, type Database } from '../ports/database.ts';
import type { Journal, Step } from './contract.ts';
import { addStep, readSteps } from './record.ts';
import { redactJson, type Redact } from './redact.ts';
import type { OnRunStep } from './run-steps.ts';

export interface RunJournal extends Journal {
  /** Writes what `make` does and the step it gives in one transaction: both happen, or neither. */
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
      // What the next step sees is what a replay would see.
      const kept = redactJson(redact, await make(database));
      await addStep({ ...context, database }, { jobId: job.id, run, number: steps.length + 1 }, kept);
      return kept;
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

/** A worker that was given up for lost and wakes late must not write into the journal of its successor. */
async function refuseLateWorker(database: Database, job: Pick<Job, 'id' | 'attempt'>): Promise<void> {
  const row = await database
    .selectFrom('jobs')
    .select(['attempt', 'status'])
    .where('id', '=', job.id)
    // Nobody takes the job away between this look and the commit. SQLite has one writer at a time anyway.
    .$if(isPostgres(database), (query) => query.forShare())
    .executeTakeFirst();
  if (row?.attempt !== job.attempt || row.status !== 'running') throw new Stopped('stopping');
}
