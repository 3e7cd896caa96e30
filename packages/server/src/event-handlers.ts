/** Names what reacts to events of forges. The features know neither the events nor each other. */
import { recordMerge, refreshAfterPush } from './automations/forge-handlers.ts';
import type { EventHandlers } from './forge-events/event-handlers.ts';
import { handlePullRequestEvent } from './pull-requests/handle-event.ts';
import { startPushExport } from './push-exports.ts';
import { checkConflicts, messageReviewedJob, trackPullRequest } from './review-messages.ts';

export const eventHandlers: EventHandlers = {
  startPushExport,
  push: [checkConflicts, refreshAfterPush],
  pull_request: [trackPullRequest, recordMerge, handlePullRequestEvent],
  comment: [messageReviewedJob],
  review: [messageReviewedJob],
};
