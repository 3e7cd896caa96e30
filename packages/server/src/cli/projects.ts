import { resolve } from 'node:path';
import { CreateProject, UpdateProject, type Project } from '@docyard/api';
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import {
  addLocalOptions,
  addSearchOptions,
  check,
  chooseOrganization,
  everyRow,
  operatorOf,
  searchOf,
  withData,
  type LocalOptions,
  type SearchOptions,
} from './local.ts';
import { print } from './print.ts';
import { describeProjectAgent } from './project-agent.ts';
import { type CustomScripts, customScriptsOption } from './site-options.ts';

interface ProjectOptions extends LocalOptions {
  customScripts?: CustomScripts;
  name?: string;
  domain?: string;
  repository?: string;
  ref?: string;
  directory?: string;
}

const examples = `
Examples:
  docyard projects create --name Docs --domain docs.example.com --repository ./docs
  docyard projects agent docs.example.com --forge gitlab --token-file token
`;

export function describeProjects(command: Command): void {
  command
    .description('List, create, update and delete projects, and configure them for agent jobs.')
    .addHelpText('after', examples);

  addSearchOptions(addLocalOptions(command.command('list').description('List projects, newest first.')), [
    'name',
    'domain',
    'createdAt',
    'updatedAt',
  ]).action(list);

  const create = addLocalOptions(command.command('create').description('Create a project.'))
    .requiredOption('--name <text>', 'name of the project')
    .requiredOption('--domain <host>', 'domain of the documentation, for example docs.example.com')
    .requiredOption('--repository <address>', 'https:// or file:// git URL, or a folder');
  addSourceOptions(create).action(createOne);

  const update = addLocalOptions(command.command('update').description('Update a project.'))
    .argument('<id>', 'id of the project, such as pr_…')
    .option('--name <text>', 'new name')
    .option('--domain <host>', 'new domain')
    .option('--repository <address>', 'new source')
    .addOption(customScriptsOption());
  addSourceOptions(update).action(updateOne);

  describeProjectAgent(command.command('agent'));

  addLocalOptions(command.command('delete').description('Delete a project with its jobs and bundles.'))
    .argument('<id>', 'id of the project, such as pr_…')
    .action(deleteOne);
}

function addSourceOptions(command: Command): Command {
  return command
    .option('--ref <name>', 'branch, tag or commit (default: the default branch)')
    .option('--directory <path>', 'folder of docs.json in the repository');
}

async function list(options: LocalOptions & SearchOptions): Promise<void> {
  await withData(options, async (context) => {
    const { listProjects } = await import('../projects/projects.ts');
    const reach = operatorOf(await chooseOrganization(context, options.org));
    const projects = await everyRow((cursor) =>
      listProjects(context, { ...searchOf(options), reach, limit: 100, cursor }),
    );
    print(options, projects, projects.map(row));
  });
}

async function createOne(options: ProjectOptions): Promise<void> {
  const wanted = check(CreateProject, {
    name: options.name,
    domain: options.domain,
    source: sourceOf(options),
  });
  await withData(options, async (context) => {
    const { createProject } = await import('../projects/projects.ts');
    const organization = await chooseOrganization(context, options.org);
    const allowLocal = organization.local_sources === 1;
    const project = await createProject(context, { ...wanted, actor: operatorOf(organization), allowLocal });
    print(options, project, [row(project)]);
  });
}

async function updateOne(projectId: string, options: ProjectOptions): Promise<void> {
  if (options.repository === undefined && (options.ref !== undefined || options.directory !== undefined)) {
    throw new CommandError('--ref and --directory need --repository. Pass all of them.', 'usage');
  }
  const change = check(UpdateProject, {
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.domain === undefined ? {} : { domain: options.domain }),
    ...(options.repository === undefined ? {} : { source: sourceOf(options) }),
    ...(options.customScripts === undefined ? {} : { exports: { customScripts: options.customScripts } }),
  });
  await withData(options, async (context) => {
    const { updateProject } = await import('../projects/projects.ts');
    const organization = await chooseOrganization(context, options.org);
    const allowLocal = organization.local_sources === 1;
    const project = await updateProject(context, {
      projectId,
      change,
      actor: operatorOf(organization),
      allowLocal,
    });
    print(options, project, [row(project)]);
  });
}

async function deleteOne(projectId: string, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const [{ deleteProject }, { removeFiles }] = await Promise.all([
      import('../projects/projects.ts'),
      import('../exports/retention.ts'),
    ]);
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const jobIds = await deleteProject(context, { projectId, actor });
    await removeFiles(context, jobIds);
    if (!options.json) process.stdout.write(`Deleted ${projectId} and ${jobIds.length} jobs.\n`);
  });
}

/** Resolves a relative folder, because the server needs an absolute path. */
function sourceOf(options: ProjectOptions) {
  const given = options.repository ?? '';
  const repository = /^[a-z][a-z0-9+.-]*:/i.test(given) ? given : resolve(given);
  return {
    repository,
    ...(options.ref === undefined ? {} : { ref: options.ref }),
    ...(options.directory === undefined ? {} : { directory: options.directory }),
  };
}

function row(project: Project): Record<string, string> {
  const { repository, ref, directory } = project.source;
  return {
    id: project.id,
    name: project.name,
    domain: project.domain,
    source: `${repository}${directory === null ? '' : ` / ${directory}`}${ref === null ? '' : ` @ ${ref}`}`,
  };
}
