import * as z from 'zod';
import * as analytics from './analytics-schemas.ts';
import { json, type Operation } from './operation.ts';
import { deploymentId, projectId } from './primitives.ts';

const query = z.strictObject({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(400)
    .optional()
    .meta({ description: 'Number of days, including today. Default: 30.' }),
  deploymentId: deploymentId.optional(),
  projectId: projectId.optional(),
});

export const analyticsOperations = {
  reportReadings: {
    method: 'post',
    path: '/v1/deployments/readings',
    tag: 'Deployments',
    summary: 'Report what readers did',
    description:
      'Sent by `docyard site` with `analytics.enabled`, after its first report. Counts are totals of a day, so a repeated request is not counted twice. Days outside of the retention period are ignored.',
    scope: 'deployments:report',
    body: analytics.ReportReadings,
    keepsNoAnswer: true,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
  readAnalytics: {
    method: 'get',
    path: '/v1/analytics',
    tag: 'Deployments',
    summary: 'Read what readers did',
    description:
      'Page views, searches and feedback of the deployments that the caller can read, or of one of them or of one project.',
    scope: 'deployments:read',
    query,
    success: json(200, analytics.Analytics),
    errors: [],
  },
  exportAnalytics: {
    method: 'get',
    path: '/v1/analytics/export',
    tag: 'Deployments',
    summary: 'Download what readers did',
    description:
      'All counts and feedback of the period as CSV with a header line.\n\n' +
      '| Column | Content |\n| --- | --- |\n' +
      '| `day` | The day, in UTC. |\n' +
      '| `deployment` | Name of the deployment. |\n' +
      '| `metric` | What was counted. |\n' +
      '| `name` | A path or a search text. |\n' +
      '| `reader` | Who was counted. |\n' +
      '| `count` | How often. |\n' +
      '| `comment` | The comment of a vote. |\n\n' +
      'A cell that a spreadsheet would run as a formula starts with an apostrophe.',
    scope: 'deployments:read',
    query,
    success: { status: 200, kind: 'file', types: ['text/csv'], schema: analytics.ReadingRow },
    errors: [],
  },
  deleteAnalytics: {
    method: 'delete',
    path: '/v1/deployments/{deploymentId}/analytics',
    tag: 'Deployments',
    summary: 'Delete what readers of a deployment did',
    description:
      'Deletes counts and feedback in the service. The site keeps its own; turn `analytics.enabled` off there to stop counting.',
    scope: 'deployments:write',
    params: z.object({ deploymentId }),
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
