/**
 * Test fixtures of this package: temporary folders, a composed context with a settable clock, tenants with a key, and
 * the real application on a free port.
 */
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CreatedKey, Plan, Project, Scope, StartExport } from '@docyard/api';
import { cleanUp } from '../../../../test/cleanups.ts';
import { dropDatabase, dumpDatabase, freshDatabase } from '../../../../test/postgres.ts';
import { compose } from '../../src/compose.ts';
import { readConfig, type Environment } from '../../src/config.ts';
import type { Actor, Context } from '../../src/context.ts';
import { prepareDataFolder } from '../../src/data-folder.ts';
import { blobName, type ExportInput, type ExportResult } from '../../src/exports/record.ts';
import { buildApp } from '../../src/http/app.ts';
import { listen } from '../../src/http/server.ts';
import { createJob } from '../../src/jobs/create-jobs.ts';
import { claimJob, completeJob, type Job } from '../../src/jobs/store.ts';
import { createKey } from '../../src/keys/keys.ts';
import { createOrganization, type Organization } from '../../src/organizations/organizations.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { createProject } from '../../src/projects/projects.ts';

export { cleanUp } from '../../../../test/cleanups.ts';

export function temporaryFolder(name = 'test'): string {
  const folder = mkdtempSync(join(tmpdir(), `docyard-${name}-`));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export class FakeClock implements Clock {
  #at: number;

  constructor(at = '2026-03-01T12:00:00.000Z') {
    this.#at = Date.parse(at);
  }

  now(): Date {
    return new Date(this.#at);
  }

  advance(seconds: number): void {
    this.#at += seconds * 1000;
  }
}

export type TestContext = Context & { clock: FakeClock };

const openLimits = {
  LIMIT_READS_PER_MINUTE: '1000000',
  LIMIT_WRITES_PER_MINUTE: '1000000',
  LIMIT_EXPORT_STARTS_PER_HOUR: '1000000',
  LIMIT_AGENT_INSTRUCTIONS_PER_HOUR: '1000000',
};

/**
 * A real context in its own folder, with high limits unless a test sets them. TEST_DATABASE=postgres uses a new
 * PostgreSQL database.
 */
export async function composeForTest(environment: Environment = {}): Promise<TestContext> {
  const config = readConfig({
    DATA_DIR: temporaryFolder('data'),
    LOG_LEVEL: 'silent',
    // Keeps tests deterministic and fast.
    EXPORT_CONCURRENCY: '1',
    ...openLimits,
    ...(await databaseForTest()),
    ...environment,
  });
  await prepareDataFolder(config.dataDir);
  const context = { ...(await compose(config)), clock: new FakeClock() };
  cleanUp(() => context.close());
  return context;
}

async function databaseForTest(): Promise<Environment> {
  if (process.env['TEST_DATABASE'] !== 'postgres') return {};
  const url = await freshDatabase();
  cleanUp(() => dropDatabase(url));
  return { DATABASE_URL: url };
}

export interface Tenant {
  organization: Organization;
  organizationId: string;
  actor: Actor;
  key: CreatedKey;
}

export async function createTenant(
  context: Context,
  options: { name?: string; plan?: Plan; localSources?: boolean; scopes?: Scope[] } = {},
): Promise<Tenant> {
  const { name = 'Harbour', plan = 'enterprise', localSources = true } = options;
  const organization = await createOrganization(context, { name, plan, localSources });
  const actor = {
    organizationId: organization.id,
    projectId: null,
    name: 'cli',
    address: null,
    requestId: null,
  };
  const scopes = options.scopes === undefined ? {} : { scopes: options.scopes };
  const key = await createKey(context, { name: 'Test key', expiresInDays: null, actor, ...scopes });
  return { organization, organizationId: organization.id, actor, key };
}

let domains = 0;

export async function createTestProject(
  context: Context,
  tenant: Tenant,
  options: { name?: string; domain?: string; repository?: string; directory?: string } = {},
): Promise<Project> {
  const { name = 'Docs', directory } = options;
  const { domain = `docs-${(domains += 1)}.example.com`, repository = 'https://git.example.com/docs.git' } =
    options;
  const { actor } = tenant;
  return createProject(context, {
    name,
    domain,
    source: { repository, ...(directory === undefined ? {} : { directory }) },
    actor,
    allowLocal: true,
  });
}

export async function createExport(
  context: Context,
  tenant: Tenant,
  project: Project,
  request: Partial<StartExport> = {},
): Promise<Job> {
  const input: ExportInput = {
    request: { domain: project.domain, ...request },
    source: { ...project.source, allowLocal: true },
  };
  return createJob(context, {
    kind: 'export',
    organizationId: tenant.organizationId,
    projectId: project.id,
    domain: project.domain,
    input,
    retryOf: null,
  });
}

export async function createCompletedExport(
  context: Context,
  tenant: Tenant,
  project: Project,
  bundle: Uint8Array = Buffer.from('not really an archive'),
): Promise<Job> {
  const { id } = await createExport(context, tenant, project);
  const claimed = present(await claimJob(context, id));
  await context.blobs.putBytes(blobName(id, claimed.attempt, 'bundle.tar.gz'), bundle);
  const sha256 = createHash('sha256').update(bundle).digest('hex');
  const result: ExportResult = {
    bundle: { sizeBytes: bundle.length, sha256, fileCount: 1 },
    warnings: 0,
    errors: 0,
    attempt: claimed.attempt,
  };
  return present(await completeJob(context, claimed, { result, pageCount: 1 }));
}

export interface TestService {
  origin: string;
  host: string;
  /** Starts draining, as the service does before it closes. */
  stopping: AbortController;
  /** `key` adds the Authorization header. */
  request(path: string, init?: RequestInit & { key?: string }): Promise<Response>;
  close(graceSeconds: number): Promise<void>;
}

export async function serveForTest(context: Context): Promise<TestService> {
  const stopping = new AbortController();
  const server = await listen(buildApp(context, stopping.signal), { host: '127.0.0.1', port: 0 });
  cleanUp(async () => {
    stopping.abort();
    await server.close(1);
  });
  const host = `127.0.0.1:${server.port}`;
  return {
    origin: `http://${host}`,
    host,
    stopping,
    close: (graceSeconds) => server.close(graceSeconds),
    request: (path, { key, ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
      return fetch(`http://${host}${path}`, { redirect: 'manual', ...init, headers });
    },
  };
}

export function jsonBody(value: unknown): RequestInit {
  return { method: 'POST', body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

/** The contents of every file in the data folder and of an external database, to search for leaked secrets. */
export function everythingKept(context: Context, exceptNames: readonly string[] = []): string {
  const { dataDir, databaseUrl } = context.config;
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !exceptNames.includes(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  return [...files, ...(databaseUrl === null ? [] : [dumpDatabase(databaseUrl)])].join('\n');
}

export function present<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error('Expected a value.');
  return value;
}

/** Polls until the condition is true. */
export async function until(condition: () => boolean | Promise<boolean>, seconds = 10): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not so after ${seconds} seconds.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export function git(folder: string, ...args: string[]): string {
  const identity = [
    '-c',
    'user.name=Test',
    '-c',
    'user.email=test@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  const ended = spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(`git ${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout.trim();
}

/** Commits all files; initializes the repository if needed. Returns the commit. */
export function commitAll(folder: string, files: Record<string, string> = {}): string {
  writeFiles(folder, files);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'Change');
  return git(folder, 'rev-parse', 'HEAD');
}
