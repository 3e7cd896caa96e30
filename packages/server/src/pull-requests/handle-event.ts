/** Records that a pull request changed. The worker asks the forge what it is now. */
import type { EventOutcome, HandleEvent } from '../forge-events/event-handlers.ts';
import type { PullRequestDetails } from '../forge-events/payloads/event-content.ts';
import { isSameRepository } from '../forge-events/repository-address.ts';
import { readPullRequestSettings } from '../projects/pull-request-settings.ts';
import { isKnown, markDue } from './records.ts';

export const handlePullRequestEvent: HandleEvent = async (context, { project, event }) => {
  const { action, repositoryUrls, pullRequest } = JSON.parse(event.details) as PullRequestDetails;
  if (!repositoryUrls.some((url) => isSameRepository(url, project.repository)))
    return ignored(
      `The pull request is for ${event.repository ?? 'another repository'}. The project has ${project.repository}.`,
    );
  if (action === 'review_requested') return ignored('A request for a review changes no preview.');
  const { number } = pullRequest;
  const known = await isKnown(context, { projectId: project.id, number });
  const { enabled } = await readPullRequestSettings(context, project.id);
  if (!known && !enabled) return ignored('Previews of pull requests are disabled for the project.');
  if (!known && pullRequest.state !== 'open') return ignored('The pull request had no preview.');
  await markDue(context, {
    organizationId: project.organization_id,
    projectId: project.id,
    number,
    url: pullRequest.url,
    title: pullRequest.title,
    author: pullRequest.author,
    isFork: pullRequest.isFork,
    headBranch: pullRequest.headBranch,
    headCommit: pullRequest.headCommit,
    baseBranch: pullRequest.baseBranch,
  });
  return { jobId: null };
};

function ignored(reason: string): EventOutcome {
  return { ignoredBecause: reason };
}
