/**
 * `docyard users`: users, directly in the database. For installations without a browser and for users who are locked
 * out. Passwords are prompted for or read from a file, never passed as an argument.
 */
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { InviteUser, roles, type User, type Role } from '@docyard/api';
import { Option, type Command } from 'commander';
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
import { addSecretOption, requireSecretOutput, showSecret, type SecretOptions } from './secret-output.ts';
import { promptSecret } from './secret-prompt.ts';
import { fileErrorReason } from '@docyard/site/disk';

interface PasswordOptions {
  passwordFile?: string;
}

const examples = `
Examples:
  docyard users create --email ada@example.com --role owner
  docyard users invite --email ben@example.com --role member --output invitation
  docyard users password ada@example.com
  docyard users list --json
`;

export function describeUsers(command: Command): void {
  command
    .description('List, invite, create and remove users, set their passwords.')
    .addHelpText('after', examples);

  addSearchOptions(addLocalOptions(command.command('list').description('List users, newest first.')), [
    'name',
    'email',
    'createdAt',
    'lastSeenAt',
  ]).action(list);

  addPasswordOption(
    addLocalOptions(command.command('create').description('Create a user with a password.'))
      .requiredOption('--email <address>', 'email for signing in')
      .addOption(new Option('--role <role>', 'role of the user').choices([...roles]).makeOptionMandatory())
      .option('--name <text>', 'name of the user (default: the part of the email before the @)'),
  ).action(create);

  addSecretOption(
    addLocalOptions(
      command.command('invite').description('Create an invitation link. The user chooses the password.'),
    ),
    'link',
  )
    .requiredOption('--email <address>', 'email for signing in')
    .addOption(new Option('--role <role>', 'role of the user').choices([...roles]).makeOptionMandatory())
    .option('--public-url <url>', 'URL of the service for the link (default: PUBLIC_URL, then localhost)')
    .action(invite);

  addPasswordOption(
    addLocalOptions(command.command('password').description('Set a new password and end all sessions.')),
  )
    .argument('<email>', 'email of the user')
    .action(setPassword);

  addLocalOptions(command.command('remove').description('Remove a user and end all sessions.'))
    .argument('<email>', 'email of the user')
    .action(remove);
}

function addPasswordOption(command: Command): Command {
  return command.option(
    '--password-file <file>',
    'file with the password, - for standard input (default: prompt)',
  );
}

async function list(options: LocalOptions & SearchOptions): Promise<void> {
  await withData(options, async (context) => {
    const { listUsers } = await import('../users/users.ts');
    const { id: organizationId } = await chooseOrganization(context, options.org);
    const users = await everyRow((cursor) =>
      listUsers(context, { ...searchOf(options), organizationId, limit: 100, cursor }),
    );
    print(options, users, users.map(row));
  });
}

async function create(
  options: LocalOptions & PasswordOptions & { email: string; role: Role; name?: string },
): Promise<void> {
  const { email, role } = check(InviteUser, { email: options.email, role: options.role });
  const name = options.name ?? email.split('@')[0] ?? '';
  const password = await readPassword(options, email);
  await withData(options, async (context) => {
    const { createUser } = await import('../users/operator-accounts.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const user = await createUser(context, { email, name, role, password, actor });
    print(options, [user], [row(user)]);
  });
}

async function invite(
  options: LocalOptions & SecretOptions & { email: string; role: Role; publicUrl?: string },
): Promise<void> {
  const wanted = check(InviteUser, { email: options.email, role: options.role });
  requireSecretOutput(options, 'invitation link');
  const given = options.publicUrl === undefined ? {} : { PUBLIC_URL: options.publicUrl };
  await withData(
    options,
    async (context) => {
      const { inviteUser } = await import('../users/users.ts');
      const actor = operatorOf(await chooseOrganization(context, options.org));
      const { publicUrl, port } = context.config;
      const origin = publicUrl ?? `http://localhost:${port}`;
      const invitation = await inviteUser(context, { ...wanted, actor, isOwner: true, origin });
      const title = `The invitation of ${wanted.email} (expires ${invitation.expiresAt.slice(0, 10)})`;
      await showSecret(options, { created: invitation, field: 'invitationUrl', title });
    },
    given,
  );
}

async function setPassword(email: string, options: LocalOptions & PasswordOptions): Promise<void> {
  const password = await readPassword(options, email);
  await withData(options, async (context) => {
    const accounts = await import('../users/operator-accounts.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const { id } = await accounts.findUser(context, { email, actor });
    await accounts.setPassword(context, { userId: id, password, actor });
    if (!options.json) process.stdout.write(`Set the password of ${email} and ended all sessions.\n`);
  });
}

async function remove(email: string, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const [{ findUser }, { removeUser }] = await Promise.all([
      import('../users/operator-accounts.ts'),
      import('../users/users.ts'),
    ]);
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const { id } = await findUser(context, { email, actor });
    await removeUser(context, { userId: id, actor, isOwner: true });
    if (!options.json) process.stdout.write(`${email} is removed.\n`);
  });
}

async function readPassword({ passwordFile: file }: PasswordOptions, email: string): Promise<string> {
  const alternative = 'Pass the password with --password-file FILE, or --password-file - for standard input.';
  if (file === undefined) return promptSecret(`New password for ${email}`, alternative);
  const text = await (file === '-' ? readAll(process.stdin) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      throw new CommandError(`Cannot read the password file ${file}: ${fileErrorReason(error)}.`);
    },
  );
  return text.replace(/\r?\n$/, '');
}

function row(user: User): Record<string, string> {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    status: user.status,
    'last seen': user.lastSeenAt?.slice(0, 16).replace('T', ' ') ?? 'never',
  };
}
