/** Names what reacts to events of forges. The features know neither the events nor each other. */
import type { EventHandlers } from './forge-events/event-handlers.ts';
import { startPushExport } from './push-exports.ts';

export const eventHandlers: EventHandlers = {
  startPushExport,
  push: [],
  pull_request: [],
  comment: [],
  review: [],
};
