/** `docyard orgs`: organizations and their plans. Not available over HTTP. */
import { plans, type Plan } from '@docyard/api';
import { Argument, Option, type Command } from 'commander';
import type { Organization } from '../organizations/organizations.ts';
import { addLocalOptions, withData, type LocalOptions } from './local.ts';
import { print } from './print.ts';

const examples = `
Examples:
  docyard orgs create --name "Harbor office" --plan enterprise
  docyard orgs plan org_51b7d3c0e8f2a694 enterprise
`;

export function describeOrgs(command: Command): void {
  command.description('List and create organizations, change their plan.').addHelpText('after', examples);

  addLocalOptions(command.command('list').description('List organizations.'), false).action(list);

  addLocalOptions(command.command('create').description('Create an organization.'), false)
    .requiredOption('--name <text>', 'name of the organization')
    .addOption(new Option('--plan <plan>', 'plan').choices([...plans]).default('free'))
    .option('--local-sources', 'allow its projects to read local folders and repositories')
    .action(create);

  addLocalOptions(command.command('plan').description('Change the plan of an organization.'), false)
    .argument('<id>', 'id of the organization, such as org_…')
    .addArgument(new Argument('<plan>', 'new plan').choices([...plans]))
    .action(changePlan);
}

async function list(options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { listOrganizations } = await import('../organizations/organizations.ts');
    show(options, await listOrganizations(context));
  });
}

async function create(
  options: LocalOptions & { name: string; plan: Plan; localSources?: boolean },
): Promise<void> {
  await withData(options, async (context) => {
    const { createOrganization } = await import('../organizations/organizations.ts');
    const { name, plan } = options;
    show(options, [
      await createOrganization(context, { name, plan, localSources: options.localSources === true }),
    ]);
  });
}

async function changePlan(id: string, plan: Plan, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { setPlan } = await import('../organizations/organizations.ts');
    show(options, [await setPlan(context, { id, plan })]);
  });
}

function show(options: LocalOptions, organizations: Organization[]): void {
  const views = organizations.map(({ id, name, plan, local_sources, created_at }) => ({
    id,
    name,
    plan,
    localSources: local_sources === 1,
    createdAt: created_at,
  }));
  const rows = views.map((each) => ({ ...each, localSources: each.localSources ? 'yes' : 'no' }));
  print(options, views, rows);
}
