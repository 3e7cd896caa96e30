/** The screens of the dashboard that the person may see, for the sidebar and the command palette. */
import type { IconName } from '../parts/icons.tsx';
import { useMay } from '../session/session.tsx';

export interface Place {
  to: string;
  label: string;
  icon: IconName;
}

const work: Place[] = [
  { to: '/', label: 'Overview', icon: 'home' },
  { to: '/projects', label: 'Projects', icon: 'book' },
  { to: '/exports', label: 'Exports', icon: 'box' },
  { to: '/deployments', label: 'Deployments', icon: 'server' },
  { to: '/agent', label: 'Agent jobs', icon: 'sparkle' },
];

export function usePlaces(): { work: Place[]; organization: Place[] } {
  const seesKeys = useMay('keys:read');
  const seesWebhooks = useMay('webhooks:read');
  const seesAudit = useMay('audit:read');
  const organization: Place[] = [
    ...(seesKeys ? [{ to: '/keys', label: 'API keys', icon: 'key' } as const] : []),
    ...(seesWebhooks ? [{ to: '/webhooks', label: 'Webhooks', icon: 'send' } as const] : []),
    { to: '/people', label: 'People', icon: 'people' },
    ...(seesAudit ? [{ to: '/audit', label: 'Audit log', icon: 'list' } as const] : []),
    { to: '/system', label: 'System', icon: 'pulse' },
  ];
  return { work, organization };
}
