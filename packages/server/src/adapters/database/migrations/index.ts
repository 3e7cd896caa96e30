/** All migrations in order. A released migration is never edited. */
import type { Migration } from 'kysely/migration';
import { initial } from './0001-initial.ts';
import { agent } from './0002-agent.ts';
import { agentChanges } from './0003-agent-changes.ts';
import { manyProcesses } from './0004-many-processes.ts';
import { webhooks } from './0005-webhooks.ts';
import { rateWindows } from './0006-rate-windows.ts';
import { people } from './0007-people.ts';
import { watchingExports } from './0008-watching-exports.ts';
import { keysOfProjects } from './0009-keys-of-projects.ts';
import { jobLosses } from './0010-job-losses.ts';
import { insightsAndDeployments } from './0011-insights-and-deployments.ts';
import { recordVersions } from './0012-record-versions.ts';
import { searchableLists } from './0013-searchable-lists.ts';
import { keyPeppers } from './0014-key-peppers.ts';
import { queueCounts } from './0015-queue-counts.ts';
import { analytics } from './0016-analytics.ts';
import { forgeEvents } from './0017-forge-events.ts';
import { pullRequests } from './0018-pull-requests.ts';
import { automations } from './0019-automations.ts';
import { sourcePolls } from './0020-source-polls.ts';
import { reviewTasks } from './0022-review-tasks.ts';

export const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-agent': agent,
  '0003-agent-changes': agentChanges,
  '0004-many-processes': manyProcesses,
  '0005-webhooks': webhooks,
  '0006-rate-windows': rateWindows,
  '0007-people': people,
  '0008-watching-exports': watchingExports,
  '0009-keys-of-projects': keysOfProjects,
  '0010-job-losses': jobLosses,
  '0011-insights-and-deployments': insightsAndDeployments,
  '0012-record-versions': recordVersions,
  '0013-searchable-lists': searchableLists,
  '0014-key-peppers': keyPeppers,
  '0015-queue-counts': queueCounts,
  '0016-analytics': analytics,
  '0017-forge-events': forgeEvents,
  '0018-pull-requests': pullRequests,
  '0019-automations': automations,
  '0020-source-polls': sourcePolls,
  '0022-review-tasks': reviewTasks,
};
