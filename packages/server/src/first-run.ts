/**
 * What a new installation is given: an organization with every feature, a sample project with its own
 * repository, and the first admin key. On a later start it does nothing.
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
import { exclusively, inTransaction } from './ports/database.ts';
import { createProject } from './projects/projects.ts';
import { copySample } from './sample-site.ts';

export interface FirstRunOptions {
  sample: boolean;
  /** False to create no key; `docyard keys create` creates one later. */
  adminKey?: boolean;
  /** Where the operator expects a key: it is created again when the file is missing. */
  adminKeyFile: string | undefined;
  /** Where a first key goes when neither a file was named nor a terminal can show it. */
  unnamedKeyFile?: string | undefined;
}

/** The text of a key that was made just now, or undefined on every later start. */
export async function setUpFirstRun(context: Context, options: FirstRunOptions): Promise<string | undefined> {
  const isFirst = (await listOrganizations(context)).length === 0;
  const sampleRepository =
    isFirst && options.sample ? await createSampleRepository(context.config.dataDir) : undefined;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    // Another process may have been started in the same moment; the second finds what the first has made.
    await exclusively(database, 'first-run');
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

/** A caller that names a key file can rely on it: when it was lost, a new key is made. */
async function replaceMissingKeyFile(
  context: Context,
  organizationId: string,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return undefined;
  return makeAdminKey(context, systemOf(organizationId), file);
}

function systemOf(organizationId: string): Actor {
  return { organizationId, projectId: null, name: 'system', address: null, requestId: null };
}

/** The file is written before the transaction ends: a file without a key can be made again, the reverse cannot. */
async function makeAdminKey(context: Context, actor: Actor, file: string | undefined): Promise<string> {
  const created = await createKey(context, { name: 'First admin key', expiresInDays: null, actor });
  if (file !== undefined) await writeDurably(file, `${created.key}\n`);
  return created.key;
}

/** Built aside and moved into place, so that a start that was cut off leaves no half repository. */
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
