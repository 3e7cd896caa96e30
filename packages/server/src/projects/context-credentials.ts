/** The credentials of context repositories. A credential is deleted when its repository moves to another host. */
import type { SetForgeCredential, SetProjectAgent } from '@docyard/api';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import { readSecret, writeSecret, type SecretName } from './secrets.ts';

type ForgeCredential = z.infer<typeof SetForgeCredential>;

/** Without its credential. */
export interface ContextRepository {
  /** Unique in the project. */
  name: string;
  repository: string;
  ref: string | null;
  /** Empty for the whole repository. */
  paths: string[];
}

export type NewContextRepositories = NonNullable<SetProjectAgent['contextRepositories']>;

export function contextRepositoriesOf(given: NewContextRepositories): ContextRepository[] {
  return given.map(({ name, repository, ref, paths }) => ({
    name,
    repository,
    ref: ref ?? null,
    paths: (paths ?? []).map((path) => path.replaceAll(/^\.\/|\/{1,1024}$/g, '')),
  }));
}

export function contextSecretName(name: string): SecretName {
  return `context.credential.${name}`;
}

export async function changeContextCredentials(
  context: Pick<Context, 'database' | 'clock' | 'secrets'>,
  projectId: string,
  { old, next }: { old: readonly ContextRepository[]; next: NewContextRepositories },
): Promise<void> {
  for (const { name } of old) {
    if (next.some((repository) => repository.name === name)) continue;
    await writeSecret(context, { projectId, name: contextSecretName(name) }, null);
  }
  for (const { name, repository, credential } of next) {
    const before = old.find((one) => one.name === name);
    const isSameHost = before !== undefined && hostOf(before.repository) === hostOf(repository);
    if (credential === undefined && isSameHost) continue;
    const value = credential === undefined || credential === null ? null : JSON.stringify(credential);
    await writeSecret(context, { projectId, name: contextSecretName(name) }, value);
  }
}

export async function readContextCredential(
  context: Pick<Context, 'database' | 'secrets'>,
  projectId: string,
  name: string,
): Promise<ForgeCredential | null> {
  const value = await readSecret(context, { projectId, name: contextSecretName(name) });
  return value === null ? null : (JSON.parse(value) as ForgeCredential);
}

/** A path of this machine is its own host. */
export function hostOf(repository: string): string {
  const url = URL.parse(repository);
  return url === null || url.host === '' ? repository : url.origin;
}
