/**
 * Sets up a new installation: an organization, a sample project with a repository, and the first admin key. Later
 * starts change nothing.
 */
import { spawn } from 'node:child_process';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '@docyard/site/errors';
import type { Actor, Context } from './context.ts';
import { writeDurably } from '@docyard/site/disk';
import { sampleIdentity } from './git/sample-identity.ts';
import { sampleDomain } from './http/first-steps.ts';
import { createKey } from './keys/keys.ts';
import { createOrganization, listOrganizations } from './organizations/organizations.ts';
import { acquireLocks, inTransaction } from './ports/database.ts';
import { createProject } from './projects/projects.ts';
import { copySample } from './sample-site.ts';

export interface FirstRunOptions {
  sample: boolean;
  /** False to create no key; `docyard keys create` creates one later. */
  adminKey?: boolean;
  /** The key is created again when this file is missing. */
  adminKeyFile: string | undefined;
  /** Where the first key is written when no file is named and no terminal can show it. */
  unnamedKeyFile?: string | undefined;
}

/** Returns the text of a newly created key. */
export async function setUpFirstRun(context: Context, options: FirstRunOptions): Promise<string | undefined> {
  const isFirst = (await listOrganizations(context)).length === 0;
  const sampleRepository =
    isFirst && options.sample ? await createSampleRepository(context.config.dataDir) : undefined;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    // A second process that starts at the same time waits here and finds the organization of the first.
    await acquireLocks(database, 'first-run');
    const [existing] = await listOrganizations(inside);
    if (existing !== undefined) return replaceMissingKeyFile(inside, existing.id, options.adminKeyFile);
    const organization = await createOrganization(inside, {
      name: 'My organization',
      plan: 'enterprise',
      localSources: true,
    });
    const actor = systemOf(organization.id);
    if (sampleRepository !== undefined) {
      await createProject(inside, {
        name: 'Sample handbook',
        domain: sampleDomain,
        source: { repository: pathToFileURL(sampleRepository).href, ref: 'main' },
        actor,
        allowLocal: true,
      });
    }
    if (options.adminKey === false) return undefined;
    return makeAdminKey(inside, actor, options.adminKeyFile ?? options.unnamedKeyFile);
  });
}

async function replaceMissingKeyFile(
  context: Context,
  organizationId: string,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const existing = await readFile(file, 'utf8').catch(() => undefined);
  if (existing !== undefined) return undefined;
  return makeAdminKey(context, systemOf(organizationId), file);
}

function systemOf(organizationId: string): Actor {
  return { organizationId, projectId: null, name: 'system', address: null, requestId: null };
}

/**
 * The file is written before the transaction commits: a file without a key can be replaced, a key without a file is
 * lost.
 */
async function makeAdminKey(context: Context, actor: Actor, file: string | undefined): Promise<string> {
  const created = await createKey(context, { name: 'First admin key', expiresInDays: null, actor });
  if (file !== undefined) await writeDurably(file, `${created.key}\n`);
  return created.key;
}

/** Built in a draft folder and renamed, so that an interrupted start leaves no partial repository. */
async function createSampleRepository(dataDir: string): Promise<string> {
  const target = join(dataDir, 'sample-docs');
  const draft = `${target}.draft`;
  await rm(target, { recursive: true, force: true });
  await rm(draft, { recursive: true, force: true });
  await copySample(draft);
  await git(draft, ['init', '--quiet', '--initial-branch=main']);
  await git(draft, ['add', '--all']);
  await git(draft, ['commit', '--quiet', '--message', 'Start the handbook']);
  await rename(draft, target);
  return target;
}

async function git(folder: string, args: string[]): Promise<void> {
  const child = spawn('git', [...sampleIdentity, '-c', 'core.hooksPath=/dev/null', ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
    },
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', () =>
      reject(new ConfigError('git was not found. Install git 2.39 or newer, then start again.')),
    );
    child.once('close', resolve);
  });
  if (status !== 0) throw new Error(`git ${args[0]} failed in ${folder}: ${complaint.trim()}`);
}
