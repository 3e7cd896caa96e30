/** Records merged pull requests of code, and reads the automations file again after pushes. */
import type { HandleEvent, HandlePush } from '../forge-events/event-handlers.ts';
import type { PullRequestDetails, PushDetails } from '../forge-events/payloads/event-content.ts';
import { isSameRepository } from '../forge-events/repository-address.ts';
import { automationsPath, requestRefresh } from './definitions.ts';
import { addEvent } from './events.ts';

export const refreshAfterPush: HandlePush = async (context, { project, event }) => {
  const { repositoryUrls, changedPaths } = JSON.parse(event.details) as PushDetails;
  const isOfDocs = repositoryUrls.some((url) => isSameRepository(url, project.repository));
  const mayChangeFile = changedPaths === null || changedPaths.includes(automationsPath(project.directory));
  if (isOfDocs && mayChangeFile) await requestRefresh(context, project);
  return undefined;
};

/** A merge is one event, however many hooks report it. A replay is another. */
export const recordMerge: HandleEvent = async (context, { project, event }) => {
  const details = JSON.parse(event.details) as PullRequestDetails;
  if (details.action !== 'merged') return { ignoredBecause: 'Only merged pull requests start automations.' };
  const { pullRequest, repositoryUrls } = details;
  const [repository = ''] = repositoryUrls;
  const replay = event.replayed_at === null ? '' : `:${event.replayed_at}`;
  const commit = pullRequest.mergeCommit ?? event.after_commit;
  await addEvent(context, {
    organizationId: project.organization_id,
    projectId: project.id,
    kind: 'merged',
    automation: null,
    source: `merged:${repository.toLowerCase()}#${pullRequest.number}${replay}`.slice(0, 500),
    subject: `#${pullRequest.number} ${pullRequest.title}`,
    forgeEventId: event.id,
    details: {
      change: { repositoryUrls, branch: pullRequest.baseBranch, commit, author: pullRequest.author },
      values: {
        'pullRequest.title': pullRequest.title,
        'pullRequest.body': pullRequest.body,
        'pullRequest.number': String(pullRequest.number),
        'pullRequest.url': pullRequest.url ?? '',
        'pullRequest.author': pullRequest.author ?? '',
        repository,
        branch: pullRequest.baseBranch,
        ...(commit === null ? {} : { commit }),
      },
    },
  });
  return { jobId: null };
};
