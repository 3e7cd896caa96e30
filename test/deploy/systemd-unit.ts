/** Reads a unit of deploy/systemd and verifies it with systemd, without starting it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './dockerfile.ts';

/** Why units cannot be verified here, or undefined. */
export const systemdMissing =
  spawnSync('systemd-analyze', ['--version']).error === undefined
    ? undefined
    : 'the units are not analyzed: systemd is not installed';

export interface Unit {
  values(name: string): string[];
  environment: Record<string, string>;
  /** Problems that systemd reports; the program is not installed here. */
  complaints(): string[];
  /** From 0, sealed, to 10, open. */
  exposure(): number;
}

export function openUnit(name: string): Unit {
  const file = join(root, 'deploy/systemd', name);
  const lines = readFileSync(file, 'utf8').split('\n');
  const values = (key: string) =>
    lines.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
  const pairs = values('Environment').map((pair) => pair.split('='));
  return {
    values,
    environment: Object.fromEntries(pairs) as Record<string, string>,
    complaints() {
      const { stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      return stderr.split('\n').filter((line) => line.includes(name) && !line.includes('is not executable'));
    },
    exposure() {
      const args = ['security', '--offline=true', file];
      const { stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      return Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1] ?? 10);
    },
  };
}
