import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Finding } from '../operations/doctor.ts';
import { exitTable } from './exit.ts';

interface DoctorOptions {
  data?: string;
  json?: boolean;
}

const examples = `
Examples:
  docyard doctor --data /var/lib/docyard
  AGENT_COMMAND="/usr/bin/node /opt/writer/main.js" docyard doctor agent
`;

export function describeDoctor(command: Command): void {
  withOptions(command.description('Check everything the service depends on, and suggest fixes.'))
    .addHelpText('after', examples)
    .action(doctor);
  withOptions(command.command('agent'))
    .description('Open a session with the agent in AGENT_COMMAND, in the sandbox and with a scripted model.')
    .action(doctorAgent);
}

function withOptions(command: Command): Command {
  return command
    .option('-d, --data <folder>', 'data folder of the service (default: ./data)')
    .option('--json', 'print JSON');
}

async function doctor(options: DoctorOptions): Promise<void> {
  const { examine } = await import('../operations/doctor.ts');
  const findings = await examine(await configOf(options));
  report(options, findings, findings, 'The service can run.');
}

async function doctorAgent(options: DoctorOptions): Promise<void> {
  const { examineAgent } = await import('../operations/doctor-agent.ts');
  const found = await examineAgent(await configOf(options));
  report(options, found, found.checks, 'Jobs can run with this agent.');
}

async function configOf({ data }: DoctorOptions): Promise<Config> {
  const { readConfig } = await import('../config.ts');
  return readConfig({ ...process.env, ...(data === undefined ? {} : { DATA_DIR: data }) });
}

function report({ json }: DoctorOptions, body: unknown, findings: Finding[], success: string): void {
  process.stdout.write(json ? `${JSON.stringify(body, null, 2)}\n` : formatFindings(findings, success));
  if (findings.some(({ outcome }) => outcome === 'failed')) process.exitCode = exitTable.failed.status;
}

const marks = { ok: 'ok    ', note: 'note  ', failed: 'FAILED' };

function formatFindings(findings: Finding[], success: string): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, outcome, message, remedy }) => [
    `${marks[outcome]}  ${check.padEnd(width)}  ${message}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(width + 10)}→ ${remedy}`]),
  ]);
  const count = findings.filter(({ outcome }) => outcome === 'failed').length;
  const summary = count === 0 ? success : `${count} of ${findings.length} checks failed.`;
  return `${lines.join('\n')}\n\n${summary}\n`;
}
