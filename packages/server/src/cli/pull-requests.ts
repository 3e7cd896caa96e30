import { UpdateProject, type ForgePullRequest, type ProjectPullRequests } from '@docyard/api';
import { forkPolicies } from '@docyard/api/constants';
import { Option, type Command } from 'commander';
import { addServerOptions, connect, onlyProject, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { check, everyRow } from './local.ts';
import { print, showFacts } from './print.ts';

const states = ['open', 'closed', 'merged'] as const;
const onOff = ['on', 'off'] as const;
type OnOff = (typeof onOff)[number];

interface SettingsOptions extends ServerOptions {
  project?: string;
  enable?: boolean;
  disable?: boolean;
  comment?: OnOff;
  status?: OnOff;
  failOn?: string;
  forks?: ProjectPullRequests['forks'];
}

const examples = `
Examples:
  docyard pull-requests list --state open
  docyard pull-requests show pul_8a1d4c7e2b5f9036
  docyard pull-requests approve pul_8a1d4c7e2b5f9036 --commit 5f0c9d1e7a3b82645f0c9d1e7a3b82645f0c9d1e
  docyard pull-requests rebuild pul_8a1d4c7e2b5f9036
  docyard pull-requests settings --forks off --fail-on error,broken_link
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
  addServerOptions(
    command.command('settings').description('Show or change what the pull requests of a project get.'),
  )
    .option('--project <id>', 'project (default: the only one)')
    .option('--enable', 'build previews of pull requests')
    .option('--disable', 'build no previews')
    .addOption(new Option('--comment <state>', 'a comment with the changed pages').choices(onOff))
    .addOption(new Option('--status <state>', 'a status of the head commit').choices(onOff))
    .option('--fail-on <codes>', 'new findings that fail the status: severities and codes, with commas')
    .addOption(
      new Option(
        '--forks <policy>',
        'build a commit of a fork after its approval, at once, or never',
      ).choices(forkPolicies),
    )
    .action(settings);
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

async function settings(options: SettingsOptions): Promise<void> {
  const client = await connect(options);
  const projectId = options.project ?? (await onlyProject(client, 'Name a project with --project')).id;
  const change = settingsChange(options);
  const params = { projectId };
  const { pullRequests } =
    change === undefined
      ? await client.call('readProject', { params })
      : await client.call('updateProject', { params, body: change });
  if (options.json) {
    print(options, pullRequests, []);
    return;
  }
  showFacts([
    ['previews', pullRequests.enabled ? 'on' : 'off'],
    ['comment', pullRequests.comment ? 'on' : 'off'],
    ['status', pullRequests.status ? 'on' : 'off'],
    ['fails on', pullRequests.failOn.join(', ') || 'nothing'],
    ['forks', pullRequests.forks],
  ]);
}

function settingsChange({ enable, disable, comment, status, failOn, forks }: SettingsOptions) {
  if (enable && disable) throw new CommandError('Pass either --enable or --disable.', 'usage');
  const pullRequests = {
    ...(enable || disable ? { enabled: enable === true } : {}),
    ...(comment === undefined ? {} : { comment: comment === 'on' }),
    ...(status === undefined ? {} : { status: status === 'on' }),
    ...(failOn === undefined ? {} : { failOn: failOn.split(',').filter((code) => code !== '') }),
    ...(forks === undefined ? {} : { forks }),
  };
  if (Object.keys(pullRequests).length === 0) return undefined;
  return check(UpdateProject, { pullRequests }, { failOn: 'fail-on' });
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
