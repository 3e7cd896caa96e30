/** `docyard keys`: API keys, directly in the database. For the first key, a lost key, and scripts. */
import {
  currentScope,
  keyLifetimesDays,
  scopes,
  type ApiKey,
  type CreateKey,
  type CreatedKey,
  type Scope,
} from '@docyard/api';
import { Option, type Command } from 'commander';
import { CommandError } from './errors.ts';
import {
  addLocalOptions,
  addSearchOptions,
  chooseOrganization,
  everyRow,
  operatorOf,
  searchOf,
  withData,
  type LocalOptions,
  type SearchOptions,
} from './local.ts';
import { print } from './print.ts';
import { addSecretOption, requireSecretOutput, showSecret, type SecretOptions } from './secret-output.ts';

const examples = `
Examples:
  docyard keys list
  docyard keys create --name laptop --output laptop-key
  docyard keys create --name CI --scope exports:write --project pr_5f0c9d1e7a3b8264 --expires 90
  docyard keys roll key_8c1f04d2a6e97b35 --overlap 3600
`;

export function describeKeys(command: Command): void {
  command.description('List, create, roll and revoke API keys.').addHelpText('after', examples);

  addSearchOptions(addLocalOptions(command.command('list').description('List API keys, newest first.')), [
    'name',
    'createdAt',
    'lastUsedAt',
    'expiresAt',
  ])
    .addOption(new Option('--status <status>', 'only keys with this status').choices(['active', 'ended']))
    .option('--project <id>', 'only keys that are limited to this project')
    .action(list);

  addSecretOption(
    addLocalOptions(command.command('create').description('Create an API key. It is shown only once.')),
    'key',
  )
    .requiredOption('--name <text>', 'name of the key, such as its purpose')
    .addOption(scopeOption())
    .option('--project <id>', 'limit the key to this project (default: all projects)')
    .option('--expires <days>', `${keyLifetimesDays.join(', ')} or none`, '90')
    .option('--address <range...>', 'allowed IP addresses or CIDR ranges (default: all)')
    .action(create);

  addSecretOption(
    addLocalOptions(
      command.command('roll').description('Replace a key. The old key keeps working during the overlap.'),
    ),
    'new key',
  )
    .argument('<id>', 'id of the key, such as key_…')
    .option('--overlap <seconds>', 'how long the old key keeps working', '3600')
    .action(roll);

  addLocalOptions(command.command('revoke').description('Revoke a key immediately.'))
    .argument('<id>', 'id of the key, such as key_…')
    .action(revoke);
}

interface ListOptions extends LocalOptions, SearchOptions {
  status?: 'active' | 'ended';
  project?: string;
}

function scopeOption(): Option {
  const option = new Option('--scope <scope...>', 'permissions of the key (default: read write)').choices([
    ...scopes,
  ]);
  const parseChoice = option.parseArg;
  return option.argParser<unknown>((name, previous) => parseChoice?.(currentScope(name), previous));
}

async function list(options: ListOptions): Promise<void> {
  await withData(options, async (context) => {
    const { listKeys } = await import('../keys/keys.ts');
    const reach = operatorOf(await chooseOrganization(context, options.org));
    const filters = { ...searchOf(options), status: options.status, projectId: options.project };
    const keys = await everyRow((cursor) => listKeys(context, { ...filters, reach, limit: 100, cursor }));
    print(options, keys, keys.map(row));
  });
}

async function create(
  options: LocalOptions &
    SecretOptions & {
      name: string;
      scope?: Scope[];
      project?: string;
      expires: string;
      address?: string[];
    },
): Promise<void> {
  const expiresInDays =
    options.expires === 'none' ? null : keyLifetimesDays.find((days) => String(days) === options.expires);
  if (expiresInDays === undefined) {
    throw new CommandError(`--expires must be ${keyLifetimesDays.join(', ')} or none.`, 'usage');
  }
  requireSecretOutput(options, 'key');
  const wanted: CreateKey = {
    name: options.name,
    expiresInDays,
    ...(options.scope === undefined ? {} : { scopes: options.scope }),
    ...(options.project === undefined ? {} : { projectId: options.project }),
    ...(options.address === undefined ? {} : { allowedAddresses: options.address }),
  };
  await withData(options, async (context) => {
    const { createKey } = await import('../keys/keys.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const created = await createKey(context, { ...wanted, actor });
    await showSecret(options, { created, field: 'key', title: titleOf(created) });
  });
}

async function roll(
  keyId: string,
  options: LocalOptions & SecretOptions & { overlap: string },
): Promise<void> {
  const overlapSeconds = Number(options.overlap);
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0) {
    throw new CommandError('--overlap must be a whole number of seconds.', 'usage');
  }
  requireSecretOutput(options, 'new key');
  await withData(options, async (context) => {
    const { rollKey } = await import('../keys/keys.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const created = await rollKey(context, { keyId, overlapSeconds, actor });
    await showSecret(options, { created, field: 'key', title: titleOf(created) });
  });
}

async function revoke(keyId: string, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { revokeKey } = await import('../keys/keys.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    await revokeKey(context, { keyId, actor });
    if (!options.json) process.stdout.write(`${keyId} is revoked.\n`);
  });
}

function titleOf({ id, name }: CreatedKey): string {
  return `${id} (${name})`;
}

function row(key: ApiKey): Record<string, string> {
  return {
    id: key.id,
    name: key.name,
    key: `${key.prefix}…${key.last4}`,
    scopes: key.scopes.join(' '),
    project: key.projectId ?? 'all',
    state:
      key.revokedAt !== null
        ? 'revoked'
        : key.expiresAt === null
          ? 'does not expire'
          : `until ${key.expiresAt.slice(0, 10)}`,
    'last used': key.lastUsedAt?.slice(0, 16).replace('T', ' ') ?? 'never',
  };
}
