/** Sends what readers did to the service. Totals are sent, so that a repeated request is not counted twice. */
import { type DocyardClient, maxReadingFeedback } from '@docyard/api';
import type { Analytics } from '../analytics/analytics.ts';

/** The rest follows with a later report. */
const maxRequests = 20;

export async function sendReadings(
  client: DocyardClient,
  { name, analytics, signal }: { name: string; analytics: Analytics; signal: AbortSignal },
): Promise<void> {
  const { database } = analytics;
  analytics.flush();
  for (let requests = 0; requests < maxRequests; requests += 1) {
    const unsent = database.unsent(maxReadingFeedback);
    if (unsent.counts.length === 0 && unsent.feedback.length === 0) return;
    const body = { name, source: database.sourceId, ...unsent };
    await client.call('reportReadings', { body }, { signal });
    database.markSent(unsent);
  }
}
