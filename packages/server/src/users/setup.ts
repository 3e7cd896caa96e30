/**
 * Creates the first owner of an installation, from the printed setup link or from the settings. Does nothing once a
 * user exists.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SetUp } from '@docyard/api';
import { recordAudit } from '../audit/audit.ts';
import type { Config } from '../config.ts';
import { nowText, type Context } from '../context.ts';
import { writeDurably } from '@docyard/site/disk';
import { listOrganizations } from '../organizations/organizations.ts';
import { acquireLocks, inTransaction, type Database } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { countAttempt } from './sign-in-attempts.ts';
import { hashPassword, requireGoodPassword } from './password.ts';
import { insertUser } from './users.ts';
import { hashToken, newToken, startSession } from './sessions.ts';
import { actorOf, type Origin } from './sign-in.ts';

export const tokenMinutes = 30;
const tokenRows = 'setup-token:';

type SetupContext = Pick<Context, 'config' | 'database' | 'clock' | 'secrets'>;

export async function isSetupNeeded({ database }: Pick<Context, 'database'>): Promise<boolean> {
  return (await database.selectFrom('people').select('id').limit(1).executeTakeFirst()) === undefined;
}

/**
 * Creates a token and stores it in the data folder, with the full link when `origin` is given; undefined when a user
 * exists. Tokens of other processes stay valid.
 */
export async function openSetup(context: SetupContext, origin?: string): Promise<string | undefined> {
  if (!(await isSetupNeeded(context))) {
    await removeSetupFiles(context);
    return undefined;
  }
  const token = newToken();
  const expiresAt = new Date(context.clock.now().getTime() + tokenMinutes * 60_000).toISOString();
  await context.database
    .deleteFrom('installation')
    .where('name', 'like', `${tokenRows}%`)
    .where('value', '<=', nowText(context))
    .execute();
  await context.database
    .insertInto('installation')
    .values({ name: tokenRows + hashToken(token), value: expiresAt })
    .execute();
  await writeDurably(tokenFile(context), `${token}\n`);
  if (origin !== undefined)
    await writeDurably(setupLinkFile(context.config), `${setupLink(origin, token)}\n`);
  return token;
}

export function setupLink(origin: string, token: string): string {
  return `${origin}/dashboard/setup#${token}`;
}

export function setupLinkFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'setup-link');
}

/** Returns the token of a session of the new owner. */
export async function setUp(context: SetupContext, input: SetUp & { from: Origin }): Promise<string> {
  if (!(await isSetupNeeded(context))) throw alreadySetUp();
  await countAttempt(context, { subject: 'setup', address: input.from.address });
  await requireToken(context, input.token);
  requireGoodPassword(input.password, 'password', input.email);
  const token = await createFirst(context, input, input.from);
  await removeSetupFiles(context);
  return token;
}

/** Creates the owner from the settings unless a user exists. */
export async function createNamedOwner(
  context: SetupContext,
  input: { email: string; password: string },
): Promise<void> {
  if (!(await isSetupNeeded(context))) return;
  requireGoodPassword(input.password, 'ADMIN_PASSWORD', input.email);
  const name = input.email.split('@')[0] ?? '';
  await createFirst(context, { ...input, name }, { address: null, requestId: null });
}

async function createFirst(
  context: SetupContext,
  input: Pick<SetUp, 'email' | 'name' | 'password'>,
  from: Origin,
): Promise<string> {
  const password = await hashPassword(context.secrets, input.password);
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    // Two setup links may be used at the same time; only the first creates an owner.
    await acquireLocks(database, 'first-person');
    if (!(await isSetupNeeded(inside))) throw alreadySetUp();
    const [organization] = await listOrganizations(inside);
    if (organization === undefined) throw alreadySetUp();
    const { email, name } = input;
    const user = await insertUser(inside, {
      organization_id: organization.id,
      email,
      name,
      role: 'owner',
      password,
    });
    await deleteTokens(database);
    await recordAudit(inside, { actor: actorOf(user, from), action: 'person.setup', object: user.id });
    return startSession(inside, user.id);
  });
}

async function requireToken({ database, clock }: SetupContext, token: string): Promise<void> {
  const row = await database
    .selectFrom('installation')
    .select('value')
    .where('name', '=', tokenRows + hashToken(token))
    .executeTakeFirst();
  if (row !== undefined && row.value > nowText({ clock })) return;
  throw new Problem(
    'token_invalid',
    `This setup link is invalid or older than ${tokenMinutes} minutes. Restart the server for a new link, or run \`docyard users create\`.`,
  );
}

async function deleteTokens(database: Database): Promise<void> {
  await database.deleteFrom('installation').where('name', 'like', `${tokenRows}%`).execute();
}

function tokenFile({ config }: Pick<Context, 'config'>): string {
  return join(config.dataDir, 'setup-token');
}

async function removeSetupFiles(context: Pick<Context, 'config'>): Promise<void> {
  for (const file of [tokenFile(context), setupLinkFile(context.config)]) await rm(file, { force: true });
}

function alreadySetUp(): Problem {
  return new Problem('not_found', 'This installation has been set up. Sign in at /dashboard/login.');
}
