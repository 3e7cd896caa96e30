/** What of the environment says whom a command without a server may reach; the settings of the service say it with more care. */
import { parseEgressRules, type EgressRules } from './rules.ts';

/** The spellings of `off` that the service takes. */
const off: ReadonlySet<string> = new Set(['', 'off', 'false', '0', 'no', 'n', 'disabled']);

/** A value that makes no sense reaches nothing. */
export function readEgress(environment: Record<string, string | undefined>): EgressRules {
  return {
    rules: readRules(environment['EGRESS_ALLOW'] ?? ''),
    offline: !off.has((environment['OFFLINE'] ?? '').toLowerCase()),
  };
}

function readRules(text: string): EgressRules['rules'] {
  try {
    return parseEgressRules(text);
  } catch {
    return [];
  }
}

export function hostList(text: string): string[] {
  return text.split(',').flatMap((host) => host.trim().toLowerCase() || []);
}
