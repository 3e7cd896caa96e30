import type { ForgePullRequest } from '@docyard/api';
import { Option, type Command } from 'commander';
import { addServerOptions, connect, type ServerOptions } from './connection.ts';
import { everyRow } from './local.ts';
import { print, showFacts } from './print.ts';

const states = ['open', 'closed', 'merged'] as const;

const examples = `
Examples:
  docyard pull-requests list --state open
  docyard pull-requests show pul_8a1d4c7e2b5f9036
  docyard pull-requests approve pul_8a1d4c7e2b5f9036 --commit 5f0c9d1e7a3b82645f0c9d1e7a3b82645f0c9d1e
  docyard pull-requests rebuild pul_8a1d4c7e2b5f9036
`;

export function describePullRequests(command: Command): void {
  command.description('Previews of pull requests.').addHelpText('after', examples);
  const onPull = (name: string, description: string) =>
    addServerOptions(command.command(name).description(description)).argument(
      '<pull-request>',
      'id, such as pul_…',
    );

  addServerOptions(command.command('list').description('List pull requests, newest first.'))
    .option('--project <id>', 'only pull requests of this project')
    .addOption(new Option('--state <state>', 'only pull requests in this state').choices(states))
    .action(list);
  onPull('show', 'Show a pull request and its preview.').action(show);
  onPull('approve', 'Let one commit of a fork be built.')
    .requiredOption('--commit <hash>', 'full hash of the commit that you reviewed')
    .action(approve);
  onPull('rebuild', 'Build the preview of the newest commit again.').action(rebuild);
}

async function list(
  options: ServerOptions & { project?: string; state?: (typeof states)[number] },
): Promise<void> {
  const client = await connect(options);
  const query = {
    limit: 100,
    ...(options.project === undefined ? {} : { projectId: options.project }),
    ...(options.state === undefined ? {} : { state: options.state }),
  };
  const found = await everyRow((cursor) =>
    client.call('listPullRequests', { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  print(options, found, found.map(lineOf));
}

async function show(pullRequestId: string, options: ServerOptions): Promise<void> {
  const client = await connect(options);
  showPull(await client.call('readPullRequest', { params: { pullRequestId } }), options);
}

async function approve(pullRequestId: string, options: ServerOptions & { commit: string }): Promise<void> {
  const client = await connect(options);
  const body = { headCommit: options.commit };
  showPull(await client.call('approvePullRequest', { params: { pullRequestId }, body }), options);
}

async function rebuild(pullRequestId: string, options: ServerOptions): Promise<void> {
  const client = await connect(options);
  showPull(await client.call('rebuildPullRequest', { params: { pullRequestId } }), options);
}

function showPull(pull: ForgePullRequest, options: ServerOptions): void {
  if (options.json) {
    print(options, pull, []);
    return;
  }
  const { preview } = pull;
  showFacts([
    ['id', pull.id],
    ['project', pull.projectId],
    ['number', String(pull.number)],
    ['title', pull.title],
    ['by', pull.author],
    ['url', pull.url],
    ['state', pull.state],
    ['fork', pull.isFork ? 'yes' : null],
    ['branch', `${pull.headBranch} → ${pull.baseBranch}`],
    ['commit', pull.headCommit],
    ['approved', pull.approvedCommit],
    ['preview', preview.state],
    ['reason', preview.reason],
    ['address', preview.url],
    ['shows', preview.commit],
    ['export', preview.jobId],
    ['comment', pull.commentUrl],
  ]);
}

function lineOf(pull: ForgePullRequest): Record<string, string> {
  return {
    id: pull.id,
    number: `#${pull.number}`,
    state: pull.state,
    commit: pull.headCommit.slice(0, 7),
    fork: pull.isFork ? 'yes' : '–',
    preview: pull.preview.state,
    title: pull.title,
  };
}
