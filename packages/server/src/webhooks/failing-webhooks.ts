import type { Insights } from '@docyard/api';
import type { Context } from '../context.ts';
import type { WebhookRecord } from './webhooks.ts';

const maxListed = 20;

export async function readFailingWebhooks(
  { database }: Pick<Context, 'database'>,
  organizationId: string,
): Promise<NonNullable<Insights['webhooks']>> {
  const rows = await database
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('job_id', 'is', null)
    .orderBy('sequence', 'desc')
    .execute();
  return {
    enabled: rows.filter(({ enabled }) => enabled === 1).length,
    failing: rows
      .filter((row) => row.failing_since !== null || row.disabled_reason !== null)
      .slice(0, maxListed)
      .map(viewFailing),
  };
}

function viewFailing(row: WebhookRecord): NonNullable<Insights['webhooks']>['failing'][number] {
  return {
    id: row.id,
    url: row.url,
    failingSince: row.failing_since,
    disabledReason: row.disabled_reason as 'gone' | 'failing' | null,
  };
}
