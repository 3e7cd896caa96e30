/** The hook of a project: its URL has the id of the project, and its secrets are those of the forge. */
import { randomBytes } from 'node:crypto';
import type { CreatedHookSecret, ProjectHook } from '@docyard/api';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { inTransaction } from '../ports/database.ts';
import { findProject } from '../projects/find-project.ts';
import { holdProject } from '../projects/projects.ts';
import { readSecret, writeSecret } from '../projects/secrets.ts';
import { readSetting, writeSetting } from '../projects/settings.ts';
import { polledName } from './events.ts';
import type { AccessScope } from '../access-scope.ts';

type HookContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

const settingsName = 'hook';
const secretBytes = 32;
const defaultOverlapSeconds = 86_400;

interface HookSettings {
  secretCreatedAt: string | null;
  oldSecretValidUntil: string | null;
}

const withoutSecret: HookSettings = { secretCreatedAt: null, oldSecretValidUntil: null };

export async function readHook(
  context: Pick<Context, 'database' | 'clock'>,
  input: { projectId: string; reach: AccessScope; origin: string },
): Promise<ProjectHook> {
  const { id } = await findProject(context, { id: input.projectId, reach: input.reach });
  return viewHook(context, { id, origin: input.origin }, await readSettings(context, id));
}

/** The replaced secret stays valid for the overlap. */
export async function createHookSecret(
  context: HookContext,
  input: { projectId: string; overlapSeconds?: number | undefined; actor: Actor; origin: string },
): Promise<CreatedHookSecret> {
  const { actor, origin, overlapSeconds = defaultOverlapSeconds } = input;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const { id: projectId } = await holdProject(inside, { id: input.projectId, reach: actor });
    const secret = `whsec_${randomBytes(secretBytes).toString('base64')}`;
    const settings = await storeHookSecret(inside, projectId, secret, overlapSeconds);
    await recordAudit(inside, { actor, action: 'project.create_hook_secret', object: projectId });
    return { ...(await viewHook(inside, { id: projectId, origin }, settings)), secret };
  });
}

/** Runs in the transaction of the caller, who also writes the audit entry. */
export async function storeHookSecret(
  context: HookContext,
  projectId: string,
  secret: string,
  overlapSeconds = defaultOverlapSeconds,
): Promise<HookSettings> {
  const old = await readSecret(context, { projectId, name: 'hook.secret' });
  await writeSecret(context, { projectId, name: 'hook.oldSecret' }, old);
  await writeSecret(context, { projectId, name: 'hook.secret' }, secret);
  const overlapEnd = new Date(context.clock.now().getTime() + overlapSeconds * 1000).toISOString();
  const settings = {
    secretCreatedAt: nowText(context),
    oldSecretValidUntil: old === null ? null : overlapEnd,
  };
  await writeSettings(context, projectId, settings);
  return settings;
}

export async function disableHook(
  context: HookContext,
  input: { projectId: string; actor: Actor },
): Promise<void> {
  const { actor } = input;
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const { id: projectId } = await holdProject(inside, { id: input.projectId, reach: actor });
    await writeSecret(inside, { projectId, name: 'hook.secret' }, null);
    await writeSecret(inside, { projectId, name: 'hook.oldSecret' }, null);
    await writeSettings(inside, projectId, withoutSecret);
    await recordAudit(inside, { actor, action: 'project.disable_hook', object: projectId });
  });
}

/** The newest first. */
export async function validHookSecrets(context: HookContext, projectId: string): Promise<string[]> {
  const { oldSecretValidUntil } = await readSettings(context, projectId);
  const isOldValid = oldSecretValidUntil !== null && oldSecretValidUntil > nowText(context);
  const secrets = [
    await readSecret(context, { projectId, name: 'hook.secret' }),
    isOldValid ? await readSecret(context, { projectId, name: 'hook.oldSecret' }) : null,
  ];
  return secrets.filter((secret) => secret !== null);
}

async function viewHook(
  context: Pick<Context, 'database' | 'clock'>,
  { id, origin }: { id: string; origin: string },
  { secretCreatedAt, oldSecretValidUntil }: HookSettings,
): Promise<ProjectHook> {
  const isOldValid = oldSecretValidUntil !== null && oldSecretValidUntil > nowText(context);
  return {
    url: `${origin}/hooks/${id}`,
    enabled: secretCreatedAt !== null,
    secretCreatedAt,
    oldSecretValidUntil: isOldValid ? oldSecretValidUntil : null,
    lastEventAt: await readLastEventTime(context, id),
  };
}

async function readLastEventTime(
  context: Pick<Context, 'database'>,
  projectId: string,
): Promise<string | null> {
  const row = await context.database
    .selectFrom('forge_events')
    .select('received_at')
    .where('project_id', '=', projectId)
    .where('name', '!=', polledName)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.received_at ?? null;
}

async function readSettings(context: Pick<Context, 'database'>, projectId: string): Promise<HookSettings> {
  const value = await readSetting(context, { projectId, name: settingsName });
  return value === undefined ? withoutSecret : (JSON.parse(value) as HookSettings);
}

async function writeSettings(
  context: Pick<Context, 'database' | 'clock'>,
  projectId: string,
  settings: HookSettings,
): Promise<void> {
  await writeSetting(context, { projectId, name: settingsName }, JSON.stringify(settings));
}
