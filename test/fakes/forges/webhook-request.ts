/** A signed request of a webhook, with the headers that each forge documents. */
import { createHmac, randomUUID } from 'node:crypto';

export const webhookForges = ['github', 'gitlab', 'gitea', 'bitbucket', 'bitbucket-data-center'] as const;
export type WebhookForge = (typeof webhookForges)[number];

export interface WebhookRequest {
  headers: Record<string, string>;
  body: string;
}

interface Signing {
  secret: string;
  body: string;
  /** The event, as the forge names it. */
  name: string;
  deliveryId?: string | undefined;
}

export function signedWebhook(
  forge: WebhookForge,
  { payload, ...rest }: Omit<Signing, 'body'> & { payload: object },
): WebhookRequest {
  const body = JSON.stringify(payload);
  const headers = headersOf(forge, { ...rest, body });
  return { body, headers: { 'content-type': 'application/json', ...headers } };
}

function headersOf(
  forge: WebhookForge,
  { secret, body, name, deliveryId = randomUUID() }: Signing,
): Record<string, string> {
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  switch (forge) {
    case 'github':
      return {
        'user-agent': 'GitHub-Hookshot/044aadd',
        'x-github-event': name,
        'x-github-delivery': deliveryId,
        'x-github-hook-id': '292430182',
        'x-hub-signature-256': `sha256=${hex}`,
      };
    case 'gitea':
      return {
        'x-gitea-event': name,
        'x-gitea-delivery': deliveryId,
        'x-gitea-signature': hex,
        'x-gogs-event': name,
        'x-github-event': name,
        'x-github-delivery': deliveryId,
        'x-hub-signature-256': `sha256=${hex}`,
      };
    case 'gitlab':
      return {
        'user-agent': 'GitLab/18.5.0',
        'x-gitlab-event': name,
        'x-gitlab-instance': 'https://gitlab.com',
        'x-gitlab-event-uuid': deliveryId,
        'idempotency-key': deliveryId,
        'x-gitlab-token': secret,
      };
    case 'bitbucket':
      return {
        'user-agent': 'Bitbucket-Webhooks/2.0',
        'x-event-key': name,
        'x-hook-uuid': randomUUID(),
        'x-request-uuid': deliveryId,
        'x-attempt-number': '1',
        'x-hub-signature': `sha256=${hex}`,
      };
    case 'bitbucket-data-center':
      return {
        'x-event-key': name,
        'x-request-id': deliveryId,
        'x-hub-signature': `sha256=${hex}`,
      };
  }
}
