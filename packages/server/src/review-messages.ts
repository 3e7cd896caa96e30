/**
 * Sends comments of reviewers to agent jobs. Features do not know the events of forges, so the two meet here. An event
 * waits until the forge was asked about its author, because processing an event connects to no other host.
 */
import { messageAgentJob } from './agent/message.ts';
import type { ReviewComment } from './agent/review/comment.ts';
import { addConflictTasks } from './agent/review/conflicts.ts';
import { instructionFor } from './agent/review/instruction.ts';
import { hasAnyMention, mentionName } from './agent/review/mention.ts';
import { findPullRequestJob, recordPullRequestState } from './agent/review/pull-request-job.ts';
import { addTask, changeTask, findTask, type ReviewTask } from './agent/review/tasks.ts';
import { requireEngine } from './agent/settings.ts';
import type { Context } from './context.ts';
import type { EventOutcome, GivenEvent, HandleEvent, HandlePush } from './forge-events/event-handlers.ts';
import type {
  CommentContent,
  CommentDetails,
  PullRequestDetails,
  PushDetails,
} from './forge-events/payloads/event-content.ts';
import { isSameRepository } from './forge-events/repository-address.ts';
import { refuseAgentInstruction } from './http/limits.ts';
import { isFinal } from './jobs/lifecycle.ts';
import { refuseFullQueue } from './jobs/queue-counts.ts';
import type { Job } from './jobs/store.ts';
import { Problem } from './problem.ts';
import type { ProjectRecord } from './projects/find-project.ts';

const checkSeconds = 2;
const retrySeconds = 60;

/** A comment or review on the pull request of an agent job becomes a message to the job. */
export const messageReviewedJob: HandleEvent = async (context, { project, event }) => {
  const details = JSON.parse(event.details) as CommentDetails;
  const { pullRequestNumber: number } = details;
  const comment = readComment(details.comment);
  if (typeof comment === 'string') return { ignoredBecause: comment };
  const found = await findJob(context, project, { ...details, number });
  if (found === undefined)
    return { ignoredBecause: `No agent job of the project opened the pull request #${number}.` };
  const { job } = found;
  if (job.archived_at !== null || job.purged_at !== null)
    return { ignoredBecause: `The job ${job.id} is archived.` };
  const source = sourceOf(comment, event);
  const task = await findTask(context, { projectId: project.id, source });
  if (task === undefined) {
    const { organization_id: organizationId, id: projectId } = project;
    await addTask(context, {
      organizationId,
      projectId,
      jobId: job.id,
      pullRequest: number,
      comment,
      source,
    });
  }
  switch (task?.state) {
    case undefined:
    case 'checking':
      return {
        retryAfterSeconds: checkSeconds,
        reason: `The permission of ${comment.author.login} is being checked.`,
      };
    case 'refused':
      return { ignoredBecause: task.reason ?? 'The comment was refused.' };
    case 'failed':
      return { failedBecause: task.reason ?? 'The comment could not be checked.' };
    case 'allowed':
      return sendMessage(context, { project, job, task, comment });
    case 'sent':
    case 'answered':
      return { jobId: job.id };
  }
};

/** The recorded state follows the forge, so that callers see when a pull request was merged or closed. */
export const trackPullRequest: HandleEvent = async (context, { project, event }) => {
  const { pullRequest, repositoryUrls } = JSON.parse(event.details) as PullRequestDetails;
  const { number, state } = pullRequest;
  const found = await findJob(context, project, { repositoryUrls, number });
  if (found === undefined)
    return { ignoredBecause: `No agent job of the project opened the pull request #${number}.` };
  await recordPullRequestState(context, found, state);
  return { jobId: null };
};

/** A push to the base branch of an open pull request may conflict with it. */
export const checkConflicts: HandlePush = async (context, { project, event }) => {
  const [, branch] = /^refs\/heads\/(.+)$/.exec(event.ref ?? '') ?? [];
  const { after_commit: commit } = event;
  if (branch === undefined || commit === null) return undefined;
  const { repositoryUrls } = JSON.parse(event.details) as PushDetails;
  const { organization_id: organizationId, id: projectId } = project;
  const isRepository = (url: string) => repositoryUrls.some((reported) => isSameRepository(reported, url));
  const pushed = { organizationId, projectId, branch, commit, isRepository };
  return (await addConflictTasks(context, pushed)) === 0 ? undefined : { jobId: null };
};

function findJob(
  context: Context,
  { organization_id: organizationId, id: projectId }: ProjectRecord,
  { repositoryUrls, number }: { repositoryUrls: readonly string[]; number: number },
) {
  const isRepository = (url: string) => repositoryUrls.some((reported) => isSameRepository(reported, url));
  return findPullRequestJob(context, { organizationId, projectId, number, isRepository });
}

/** Or why the comment cannot be for the job. */
function readComment({ author, authorId, isBot, ...comment }: CommentContent): ReviewComment | string {
  const asksForChanges = comment.reviewState === 'changes_requested';
  if (isBot || /^(?:<!-- |\[\/\/\]: # \()docyard:/.test(comment.body)) return 'A bot wrote the comment.';
  if (author === null || authorId === null) return 'The forge did not report the author of the comment.';
  if (!asksForChanges && !hasAnyMention(comment.body)) return `The comment does not mention @${mentionName}.`;
  const { id, threadId, body, url, path, line, reviewState } = comment;
  const kind = path !== null ? 'line' : reviewState !== null ? 'review' : 'comment';
  return {
    kind,
    id,
    threadId,
    author: { id: authorId, login: author },
    body,
    url,
    path,
    line,
    asksForChanges,
  };
}

/** The same for a comment that arrives twice. Some reviews have no id. */
function sourceOf({ kind, id }: ReviewComment, { id: eventId }: GivenEvent['event']): string {
  return id === '' ? `event:${eventId}` : `${kind}:${id}`;
}

interface Sending {
  project: ProjectRecord;
  job: Job;
  task: ReviewTask;
  comment: ReviewComment;
}

async function sendMessage(
  context: Context,
  { project, job, task, comment }: Sending,
): Promise<EventOutcome> {
  const actor = {
    organizationId: project.organization_id,
    projectId: project.id,
    name: 'system',
    address: null,
    requestId: null,
  };
  try {
    const problem = await refuseAgentInstruction(context, project.id);
    if (problem !== undefined) return refusalOf(problem);
    await requireEngine(context, project.id);
    if (isFinal(job.status)) await refuseFullQueue(context, project.organization_id);
    const prompt = instructionFor(comment, task.pullRequest);
    const { sequence } = await messageAgentJob(context, { job, prompt, actor });
    await changeTask(context, task, { state: 'sent', messageSequence: sequence });
    return { jobId: job.id };
  } catch (error) {
    if (error instanceof Problem) return refusalOf(error);
    throw error;
  }
}

/** A limit passes; other problems need a change of the project. */
function refusalOf(problem: Problem): EventOutcome {
  const isLimit = problem.code === 'rate_limited' || problem.code === 'queue_full';
  if (!isLimit) return { failedBecause: problem.message };
  const seconds = Number(problem.headers['retry-after']);
  return { retryAfterSeconds: seconds > 0 ? seconds : retrySeconds, reason: problem.message };
}
