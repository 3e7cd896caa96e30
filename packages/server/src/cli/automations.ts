/** `docyard automations`: tests the automations file of a folder, and controls the automations of a service. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { automationsFile } from '@docyard/api';
import { automationRunStates } from '@docyard/api/constants';
import type { Automation, AutomationRun, DocyardClient, ProjectAutomations } from '@docyard/api';
import { Option, type Command } from 'commander';
import { fileErrorReason } from '@docyard/site/disk';
import type { DryRun, SampleEvent } from '../automations/dry-run.ts';
import { readAutomationsOf } from './automations-file.ts';
import { addServerOptions, connect, onlyProject, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { exitTable } from './exit.ts';
import { everyRow } from './local.ts';
import { print } from './print.ts';
import { printable } from './terminal.ts';

interface ProjectOptions extends ServerOptions {
  project?: string;
}

const examples = `
Examples:
  docyard automations test docs
  docyard automations test docs --event merge.json
  docyard automations list
  docyard automations run api-docs --note "Look at the pages about keys first."
  docyard automations runs --state pending
`;

export function describeAutomations(command: Command): void {
  command
    .description('Start agent jobs when something happens, as the docs repository describes.')
    .addHelpText('after', examples);
  command
    .command('test')
    .description('Check the automations file of a folder, and show what would start. Needs no service.')
    .argument('[folder]', 'folder with docs.json', '.')
    .option('--event <file>', 'JSON file with an event; show what it would start')
    .option('--automation <name>', 'show the instruction of this automation')
    .option('--json', 'print JSON')
    .action(test);
  const onProject = (name: string, description: string) =>
    addServerOptions(command.command(name).description(description)).option(
      '--project <id>',
      'project, such as pr_… (default: the only one)',
    );
  const onAutomation = (name: string, description: string) =>
    onProject(name, description).argument('<name>', 'name of the automation');

  onProject('list', 'List the automations of a project, and the problems of its file.').action(list);
  onProject('refresh', 'Read the automations file of a project again.').action(refresh);
  onProject('runs', 'List the runs of the last 90 days, newest first.')
    .option('--automation <name>', 'only runs of this automation')
    .addOption(new Option('--state <state>', 'only runs in this state').choices(automationRunStates))
    .action(listRuns);
  onAutomation('run', 'Run an automation now.')
    .option('--note <text>', 'text to add to the instruction')
    .action(run);
  onAutomation('pause', 'Pause an automation. Its events are skipped.').action(pause);
  onAutomation('resume', 'Resume an automation.').action(resume);
}

interface TestOptions {
  event?: string;
  automation?: string;
  json?: boolean;
}

async function test(folder: string, options: TestOptions): Promise<void> {
  const root = resolve(folder);
  const parsed = await readAutomationsOf(root);
  if (parsed === undefined) {
    throw new CommandError(`${root} has no ${automationsFile}. Create it beside docs.json.`, 'not_found');
  }
  const { automations, problems } = parsed;
  if (problems.length > 0) {
    process.exitCode = exitTable.problems_found.status;
    if (options.json) print(options, { problems, runs: [] }, []);
    for (const { line, path, message } of options.json ? [] : problems) {
      const place = `${automationsFile}${line === null ? '' : `:${line}`}`;
      process.stdout.write(`${printable(`${place}: ${path === '' ? '' : `${path}: `}${message}`)}\n`);
    }
    return;
  }
  const { dryRun, dryRunOf } = await import('../automations/dry-run.ts');
  const named = automations.filter(({ name }) => name === (options.automation ?? name));
  if (named.length === 0 && options.automation !== undefined) {
    const known = automations.map(({ name }) => name).join(', ');
    throw new CommandError(
      `There is no automation ${options.automation}. Known: ${known || 'none'}.`,
      'usage',
    );
  }
  if (options.event === undefined && options.automation === undefined) {
    const { describeTrigger } = await import('../automations/automations.ts');
    const rows = automations.map((each) => ({ name: each.name, starts: describeTrigger(each) }));
    print(options, { problems, automations: rows }, rows);
    return;
  }
  const runs =
    options.event === undefined
      ? named.map((each) => dryRunOf(each, new Date()))
      : dryRun(named, await readEvent(options.event));
  if (options.json) print(options, { problems, runs }, []);
  else process.stdout.write(`${runs.map(textOf).join('\n\n')}\n`);
}

async function readEvent(file: string): Promise<SampleEvent> {
  const { SampleEvent: schema } = await import('../automations/dry-run.ts');
  const source = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`--event: cannot read ${file}: ${fileErrorReason(error)}.`);
  });
  let content: unknown;
  try {
    content = JSON.parse(source);
  } catch {
    throw new CommandError(`--event: ${file} is not JSON.`);
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CommandError(`--event: ${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

function textOf({ automation, starts, reason, instruction }: DryRun): string {
  if (!starts) return `${automation} does not start. ${printable(reason ?? '')}`;
  const lines = (instruction ?? '').split('\n').map((line) => `  ${printable(line)}`.trimEnd());
  return `${automation} starts with this instruction:\n\n${lines.join('\n')}`;
}

async function list(options: ProjectOptions): Promise<void> {
  const client = await connect(options);
  const params = { projectId: await projectOf(client, options) };
  showAutomations(await client.call('readAutomations', { params }), options);
}

async function refresh(options: ProjectOptions): Promise<void> {
  const client = await connect(options);
  const params = { projectId: await projectOf(client, options) };
  const found = await client.call('refreshAutomations', { params });
  if (options.json) print(options, found, []);
  else process.stdout.write(`${found.file.path} is read again within seconds.\n`);
}

function showAutomations(found: ProjectAutomations, options: ProjectOptions): void {
  if (!options.json) {
    const { path, readAt, problems } = found.file;
    if (readAt === null) process.stderr.write(`${path} was not read yet. Run docyard automations refresh.\n`);
    for (const { line, path: setting, message } of problems) {
      const place = `${path}${line === null ? '' : `:${line}`}`;
      process.stderr.write(`${printable(`${place}: ${setting === '' ? '' : `${setting}: `}${message}`)}\n`);
    }
  }
  print(options, found, found.data.map(automationLine));
}

function automationLine(automation: Automation): Record<string, string> {
  const { today, lastRun } = automation;
  return {
    name: automation.name,
    starts: automation.description,
    state: automation.paused ? 'paused' : 'on',
    next: minuteOf(automation.nextRunAt),
    today: `${today.runs} of ${today.maxRuns ?? '∞'} runs`,
    last: lastRun === null ? '–' : `${lastRun.state} ${minuteOf(lastRun.createdAt)}`,
  };
}

async function listRuns(
  options: ProjectOptions & { automation?: string; state?: AutomationRun['state'] },
): Promise<void> {
  const client = await connect(options);
  const { project: projectId, automation, state } = options;
  const query = {
    limit: 100,
    ...(projectId === undefined ? {} : { projectId }),
    ...(automation === undefined ? {} : { automation }),
    ...(state === undefined ? {} : { state }),
  };
  const found = await everyRow((cursor) =>
    client.call('listAutomationRuns', { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  print(options, found, found.map(runLine));
}

async function run(name: string, options: ProjectOptions & { note?: string }): Promise<void> {
  const client = await connect(options);
  const params = { projectId: await projectOf(client, options), name };
  const body = options.note === undefined ? {} : { note: options.note };
  const started = await client.call('runAutomation', { params, body });
  print(options, started, [runLine(started)]);
}

async function pause(name: string, options: ProjectOptions): Promise<void> {
  const client = await connect(options);
  const params = { projectId: await projectOf(client, options), name };
  const paused = await client.call('pauseAutomation', { params });
  print(options, paused, [automationLine(paused)]);
}

async function resume(name: string, options: ProjectOptions): Promise<void> {
  const client = await connect(options);
  const params = { projectId: await projectOf(client, options), name };
  const resumed = await client.call('resumeAutomation', { params });
  print(options, resumed, [automationLine(resumed)]);
}

async function projectOf(client: DocyardClient, { project }: ProjectOptions): Promise<string> {
  return project ?? (await onlyProject(client, 'Name a project with --project')).id;
}

function runLine(each: AutomationRun): Record<string, string> {
  return {
    id: each.id,
    automation: each.automation,
    created: minuteOf(each.createdAt),
    event: each.subject,
    state: each.state,
    result: each.jobId ?? each.reason ?? '–',
  };
}

function minuteOf(time: string | null): string {
  return time === null ? '–' : `${time.slice(0, 16)}Z`;
}
