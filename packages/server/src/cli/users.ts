/**
 * `docyard users`: who may sign in, straight on the data folder. For an installation without a browser, and the way back
 * in for a user who is locked out. Passwords are asked for or read from a file, never given as an argument.
 */
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { InvitePerson, roles, type Person, type Role } from '@docyard/api';
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
import { askSecretly } from './secret-prompt.ts';

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
      .requiredOption('--email <address>', 'what the user signs in with')
      .addOption(
        new Option('--role <role>', 'what the user may do').choices([...roles]).makeOptionMandatory(),
      )
      .option('--name <text>', 'name of the user (default: the part of the email before the @)'),
  ).action(create);

  addSecretOption(
    addLocalOptions(
      command.command('invite').description('Invite a user with a link; the user chooses the password.'),
    ),
    'link',
  )
    .requiredOption('--email <address>', 'what the user signs in with')
    .addOption(new Option('--role <role>', 'what the user may do').choices([...roles]).makeOptionMandatory())
    .option(
      '--public-url <url>',
      'address of the service, for the link (default: PUBLIC_URL, then localhost)',
    )
    .action(invite);

  addPasswordOption(
    addLocalOptions(command.command('password').description('Set a new password, and end every session.')),
  )
    .argument('<email>', 'email of the user')
    .action(setPassword);

  addLocalOptions(command.command('remove').description('Remove a user, and end every session.'))
    .argument('<email>', 'email of the user')
    .action(remove);
}

function addPasswordOption(command: Command): Command {
  return command.option(
    '--password-file <file>',
    'file with the password, - for standard input (default: it is asked for)',
  );
}

async function list(options: LocalOptions & SearchOptions): Promise<void> {
  await withData(options, async (context) => {
    const { listPeople } = await import('../people/people.ts');
    const { id: organizationId } = await chooseOrganization(context, options.org);
    const people = await everyRow((cursor) =>
      listPeople(context, { ...searchOf(options), organizationId, limit: 100, cursor }),
    );
    print(options, people, people.map(row));
  });
}

async function create(
  options: LocalOptions & PasswordOptions & { email: string; role: Role; name?: string },
): Promise<void> {
  const { email, role } = check(InvitePerson, { email: options.email, role: options.role });
  const name = options.name ?? email.split('@')[0] ?? '';
  const password = await readPassword(options, email);
  await withData(options, async (context) => {
    const { createPerson } = await import('../people/by-hand.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const person = await createPerson(context, { email, name, role, password, actor });
    print(options, [person], [row(person)]);
  });
}

async function invite(
  options: LocalOptions & SecretOptions & { email: string; role: Role; publicUrl?: string },
): Promise<void> {
  const wanted = check(InvitePerson, { email: options.email, role: options.role });
  requireSecretOutput(options, 'invitation link');
  const given = options.publicUrl === undefined ? {} : { PUBLIC_URL: options.publicUrl };
  await withData(
    options,
    async (context) => {
      const { invitePerson } = await import('../people/people.ts');
      const actor = operatorOf(await chooseOrganization(context, options.org));
      const { publicUrl, port } = context.config;
      const origin = publicUrl ?? `http://localhost:${port}`;
      const made = await invitePerson(context, { ...wanted, actor, isOwner: true, origin });
      const title = `The invitation of ${wanted.email} (expires ${made.expiresAt.slice(0, 10)})`;
      await showSecret(options, { made, field: 'invitationUrl', title });
    },
    given,
  );
}

async function setPassword(email: string, options: LocalOptions & PasswordOptions): Promise<void> {
  const password = await readPassword(options, email);
  await withData(options, async (context) => {
    const people = await import('../people/by-hand.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const { id } = await people.findPerson(context, { email, actor });
    await people.setPassword(context, { personId: id, password, actor });
    if (!options.json) process.stdout.write(`${email} has a new password; every session has ended.\n`);
  });
}

async function remove(email: string, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const [{ findPerson }, { removePerson }] = await Promise.all([
      import('../people/by-hand.ts'),
      import('../people/people.ts'),
    ]);
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const { id } = await findPerson(context, { email, actor });
    await removePerson(context, { personId: id, actor, isOwner: true });
    if (!options.json) process.stdout.write(`${email} is removed.\n`);
  });
}

async function readPassword({ passwordFile: file }: PasswordOptions, email: string): Promise<string> {
  const elsewise = 'Give the password with --password-file FILE, or --password-file - for standard input.';
  if (file === undefined) return askSecretly(`New password for ${email}`, elsewise);
  const whole = await (file === '-' ? readAll(process.stdin) : readFile(file, 'utf8')).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CommandError(`The password file ${file} cannot be read (${error.code}).`, 'usage');
    },
  );
  return whole.replace(/\r?\n$/, '');
}

function row(person: Person): Record<string, string> {
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    role: person.role,
    status: person.status,
    'last seen': person.lastSeenAt?.slice(0, 16).replace('T', ' ') ?? 'never',
  };
}
