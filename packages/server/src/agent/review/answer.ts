/** Writes the reply to a comment when its run has ended. */
import type { Context } from '../../context.ts';
import { tenantOf, type Job } from '../../jobs/store.ts';
import { openProjectForge } from '../../projects/forge.ts';
import { stepsOfRun } from '../journal.ts';
import { inputOf, readDiff, readRuns } from '../record.ts';
import { findStep } from '../replay.ts';
import { redactorOf } from '../settings.ts';
import type { ReviewComment } from './comment.ts';
import { changedLines } from './changed-lines.ts';
import { commitUrl, replyText } from './reply-text.ts';
import type { ReviewTask } from './tasks.ts';

export async function answerComment(
  context: Context,
  { task, comment, job, run: number }: { task: ReviewTask; comment: ReviewComment; job: Job; run: number },
  signal: AbortSignal,
): Promise<void> {
  const { pullRequest } = task;
  const { repository } = inputOf(job).source;
  const forge = await openProjectForge(context, { ...tenantOf(job), repository }, signal);
  const { url } = await forge.readPr(pullRequest, signal);
  const runs = await readRuns(context, [job.id]);
  const run = runs.find((each) => each.number === number) ?? { ending: null, summary: null };
  const steps = await stepsOfRun(context, { jobId: job.id, run: number });
  const prepared = findStep(steps, 'prepared');
  const pushed = findStep(steps, 'pushed');
  const patch =
    pushed === undefined ? '' : ((await readDiff(context, { jobId: job.id, run: number }))?.patch ?? '');
  const text = replyText({
    comment,
    run,
    commit:
      pushed === undefined ? null : { hash: pushed.commit, url: commitUrl(forge.kind, url, pushed.commit) },
    changed: changedLines(patch),
    baseBranch: prepared?.baseBranch ?? null,
    baseUpdate: prepared?.baseUpdate ?? null,
  });
  const body = (await redactorOf(context, job.project_id))(text);
  const reference = { kind: comment.kind, id: comment.id, thread: comment.threadId };
  await forge.replyTo(pullRequest, reference, { marker: `reply/${task.id}`, body }, signal);
}
