/** Asks the forge whether a comment may instruct the agent. */
import type { Context } from '../../context.ts';
import { tenantOf, type Job } from '../../jobs/store.ts';
import type { ForgeAccount, PrFacts } from '../../ports/forge-review.ts';
import { openProjectForge } from '../../projects/forge.ts';
import { inputOf } from '../record.ts';
import type { ReviewComment } from './comment.ts';
import { mentionName, mentions } from './mention.ts';
import type { ReviewTask } from './tasks.ts';

export interface CheckedComment {
  /** Null if the comment may instruct the agent. */
  refusal: string | null;
  state: PrFacts['state'];
}

export async function checkComment(
  context: Context,
  { task, comment, job }: { task: ReviewTask; comment: ReviewComment; job: Job },
  signal: AbortSignal,
): Promise<CheckedComment> {
  const { pullRequest: number } = task;
  const { author } = comment;
  const { repository } = inputOf(job).source;
  const forge = await openProjectForge(context, { ...tenantOf(job), repository }, signal);
  const pr = await forge.readPr(number, signal);
  const refused = (refusal: string | null): CheckedComment => ({ refusal, state: pr.state });
  if (pr.state !== 'open') return refused(`The pull request #${number} is ${pr.state}.`);
  // A token without an account has opened the pull request all the same.
  const own = (await forge.ownAccount(signal)) ?? pr.author;
  if (own?.id === author.id) return refused('The account of the job itself wrote the comment.');
  if (!comment.asksForChanges && !mentions(comment.body, namesOf(own))) {
    return refused(`The comment mentions neither @${mentionName} nor the account of the job.`);
  }
  if (await forge.canWrite(author, signal)) return refused(null);
  return refused(`${author.login} cannot write to the repository.`);
}

/** On GitHub, the bot of an App is mentioned without its suffix. */
function namesOf(own: ForgeAccount | null): string[] {
  return own === null ? [mentionName] : [mentionName, own.login.replace(/\[bot\]$/, '')];
}
