/** The App of a project: its key is the credential of the forge, its webhook secret that of the hook. */
import type { ProjectGithubApp } from '@docyard/api';
import type { AccessScope } from '../../access-scope.ts';
import { recordAudit } from '../../audit/audit.ts';
import { nowText, type Actor, type Context } from '../../context.ts';
import { readAgentSecrets, readAgentSettings } from '../../projects/agent-settings.ts';
import { findProject } from '../../projects/find-project.ts';
import { updateProject } from '../../projects/projects.ts';
import { readSetting, writeSetting } from '../../projects/settings.ts';
import { storeHookSecret } from '../hook.ts';
import type { Conversion } from './conversion.ts';

const settingName = 'githubApp';

interface StoredApp {
  appId: string;
  name: string;
  url: string;
  createdAt: string;
}

/** Runs in the transaction of the caller. */
export async function storeApp(
  context: Context,
  input: { projectId: string; actor: Actor; conversion: Conversion },
): Promise<ProjectGithubApp> {
  const { projectId, actor, conversion } = input;
  const { forge } = await readAgentSettings(context, projectId);
  const appId = String(conversion.id);
  const credential = { type: 'app' as const, appId, privateKey: conversion.pem };
  const agent = { forge: { kind: 'github' as const, apiBase: forge?.apiBase ?? null, credential } };
  await updateProject(context, { projectId, change: { agent }, actor, allowLocal: false });
  await storeHookSecret(context, projectId, conversion.webhook_secret);
  const stored: StoredApp = {
    appId,
    name: conversion.name,
    url: conversion.html_url,
    createdAt: nowText(context),
  };
  await writeSetting(context, { projectId, name: settingName }, JSON.stringify(stored));
  await recordAudit(context, { actor, action: 'project.create_github_app', object: projectId });
  return { app: viewApp(stored) };
}

/** Null after the credential was replaced by another one. */
export async function readApp(
  context: Pick<Context, 'database' | 'secrets'>,
  where: { projectId: string; reach: AccessScope },
): Promise<ProjectGithubApp> {
  const { id: projectId } = await findProject(context, { id: where.projectId, reach: where.reach });
  const value = await readSetting(context, { projectId, name: settingName });
  if (value === undefined) return { app: null };
  const stored = JSON.parse(value) as StoredApp;
  const { forgeCredential } = await readAgentSecrets(context, projectId);
  const isInUse = forgeCredential?.type === 'app' && forgeCredential.appId === stored.appId;
  return { app: isInUse ? viewApp(stored) : null };
}

function viewApp(stored: StoredApp): NonNullable<ProjectGithubApp['app']> {
  return { ...stored, installUrl: `${stored.url.replace(/\/$/, '')}/installations/new` };
}
