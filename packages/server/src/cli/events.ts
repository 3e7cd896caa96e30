import { UpdateProject, type DocyardClient, type ForgeEvent } from '@docyard/api';
import { forgeEventStates } from '@docyard/api/constants';
import { Option, type Command } from 'commander';
import { addServerOptions, connect, onlyProject, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import type { GithubAppOptions } from './github-app.ts';
import { check, everyRow } from './local.ts';
import { print, showFacts } from './print.ts';
import { addSecretOption, requireSecretOutput, showSecret, type SecretOptions } from './secret-output.ts';

interface ProjectOptions extends ServerOptions {
  project?: string;
}

interface PollingOptions extends ProjectOptions {
  enable?: boolean;
  disable?: boolean;
  interval?: string;
}

const examples = `
Examples:
  docyard events hook
  docyard events create-secret --output hook-secret
  docyard events list --state failed
  docyard events replay fe_8a1d4c7e2b5f9036
  docyard events polling --enable --interval 60
  docyard events github-app --organization harbour
`;

export function describeEvents(command: Command): void {
  command
    .description('Receive pushes from a forge: the hook of a project and its events.')
    .addHelpText('after', examples);
  const onProject = (name: string, description: string) =>
    addServerOptions(command.command(name).description(description)).option(
      '--project <id>',
      'project, such as pr_… (default: the only one)',
    );
  const onEvent = (name: string, description: string) =>
    addServerOptions(command.command(name).description(description)).argument('<event>', 'id, such as fe_…');

  onProject('list', 'List the events of the last 30 days, newest first.')
    .addOption(new Option('--state <state>', 'only events in this state').choices(forgeEventStates))
    .action(list);
  onEvent('show', 'Show an event and what followed from it.').action(show);
  onEvent('replay', 'Process an event again.').action(replay);
  onProject('hook', 'Show the URL for the webhook at the forge.').action(showHook);
  onProject('polling', 'Show or change how the branch of the project is polled.')
    .option('--enable', 'poll the branch for new commits')
    .option('--disable', 'stop polling')
    .option('--interval <seconds>', 'time between two polls, at least 30')
    .action(polling);
  onProject('github-app', 'Create a GitHub App for the project, which replaces its webhook and its token.')
    .option('--organization <name>', 'organization on GitHub that owns the App (default: your account)')
    .option('--name <text>', 'name of the App (default: Docyard and the name of the project)')
    .action(githubApp);
  addSecretOption(
    onProject('create-secret', 'Create or replace the secret of the hook. It is shown only once.'),
    'secret',
  ).action(createSecret);
}

async function githubApp(options: ProjectOptions & GithubAppOptions): Promise<void> {
  const client = await connect(options);
  const { createGithubApp } = await import('./github-app.ts');
  await createGithubApp(client, await projectOf(client, options), options);
}

async function polling(options: PollingOptions): Promise<void> {
  const client = await connect(options);
  const params = { projectId: await projectOf(client, options) };
  const change = pollingChange(options);
  if (change !== undefined) await client.call('updateProject', { params, body: change });
  const state = await client.call('readProjectPolling', { params });
  if (options.json) {
    print(options, state, []);
    return;
  }
  showFacts([
    ['polling', state.enabled ? `every ${state.intervalSeconds} seconds` : 'off'],
    ['branch', state.branch],
    ['commit', state.commit],
    ['last poll', state.polledAt],
    ['next poll', state.nextPollAt],
    ['problem', state.problem],
  ]);
}

function pollingChange({ enable, disable, interval }: PollingOptions) {
  if (enable && disable) throw new CommandError('Pass either --enable or --disable.', 'usage');
  const polling = {
    ...(enable || disable ? { enabled: enable === true } : {}),
    ...(interval === undefined ? {} : { intervalSeconds: Number(interval) }),
  };
  if (Object.keys(polling).length === 0) return undefined;
  return check(UpdateProject, { exports: { polling } }, { intervalSeconds: 'interval' });
}

async function list(options: ProjectOptions & { state?: ForgeEvent['state'] }): Promise<void> {
  const client = await connect(options);
  const query = {
    limit: 100,
    ...(options.project === undefined ? {} : { projectId: options.project }),
    ...(options.state === undefined ? {} : { state: options.state }),
  };
  const found = await everyRow((cursor) =>
    client.call('listForgeEvents', { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  print(options, found, found.map(lineOf));
}

async function show(eventId: string, options: ServerOptions): Promise<void> {
  const client = await connect(options);
  showEvent(await client.call('readForgeEvent', { params: { eventId } }), options);
}

async function replay(eventId: string, options: ServerOptions): Promise<void> {
  const client = await connect(options);
  showEvent(await client.call('replayForgeEvent', { params: { eventId } }), options);
}

async function showHook(options: ProjectOptions): Promise<void> {
  const client = await connect(options);
  const params = { projectId: await projectOf(client, options) };
  const hook = await client.call('readProjectHook', { params });
  if (options.json) print(options, hook, []);
  else {
    showFacts([
      ['url', hook.url],
      ['secret', hook.secretCreatedAt === null ? 'none' : `created ${hook.secretCreatedAt}`],
      ['old secret', hook.oldSecretValidUntil === null ? null : `valid until ${hook.oldSecretValidUntil}`],
      ['last event', hook.lastEventAt],
    ]);
  }
}

async function createSecret(options: ProjectOptions & SecretOptions): Promise<void> {
  requireSecretOutput(options, 'secret of the hook');
  const client = await connect(options);
  const params = { projectId: await projectOf(client, options) };
  const created = await client.call('createHookSecret', { params });
  await showSecret(options, { created, field: 'secret', title: `The secret of ${created.url}` });
}

async function projectOf(client: DocyardClient, { project }: ProjectOptions): Promise<string> {
  return project ?? (await onlyProject(client, 'Name a project with --project')).id;
}

function showEvent(event: ForgeEvent, options: ServerOptions): void {
  if (options.json) {
    print(options, event, []);
    return;
  }
  showFacts([
    ['id', event.id],
    ['project', event.projectId],
    ['forge', event.forge],
    ['event', event.name],
    ['repository', event.repository],
    ['ref', event.ref],
    ['commit', event.after],
    ['by', event.actor],
    ['received', event.receivedAt],
    ['state', event.state],
    ['reason', event.reason],
    ['export', event.jobId],
  ]);
}

function lineOf(event: ForgeEvent): Record<string, string> {
  return {
    id: event.id,
    received: `${event.receivedAt.slice(0, 16)}Z`,
    forge: event.forge,
    event: event.name,
    ref: event.ref ?? '–',
    commit: event.after?.slice(0, 7) ?? '–',
    state: event.state,
    result: event.jobId ?? event.reason ?? '–',
  };
}
