/** `docyard agent`: agent jobs of a running service, over its API. */
import { readFile } from 'node:fs/promises';
import {
  pause,
  waitForAgentJob,
  type AgentEvent,
  type AgentJob,
  type DocyardClient,
  type TriggeringChange,
} from '@docyard/api';
import { Option, type Command } from 'commander';
import { describeAgentDemo } from './agent-demo.ts';
import { addServerOptions, connect, onlyProject, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { exitTable } from './exit.ts';
import { interruptible } from './interrupt.ts';
import { print, showFacts } from './print.ts';
import { printable } from './terminal.ts';

interface RemoteOptions extends ServerOptions {
  project?: string;
}

interface Target {
  client: DocyardClient;
  projectId: string;
}

const examples = `
Examples:
  docyard agent run "Document the new --strict option."
  docyard agent message aj_7c20b9e4d5f1a863 "Also add an example." --wait
  docyard agent diff aj_7c20b9e4d5f1a863 | git apply
`;

export function describeAgent(command: Command): void {
  command
    .description('Start, follow, message and cancel agent jobs of a running service.')
    .addHelpText('after', examples);

  remote(command.command('run').description('Start a job with an instruction and wait until it ends.'))
    .argument('<prompt>', 'what to do; @FILE reads it from a file')
    .option('--ref <branch>', 'base branch (default: the branch of the project)')
    .option('--model <name>', 'use another model of the configured endpoint')
    .option('--path <path...>', 'change only files below these paths')
    .option('--draft', 'open the pull request as a draft')
    .option('--dry-run', 'run without pushing')
    .option('--change <change>', 'code change that the job is about, as repository:base..head')
    .option('--no-wait', 'return as soon as the job is queued')
    .action(run);

  remote(command.command('list').description('List agent jobs, newest first.'))
    .addOption(
      new Option('--status <status>', 'only jobs with this status').choices([
        'active',
        'completed',
        'archived',
        'failed',
      ]),
    )
    .action(list);

  withJob(command.command('status').description('Show a job.'), status);
  withJob(command.command('wait').description('Follow a job until it is no longer active.'), wait);
  withJob(command.command('diff').description('Print the changes of a job as a patch.'), diff);
  withJob(command.command('cancel').description('Cancel a job.'), simple('cancelAgentJob'));
  withJob(
    command.command('retry').description('Repeat the last instruction of a job.'),
    simple('retryAgentJob'),
  );
  withJob(command.command('archive').description('Archive a job.'), simple('archiveAgentJob'));

  remote(command.command('message').description('Send a message to a job. Finished jobs resume.'))
    .argument('<id>', 'id of the job, such as aj_…')
    .argument('<prompt>', 'the message; @FILE reads it from a file')
    .option('--wait', 'follow the job until it is no longer active')
    .action(message);

  describeAgentDemo(command.command('demo'));
}

function remote(command: Command): Command {
  return addServerOptions(command).addOption(
    new Option('--project <id>', 'project id; required if there are several projects').env('DOCYARD_PROJECT'),
  );
}

type JobAction = (target: Target, id: string, options: RemoteOptions) => Promise<void>;

function withJob(command: Command, action: JobAction): void {
  remote(command)
    .argument('<id>', 'id of the job, such as aj_…')
    .action(async (id: string, options: RemoteOptions) => action(await targetOf(options), id, options));
}

interface RunOptions extends RemoteOptions {
  ref?: string;
  model?: string;
  path?: string[];
  draft?: boolean;
  dryRun?: boolean;
  change?: string;
  wait: boolean;
}

async function run(prompt: string, options: RunOptions): Promise<void> {
  const text = await textOf(prompt);
  const target = await targetOf(options);
  const job = await target.client.call('createAgentJob', {
    params: { projectId: target.projectId },
    body: {
      prompt: text,
      ...(options.ref === undefined ? {} : { source: { ref: options.ref } }),
      ...(options.model === undefined ? {} : { model: options.model }),
      ...(options.path === undefined ? {} : { scope: { paths: options.path } }),
      ...(options.draft === undefined ? {} : { draft: options.draft }),
      ...(options.dryRun === undefined ? {} : { dryRun: options.dryRun }),
      ...(options.change === undefined ? {} : { triggeringChange: changeIn(options.change) }),
    },
  });
  if (options.wait) await follow(target, job.id, options);
  else show(options, job);
}

function changeIn(text: string): TriggeringChange {
  const [, repository, base, head] = /^([^:]{1,50}):([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})$/.exec(text) ?? [];
  if (repository === undefined || base === undefined || head === undefined)
    throw new CommandError(
      `--change ${text}: write it as repository:base..head, with full commit hashes.`,
      'usage',
    );
  return { repository, base, head };
}

async function message(
  id: string,
  prompt: string,
  options: RemoteOptions & { wait?: boolean },
): Promise<void> {
  const text = await textOf(prompt);
  const target = await targetOf(options);
  const params = { projectId: target.projectId, id };
  const job = await target.client.call('messageAgentJob', { params, body: { prompt: text } });
  if (options.wait) await follow(target, id, options);
  else show(options, job);
}

async function list(options: RemoteOptions & { status?: AgentJob['status'] }): Promise<void> {
  const { client, projectId } = await targetOf(options);
  const filter = options.status === undefined ? {} : { status: options.status };
  const jobs: AgentJob[] = [];
  const query = { limit: 100, ...filter };
  for await (const job of client.each('listAgentJobs', { params: { projectId }, query })) jobs.push(job);
  print(options, jobs, jobs.map(row));
}

async function status({ client, projectId }: Target, id: string, options: RemoteOptions): Promise<void> {
  show(options, await client.call('readAgentJob', { params: { projectId, id } }));
}

async function wait(target: Target, id: string, options: RemoteOptions): Promise<void> {
  await follow(target, id, options);
}

async function diff({ client, projectId }: Target, id: string, options: RemoteOptions): Promise<void> {
  const change = await client.call('readAgentDiff', { params: { projectId, id } });
  // Unchanged for programs; on a terminal, control characters could run commands.
  const patch = process.stdout.isTTY ? change.patch.replaceAll(/[\p{Cc}--[\n\t]]/gv, '�') : change.patch;
  process.stdout.write(options.json ? `${JSON.stringify(change, null, 2)}\n` : patch);
}

function simple(operation: 'cancelAgentJob' | 'retryAgentJob' | 'archiveAgentJob'): JobAction {
  return async ({ client, projectId }, id, options) =>
    show(options, await client.call(operation, { params: { projectId, id } }));
}

const pollSeconds = 1;

/** Steps go to standard error, the record to standard output. */
async function follow({ client, projectId }: Target, id: string, options: RemoteOptions): Promise<void> {
  const params = { projectId, id };
  const watched = process.stderr.isTTY && options.json !== true;
  const interrupted = () =>
    new CommandError(`${id} is still running. Follow it with docyard agent wait ${id}`, 'interrupted');
  const job = await interruptible(interrupted, (signal) =>
    watched ? watch(client, params, signal) : waitForAgentJob(client, params, { signal }),
  );
  show(options, job);
  if (job.status === 'failed') process.exitCode = exitTable.job_failed.status;
}

/** The record does not change with every step, so the steps are polled. */
async function watch(
  client: DocyardClient,
  params: { projectId: string; id: string },
  signal: AbortSignal,
): Promise<AgentJob> {
  let after: string | undefined;
  for (;;) {
    // The record is read first: when it is final, the steps read after it are the last ones.
    const job = await client.call('readAgentJob', { params }, { signal });
    let count: number;
    do {
      const query = after === undefined ? {} : { after };
      const { data, lastEventId } = await client.call('followAgentJob', { params, query }, { signal });
      for (const event of data) process.stderr.write(lineOf(event));
      after = lastEventId;
      count = data.length;
    } while (count > 0);
    if (job.status !== 'active') return job;
    await pause(pollSeconds, signal);
  }
}

function lineOf(event: AgentEvent): string {
  if (event.type === 'status') return `· ${event.status}, ${event.phase}\n`;
  const subject = [event.tool ?? event.kind, event.path].filter((part) => part !== null).join(' ');
  return `${event.isError ? '✗' : '›'} ${subject}  ${printable(event.text)}\n`;
}

function show(options: RemoteOptions, job: AgentJob): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(job, null, 2)}\n`);
    return;
  }
  const { usage, result } = job;
  showFacts([
    ['job', job.id],
    ['title', job.title],
    [
      'status',
      job.statusReason === null ? `${job.status}, ${job.phase}` : `${job.status}: ${job.statusReason}`,
    ],
    ['error', job.error],
    ['pull request', job.pullRequest?.url ?? null],
    ['branch', job.pullRequest?.branch ?? null],
    ['summary', result?.summary || null],
    ['changed', result === null ? null : changeOf(result)],
    ...(result?.notes ?? []).map((note): [string, string] => ['note', note]),
    ['used', `${usage.steps} steps, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`],
  ]);
}

function changeOf({ filesChanged, linesAdded, linesRemoved }: NonNullable<AgentJob['result']>): string {
  return `${filesChanged} files, ${linesAdded} lines added, ${linesRemoved} removed`;
}

function row(job: AgentJob): Record<string, string> {
  return {
    id: job.id,
    status: job.status,
    reason: job.statusReason ?? job.phase,
    created: job.createdAt.slice(0, 16).replace('T', ' '),
    title: printable(job.title),
  };
}

async function textOf(prompt: string): Promise<string> {
  return prompt.startsWith('@') ? readFile(prompt.slice(1), 'utf8') : prompt;
}

async function targetOf(options: RemoteOptions): Promise<Target> {
  const client = await connect(options);
  return {
    client,
    projectId: options.project ?? (await onlyProject(client, 'Choose a project with --project')).id,
  };
}
