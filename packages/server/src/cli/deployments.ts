import { type Deployment, type DocyardClient, pause } from '@docyard/api';
import type { Command } from 'commander';
import { addServerOptions, connect, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { everyRow } from './local.ts';
import { print, showFacts } from './print.ts';

interface InstructOptions extends ServerOptions {
  wait: boolean;
}

const pollSeconds = 2;

export function describeDeployments(command: Command): void {
  command
    .description('List the sites that report to a service, and roll them back.')
    .addHelpText(
      'after',
      '\nExamples:\n  docyard deployments list\n  docyard deployments rollback docs-eu-1\n  docyard deployments rollback docs-eu-1 r7-1a2b3c4d --no-wait',
    );
  addServerOptions(command.command('list').description('List deployments and what they serve.')).action(list);
  onDeployment(command, 'show', 'Show a deployment and the releases it keeps.').action(show);
  onDeployment(command, 'rollback', 'Serve an earlier release and wait until the site serves it.')
    .argument('[release]', 'id of the release (default: the previous one)')
    .option('--no-wait', 'return as soon as the instruction is recorded')
    .action(rollback);
  onDeployment(command, 'resume', 'Resume updates after a rollback.')
    .option('--no-wait', 'return as soon as the instruction is recorded')
    .action(resume);
  onDeployment(command, 'remove', 'Remove a deployment from the list. The site keeps serving.').action(
    remove,
  );
}

function onDeployment(command: Command, name: string, description: string): Command {
  return addServerOptions(command.command(name).description(description)).argument(
    '<deployment>',
    'name or id of the deployment',
  );
}

async function list(options: ServerOptions): Promise<void> {
  const client = await connect(options);
  const found = await everyDeployment(client);
  print(options, found, found.map(lineOf));
}

async function show(name: string, options: ServerOptions): Promise<void> {
  const client = await connect(options);
  const deployment = await findDeployment(client, name);
  if (options.json) {
    print(options, deployment, []);
    return;
  }
  const { release, instruction } = deployment;
  showFacts([
    ['id', deployment.id],
    ['name', deployment.name],
    ['address', deployment.url],
    ['health', deployment.reason === null ? deployment.health : `${deployment.health}: ${deployment.reason}`],
    ['serves', release?.id ?? 'nothing yet'],
    ['version', release?.version ?? null],
    ['commit', release?.commit ?? null],
    ['since', deployment.servingSince],
    ['last seen', deployment.lastSeenAt],
    ['releases', deployment.releases.map(({ id }) => id).join(', ')],
    ['instruction', instruction === null ? null : `${instruction.action}: ${instruction.status}`],
  ]);
}

async function rollback(name: string, release: string | undefined, options: InstructOptions): Promise<void> {
  const client = await connect(options);
  const { id } = await findDeployment(client, name);
  const params = { deploymentId: id };
  const body = release === undefined ? {} : { release };
  await settle(client, await client.call('rollbackDeployment', { params, body }), options);
}

async function resume(name: string, options: InstructOptions): Promise<void> {
  const client = await connect(options);
  const { id } = await findDeployment(client, name);
  const requested = await client.call('resumeDeployment', { params: { deploymentId: id } });
  await settle(client, requested, options);
}

async function remove(name: string, options: ServerOptions): Promise<void> {
  const client = await connect(options);
  const { id } = await findDeployment(client, name);
  await client.call('deleteDeployment', { params: { deploymentId: id } });
  if (!options.json) process.stdout.write(`Removed ${name} from the list.\n`);
}

/** Waits until the site has applied the instruction, unless `--no-wait` is given. */
async function settle(client: DocyardClient, requested: Deployment, options: InstructOptions): Promise<void> {
  let deployment = requested;
  while (options.wait && deployment.instruction?.status === 'pending') {
    await pause(pollSeconds);
    deployment = await client.call('readDeployment', { params: { deploymentId: requested.id } });
  }
  const { instruction } = deployment;
  if (options.wait && instruction?.id === requested.instruction?.id && instruction?.status !== 'done') {
    const reason = instruction?.message ?? `the instruction is ${instruction?.status ?? 'withdrawn'}`;
    throw new CommandError(`${deployment.name} did not apply the instruction: ${reason}.`);
  }
  if (options.json) print(options, deployment, []);
  else process.stdout.write(`${sentenceOf(deployment)}\n`);
}

function sentenceOf({ name, release, instruction }: Deployment): string {
  if (instruction?.status === 'pending') return `${name} applies the instruction with its next report.`;
  return `${name} serves ${release?.version ?? release?.id ?? 'nothing'} now.`;
}

async function findDeployment(client: DocyardClient, name: string): Promise<Deployment> {
  const all = await everyDeployment(client);
  const found = all.filter((each) => each.id === name || each.name === name);
  if (found.length > 1)
    throw new CommandError(
      `Several deployments are named ${name}. Use an id: ${found.map(({ id }) => id).join(', ')}.`,
      'usage',
    );
  if (found[0] !== undefined) return found[0];
  const known = all.map((each) => each.name).join(', ') || 'none';
  throw new CommandError(`Deployment not found: ${name}. Known: ${known}.`, 'not_found');
}

function everyDeployment(client: DocyardClient): Promise<Deployment[]> {
  return everyRow((cursor) =>
    client.call('listDeployments', { query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
  );
}

function lineOf(deployment: Deployment): Record<string, string> {
  const { release, servingSince, instruction } = deployment;
  return {
    name: deployment.name,
    health: deployment.health,
    release: release?.id ?? '–',
    version: release?.version ?? '–',
    commit: release?.commit?.slice(0, 7) ?? '–',
    since: servingSince?.slice(0, 16).replace('T', ' ') ?? '–',
    'last seen': deployment.lastSeenAt.slice(0, 16).replace('T', ' '),
    instruction: instruction === null ? '–' : `${instruction.action} ${instruction.status}`,
  };
}
