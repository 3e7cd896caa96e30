/**
 * The command line: one file a command, which loads the heavy parts only when it runs. Expected errors end with a
 * sentence and a status, never with a stack unless DEBUG is set.
 */
import { Command, CommanderError } from 'commander';
import { ConfigError } from './config.ts';
import { DataFolderError } from './data-folder.ts';
import { Problem } from './problem.ts';
import { describeAgent } from './cli/agent.ts';
import { describeBackup, describeRestore } from './cli/backup.ts';
import { describeBuild } from './cli/build.ts';
import { describeCheck } from './cli/check.ts';
import { describeDoctor } from './cli/doctor.ts';
import { CommandError } from './cli/errors.ts';
import { describeKeys } from './cli/keys.ts';
import { describeMigrate } from './cli/migrate.ts';
import { describeMigrateData } from './cli/migrate-data.ts';
import { describeOrgs } from './cli/orgs.ts';
import { describeProjects } from './cli/projects.ts';
import { describeServe } from './cli/serve.ts';
import { describeWebhooks } from './cli/webhooks.ts';
import { version } from './version.ts';

export async function main(args: string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(args, { from: 'user' });
    return process.exitCode === undefined ? 0 : Number(process.exitCode);
  } catch (error) {
    return explain(error);
  }
}

/** The manual is held to it. */
export function buildProgram(): Command {
  const program = new Command('docyard')
    .description('Self-hosted documentation service: static export and agent jobs.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .showHelpAfterError('(add --help for what is possible)')
    .configureHelp({ sortSubcommands: false })
    .exitOverride();
  for (const [name, describe] of Object.entries(commands)) {
    const command = new Command(name).copyInheritedSettings(program);
    describe(command);
    program.addCommand(command);
  }
  return program;
}

const commands = {
  serve: describeServe,
  build: describeBuild,
  check: describeCheck,
  keys: describeKeys,
  projects: describeProjects,
  orgs: describeOrgs,
  webhooks: describeWebhooks,
  agent: describeAgent,
  doctor: describeDoctor,
  backup: describeBackup,
  restore: describeRestore,
  migrate: describeMigrate,
  'migrate-data': describeMigrateData,
};

const usageStatus = 2;

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageStatus;
  const expected =
    error instanceof CommandError ||
    error instanceof ConfigError ||
    error instanceof DataFolderError ||
    error instanceof Problem;
  const debugging = process.env['DEBUG'] !== undefined;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`docyard: ${message}\n`);
  if (!expected || debugging) process.stderr.write(`${error instanceof Error ? error.stack : ''}\n`);
  return error instanceof CommandError ? error.status : 1;
}
