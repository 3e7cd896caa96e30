import type { Webhook, WebhookDelivery } from '@docyard/api';
import { Badge, type Tone } from '../../parts/note.tsx';

export function WebhookBadge({ webhook }: { webhook: Webhook }) {
  const { tone, word } = webhookState(webhook);
  return <Badge tone={tone}>{word}</Badge>;
}

function webhookState({ enabled, disabledReason, failingSince }: Webhook): { tone: Tone; word: string } {
  if (enabled)
    return failingSince === null ? { tone: 'good', word: 'On' } : { tone: 'warn', word: 'Failing' };
  if (disabledReason === 'gone') return { tone: 'bad', word: 'Disabled: endpoint gone' };
  if (disabledReason === 'failing') return { tone: 'bad', word: 'Disabled: failing' };
  return { tone: 'quiet', word: 'Off' };
}

const deliveryStates: Record<WebhookDelivery['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'info', word: 'Waiting' },
  delivered: { tone: 'good', word: 'Delivered' },
  failed: { tone: 'bad', word: 'Failed' },
};

export function DeliveryBadge({ delivery: { status, attempts } }: { delivery: WebhookDelivery }) {
  const { tone, word } = deliveryStates[status];
  // A delivery that waits for its second attempt has failed once.
  if (status === 'pending' && attempts.length > 0) return <Badge tone="warn">Trying again</Badge>;
  return <Badge tone={tone}>{word}</Badge>;
}
