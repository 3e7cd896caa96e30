/** Navigation entries that the user has permission for. */
import type { IconName } from '../parts/icons.tsx';
import { useMay } from '../session/session.tsx';

export interface NavigationEntry {
  to: string;
  label: string;
  icon: IconName;
}

const work: NavigationEntry[] = [
  { to: '/', label: 'Overview', icon: 'home' },
  { to: '/projects', label: 'Projects', icon: 'book' },
  { to: '/exports', label: 'Exports', icon: 'box' },
  { to: '/events', label: 'Events', icon: 'branch' },
  { to: '/deployments', label: 'Deployments', icon: 'server' },
  { to: '/readers', label: 'Readers', icon: 'eye' },
  { to: '/agent', label: 'Agent jobs', icon: 'sparkle' },
];

export function useNavigation(): { work: NavigationEntry[]; organization: NavigationEntry[] } {
  const seesKeys = useMay('keys:read');
  const seesWebhooks = useMay('webhooks:read');
  const seesAudit = useMay('audit:read');
  const organization: NavigationEntry[] = [
    ...(seesKeys ? [{ to: '/keys', label: 'API keys', icon: 'key' } as const] : []),
    ...(seesWebhooks ? [{ to: '/webhooks', label: 'Webhooks', icon: 'send' } as const] : []),
    { to: '/users', label: 'Users', icon: 'users' },
    ...(seesAudit ? [{ to: '/audit', label: 'Audit log', icon: 'list' } as const] : []),
    { to: '/system', label: 'System', icon: 'pulse' },
  ];
  return { work, organization };
}
