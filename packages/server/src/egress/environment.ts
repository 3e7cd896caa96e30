/** Reads the egress rules of commands that run without the service from the environment. */
import { parseEgressRules, type EgressRules } from './rules.ts';

/** The values of `off` that the service accepts. */
const off: ReadonlySet<string> = new Set(['', 'off', 'false', '0', 'no', 'n', 'disabled']);

/** An invalid value allows nothing. */
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
