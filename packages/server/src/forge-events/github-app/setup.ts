/**
 * Creates a GitHub App for a project: the caller starts, confirms the manifest on GitHub and finishes with the code
 * that GitHub returns. The state is random, is accepted once and only from the caller that started.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  maxAppNameLength,
  type FinishGithubApp,
  type StartedGithubApp,
  type StartGithubApp,
} from '@docyard/api';
import { recordAudit } from '../../audit/audit.ts';
import type { Actor, Context } from '../../context.ts';
import { inTransaction } from '../../ports/database.ts';
import { Problem } from '../../problem.ts';
import { findProject, type ProjectRecord } from '../../projects/find-project.ts';
import { holdProject } from '../../projects/projects.ts';
import { deleteSetting, readSetting, writeSetting } from '../../projects/settings.ts';
import { convertCode, type Conversion } from './conversion.ts';
import { githubAddresses } from './github-addresses.ts';
import { manifestOf, registrationUrl } from './manifest.ts';

type SetupContext = Pick<Context, 'config' | 'database' | 'clock'>;

const settingName = 'githubAppSetup';
const stateBytes = 32;
/** As long as GitHub accepts the code. */
const maxSetupSeconds = 3600;

interface PendingSetup {
  stateHash: string;
  actor: string;
  expiresAt: string;
  origin: string;
  webBase: string;
  apiBase: string;
  organization: string | null;
  name: string;
  redirectUrl: string;
}

export async function startSetup(
  context: SetupContext,
  input: StartGithubApp & { projectId: string; actor: Actor; origin: string },
): Promise<StartedGithubApp> {
  const { actor, origin } = input;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const project = await holdProject(inside, { id: input.projectId, reach: actor });
    const state = randomBytes(stateBytes).toString('base64url');
    const expiresAt = new Date(context.clock.now().getTime() + maxSetupSeconds * 1000).toISOString();
    const pending: PendingSetup = {
      ...(await githubAddresses(inside, project)),
      stateHash: hashOf(state),
      actor: actor.name,
      expiresAt,
      origin,
      organization: input.organization ?? null,
      name: input.name ?? `Docyard ${project.name}`.slice(0, maxAppNameLength).trim(),
      redirectUrl: input.returnTo ?? `${origin}/dashboard/projects/${project.id}/github-app`,
    };
    await writeSetting(inside, { projectId: project.id, name: settingName }, JSON.stringify(pending));
    await recordAudit(inside, { actor, action: 'project.start_github_app', object: project.id });
    return { url: `${origin}/github-app/${project.id}?state=${state}`, expiresAt };
  });
}

export interface Registration {
  /** Where the manifest is posted. */
  url: string;
  manifest: ReturnType<typeof manifestOf>;
}

/** For the page that sends the manifest. Undefined for an unknown or expired state. */
export async function readRegistration(
  context: SetupContext,
  { projectId, state }: { projectId: string; state: string },
): Promise<Registration | undefined> {
  const pending = await readPending(context, projectId);
  if (pending === undefined || !isCurrent(context, pending.setup, state)) return undefined;
  const { webBase, organization } = pending.setup;
  return {
    url: registrationUrl(webBase, organization, state),
    manifest: manifestOf({ projectId, ...pending.setup }),
  };
}

/** Consumes the state before the code is sent, so that neither is used twice. */
export async function finishSetup(
  context: SetupContext,
  input: FinishGithubApp & { projectId: string; actor: Actor },
): Promise<Conversion> {
  const { actor, code, state } = input;
  const project = await findProject(context, { id: input.projectId, reach: actor });
  const { apiBase } = await consumeState(context, project, { actor, state });
  const tenant = { organizationId: project.organization_id, projectId: project.id };
  return convertCode(context, { apiBase, code, tenant });
}

async function consumeState(
  context: SetupContext,
  { id: projectId }: ProjectRecord,
  { actor, state }: { actor: Actor; state: string },
): Promise<PendingSetup> {
  const pending = await readPending(context, projectId);
  const isValid =
    pending !== undefined &&
    isCurrent(context, pending.setup, state) &&
    pending.setup.actor === actor.name &&
    (await deleteSetting(context, { projectId, name: settingName }, pending.value));
  if (isValid) return pending.setup;
  const message =
    'The set-up has expired, was finished already or was started by another caller. Start it again.';
  throw new Problem('invalid_request', message, { details: [{ path: 'state', message }] });
}

async function readPending(
  context: Pick<Context, 'database'>,
  projectId: string,
): Promise<{ setup: PendingSetup; value: string } | undefined> {
  const value = await readSetting(context, { projectId, name: settingName });
  return value === undefined ? undefined : { setup: JSON.parse(value) as PendingSetup, value };
}

function isCurrent(
  { clock }: Pick<Context, 'clock'>,
  { stateHash, expiresAt }: PendingSetup,
  state: string,
): boolean {
  const isSame = timingSafeEqual(Buffer.from(stateHash), Buffer.from(hashOf(state)));
  return isSame && expiresAt > clock.now().toISOString();
}

function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}
