/** Settings of feedback and analytics; off without `analytics.enabled`. */
import { z } from 'zod';

export interface AnalyticsSettings {
  retentionDays: number;
}

export const analyticsSettings = {
  analyticsEnabled: {
    path: 'analytics.enabled',
    scope: 'shared',
    variable: 'ANALYTICS_ENABLED',
    check: z
      .union([z.boolean(), z.stringbool({ error: 'must be on or off' })], { error: 'must be on or off' })
      .default(false),
    meaning: 'On: count page views and searches by day and accept feedback, without cookies and addresses.',
  },
  analyticsRetentionDays: {
    path: 'analytics.retentionDays',
    scope: 'shared',
    variable: 'ANALYTICS_RETENTION_DAYS',
    check: z.coerce
      .number({ error: 'must be a number' })
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(3650, 'must be at most 3650')
      .default(400),
    meaning: 'Days after which counts and feedback are deleted from the data folder.',
  },
} as const;
