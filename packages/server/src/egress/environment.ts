/** What of the environment says whom a command without a server may reach; the settings of the service say it with more care. */
import type { EgressPolicy } from './addresses.ts';

/** The spellings of `off` that the service takes. */
const off: ReadonlySet<string> = new Set(['', 'off', 'false', '0', 'no', 'n', 'disabled']);

/** A value that makes no sense reaches nothing. */
export function readEgress(environment: Record<string, string | undefined>): EgressPolicy {
  return {
    allowedHosts: hostList(environment['EGRESS_ALLOW'] ?? ''),
    offline: !off.has((environment['OFFLINE'] ?? '').toLowerCase()),
  };
}

export function hostList(text: string): string[] {
  return text.split(',').flatMap((host) => host.trim().toLowerCase() || []);
}
