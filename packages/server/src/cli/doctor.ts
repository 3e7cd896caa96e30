import type { Command } from 'commander';
import type { Finding } from '../operations/doctor.ts';
import { exitTable } from './exit.ts';

export function describeDoctor(command: Command): void {
  command
    .description('Check everything the service depends on, and suggest fixes.')
    .option('-d, --data <folder>', 'data folder of the service (default: ./data)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  docyard doctor --data /var/lib/docyard')
    .action(doctor);
}

async function doctor(options: { data?: string; json?: boolean }): Promise<void> {
  const [{ readConfig }, { examine }] = await Promise.all([
    import('../config.ts'),
    import('../operations/doctor.ts'),
  ]);
  const given = options.data === undefined ? {} : { DATA_DIR: options.data };
  const findings = await examine(readConfig({ ...process.env, ...given }));
  process.stdout.write(options.json ? `${JSON.stringify(findings, null, 2)}\n` : formatFindings(findings));
  if (findings.some(({ outcome }) => outcome === 'failed')) process.exitCode = exitTable.failed.status;
}

const marks = { ok: 'ok    ', note: 'note  ', failed: 'FAILED' };

function formatFindings(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, outcome, message, remedy }) => [
    `${marks[outcome]}  ${check.padEnd(width)}  ${message}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(width + 10)}→ ${remedy}`]),
  ]);
  const count = findings.filter(({ outcome }) => outcome === 'failed').length;
  const summary = count === 0 ? 'The service can run.' : `${count} of ${findings.length} checks failed.`;
  return `${lines.join('\n')}\n\n${summary}\n`;
}
