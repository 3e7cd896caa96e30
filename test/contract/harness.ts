/** Puts a service into the states that the contract tests need. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AgentJob, ExportJob, Project, ReportDeployment, ReportReadings } from '@docyard/api';
import { defaultLimits } from '../../packages/server/src/agent/contract.ts';
import type { AgentInput } from '../../packages/server/src/agent/record.ts';
import { pullRequestWebhook } from '../fakes/forges/pull-request-webhooks.ts';
import { pushWebhook } from '../fakes/forges/push-webhooks.ts';
import { runStatements } from '../postgres.ts';
import { databaseOf, program, siteFiles, temporaryFolder, writeFiles, type Service } from '../service.ts';

/** A well-formed id without a record. */
export function randomId(
  prefix: 'dp' | 'se' | 'aj' | 'pr' | 'key' | 'wh' | 'whd' | 'pe' | 'fe' | 'pul',
): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`;
}

let lastDomain = 0;

export function freshDomain(): string {
  lastDomain += 1;
  return `site-${lastDomain}.example.com`;
}

export function siteFolder(): string {
  const folder = temporaryFolder('site');
  writeFiles(folder, siteFiles(1));
  return folder;
}

export function addProject({ client }: Pick<Service, 'client'>, repository: string): Promise<Project> {
  return client.call('createProject', {
    body: { name: 'Test project', domain: freshDomain(), source: { repository } },
  });
}

/** A webhook without a receiver, with a failing delivery. */
export async function addWebhook({
  client,
}: Pick<Service, 'client'>): Promise<{ webhookId: string; deliveryId: string }> {
  const { id: webhookId } = await client.call('createWebhook', { body: { url: 'https://hooks.invalid/' } });
  const { id: deliveryId } = await client.call('testWebhook', { params: { webhookId } });
  return { webhookId, deliveryId };
}

/** A push to another repository, which has no effect. */
export async function addForgeEvent(
  { client, origin }: Pick<Service, 'client' | 'origin'>,
  projectId: string,
): Promise<string> {
  const { secret } = await client.call('createHookSecret', { params: { projectId } });
  const repository = 'https://git.invalid/acme/docs.git';
  const request = pushWebhook('github', { secret, repository, after: 'a'.repeat(40) });
  const response = await fetch(`${origin}/hooks/${projectId}`, { method: 'POST', ...request });
  const { events } = (await response.json()) as { events: { id: string }[] };
  return events[0]?.id ?? '';
}

/** An automation of a project whose source is a folder. */
export async function addAutomation(
  { client }: Pick<Service, 'client'>,
  project: Pick<Project, 'id' | 'source'>,
): Promise<string> {
  const name = 'spelling';
  const automation = { name, on: { manual: true }, instructions: 'Correct the spelling.', group: false };
  const content = JSON.stringify({ version: 1, automations: [automation] });
  writeFiles(project.source.repository, { '.docyard/automations.yaml': content });
  const params = { projectId: project.id };
  await client.call('refreshAutomations', { params });
  for (;;) {
    const { data } = await client.call('readAutomations', { params });
    if (data.length > 0) return name;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const pullRequestHead = 'a'.repeat(40);

/** A pull request at a forge that does not answer. */
export async function addPullRequest(service: Pick<Service, 'client' | 'origin'>): Promise<string> {
  const { client, origin } = service;
  const repository = 'https://git.invalid/acme/docs.git';
  const { id: projectId } = await addProject(service, repository);
  const params = { projectId };
  await client.call('updateProject', { params, body: { pullRequests: { enabled: true } } });
  const { secret } = await client.call('createHookSecret', { params });
  const change = { action: 'opened' as const, repository, headCommit: pullRequestHead, secret };
  await fetch(`${origin}/hooks/${projectId}`, { method: 'POST', ...pullRequestWebhook('github', change) });
  for (;;) {
    const { data } = await client.call('listPullRequests', { query: { projectId } });
    if (data[0] !== undefined) return data[0].id;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** An endpoint without a server: enough to start agent jobs, not to finish them. */
export async function giveModel({ client }: Pick<Service, 'client'>, projectId: string): Promise<void> {
  const model = { url: 'https://models.invalid/v1', name: 'test-model', key: 'test-key' };
  await client.call('updateProject', {
    params: { projectId },
    body: { agent: { model: { ...model, provider: 'openai' } } },
  });
}

export async function runExport(service: Pick<Service, 'client'>, domain: string): Promise<ExportJob> {
  const { jobId } = await service.client.call('startExport', { body: { domain } });
  return waitFor(service, jobId, ({ status }) => status === 'completed' || status === 'failed');
}

export async function waitFor(
  { client }: Pick<Service, 'client'>,
  jobId: string,
  wanted: (job: ExportJob) => boolean,
): Promise<ExportJob> {
  const signal = AbortSignal.timeout(30_000);
  for (;;) {
    const job = await client.call(
      'readExport',
      { params: { jobId } },
      { signal, headers: { prefer: 'wait=1' } },
    );
    if (wanted(job)) return job;
    if (job.status === 'failed') throw new Error(`${jobId} failed: ${job.error}`);
    if (job.status === 'completed') await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function waitForAgent(
  { client }: Pick<Service, 'client'>,
  params: { projectId: string; id: string },
  wanted: (job: AgentJob) => boolean,
): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  for (;;) {
    const job = await client.call('readAgentJob', { params }, { signal, headers: { prefer: 'wait=1' } });
    if (wanted(job)) return;
  }
}

/**
 * A git host that responds just fast enough that git does not give up, so an export runs until it is canceled. With one export
 * at a time, all later ones stay queued.
 */
export async function startEndlessGit(): Promise<{ repository: string; host: string; stop(): void }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    const timer = setInterval(() => response.write('0'.repeat(1000)), 200);
    response.once('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    repository: `http://${host}/docs.git`,
    host,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Created by an operator on the running service. */
export function addOrganization(
  dataDir: string,
  plan: 'free' | 'enterprise',
): { organizationId: string; key: string } {
  const options = ['--name', 'Other organization', '--plan', plan, '--local-sources'];
  const [{ id }] = runCommand(dataDir, 'orgs', 'create', ...options) as [{ id: string }];
  const { key } = runCommand(dataDir, 'keys', 'create', '--org', id, '--name', 'Other key') as {
    key: string;
  };
  return { organizationId: id, key };
}

export function addUser(
  dataDir: string,
  { organizationId, email, password }: { organizationId: string; email: string; password: string },
): void {
  const file = join(temporaryFolder('password'), 'password');
  writeFileSync(file, password);
  const options = ['--org', organizationId, '--email', email, '--role', 'owner', '--password-file', file];
  runCommand(dataDir, 'users', 'create', ...options);
}

function runCommand(dataDir: string, ...args: string[]): unknown {
  const ended = spawnSync(process.execPath, [program, ...args, '--data', dataDir, '--json'], {
    encoding: 'utf8',
    env: { ...process.env, ...databaseOf(dataDir) },
  });
  if (ended.status !== 0) throw new Error(`docyard ${args.join(' ')}: ${ended.stderr}`);
  return JSON.parse(ended.stdout);
}

const pullRequest = {
  url: 'https://example.com/pulls/1',
  number: 1,
  state: 'open',
  draft: false,
  branch: 'docyard/1',
};

/** Writes the row of a job into the database, so that no worker claims it. */
export function addAgentJob(
  dataDir: string,
  project: Pick<Project, 'id' | 'domain'>,
  status: 'queued' | 'completed' | 'archived' | 'stopping' | 'purged' = 'completed',
): string {
  const id = randomId('aj');
  const now = new Date().toISOString();
  const input: AgentInput = {
    prompt: 'Correct the spelling.',
    model: 'test-model',
    source: { repository: 'https://example.com/docs.git', ref: 'main', directory: null, allowLocal: false },
    draft: null,
    scopePaths: [],
    limits: defaultLimits,
    dryRun: false,
    metadata: {},
  };
  const ended = status !== 'queued' && status !== 'stopping';
  const row = {
    id,
    kind: 'agent',
    project_id: project.id,
    domain: project.domain,
    status: ended ? 'completed' : 'queued',
    phase: ended ? 'done' : 'queued',
    progress: ended ? 100 : 0,
    page_count: 0,
    attempt: ended ? 1 : 0,
    input: JSON.stringify(input),
    created_at: now,
    updated_at: now,
    finished_at: ended ? now : null,
    archived_at: status === 'archived' || status === 'stopping' ? now : null,
    purged_at: status === 'purged' ? now : null,
  };
  const run = {
    job_id: id,
    number: 1,
    kind: 'create',
    prompt: input.prompt,
    ending: ended ? 'done' : null,
    pull_request: ended ? JSON.stringify(pullRequest) : null,
    created_at: now,
  };
  type Values = Record<string, string | number | null>;
  const columns = (record: Values) => Object.keys(record).join(', ');
  const values = (record: Values) => Object.values(record).map(literal).join(', ');
  write(
    dataDir,
    `INSERT INTO jobs (organization_id, ${columns(row)})
     SELECT organization_id, ${values(row)} FROM projects WHERE id = ${literal(project.id)}`,
    `INSERT INTO agent_runs (${columns(run)}) VALUES (${values(run)})`,
  );
  return id;
}

function literal(value: string | number | null): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** The report that `docyard site` sends. */
export function siteReport(name: string, acceptsInstructions = true): ReportDeployment {
  const release = (number: number) => ({
    id: `r${number}-0a1b2c3d`,
    version: `${number}.0`,
    commit: null,
    committedAt: null,
    pages: 3,
    signedBy: null,
    installedAt: '2026-01-01T00:00:00.000Z',
    jobId: null,
  });
  return {
    name,
    url: 'https://docs.example.com',
    software: '0.1.0',
    reportSeconds: 30,
    acceptsInstructions,
    nonce: 'n'.repeat(24),
    isReady: true,
    reason: null,
    current: release(2).id,
    releases: [release(2), release(1)],
    held: null,
    lastRefresh: null,
    finished: null,
  };
}

/** What readers of a site did, as `docyard site` sends it. */
export function siteReadings(name: string): ReportReadings {
  const day = new Date().toISOString().slice(0, 10);
  return {
    name,
    source: 'a'.repeat(24),
    counts: [{ day, metric: 'views', name: '/tides', reader: 'human', count: 3 }],
    feedback: [
      {
        id: 'a'.repeat(16),
        day,
        path: '/tides',
        isHelpful: false,
        comment: 'Where is the harbor of theirs?',
      },
    ],
  };
}

export async function addDeployment(
  { client }: Pick<Service, 'client'>,
  { name = `site-${randomId('dp').slice(3)}`, acceptsInstructions = true } = {},
): Promise<string> {
  const body = siteReport(name, acceptsInstructions);
  return (await client.call('reportDeployment', { body })).deploymentId;
}

/** As many deployments as the limit allows. */
export function fillDeployments(dataDir: string, organizationId: string): void {
  const rows = Array.from({ length: 200 }, (_, place) => {
    const report = JSON.stringify(siteReport(`full-${place}`));
    return `('dp_full${place}', '${organizationId}', '', 'full-${place}', '${report}', 30, '2026', '2026')`;
  });
  const columns = 'id, organization_id, owner, name, report, report_seconds, first_seen_at, last_seen_at';
  write(dataDir, `INSERT INTO deployments (${columns}) VALUES ${rows.join(', ')}`);
}

/** Expires the claims on webhook deliveries, so that tests need not wait for them. */
export function passTimeOfClaims(dataDir: string): void {
  write(dataDir, `UPDATE webhook_deliveries SET claimed_until = '2000' WHERE claimed_until IS NOT NULL`);
}

/** Writes to the database of the service without validation. */
export function write(dataDir: string, ...statements: string[]): void {
  const { DATABASE_URL: url } = databaseOf(dataDir);
  if (url !== undefined) {
    runStatements(url, ...statements);
    return;
  }
  const database = new DatabaseSync(join(dataDir, 'docyard.db'), { timeout: 5000 });
  try {
    for (const statement of statements) database.exec(statement);
  } finally {
    database.close();
  }
}

/** Blocks all writes until the returned function is called. */
export function refuseWrites(dataDir: string): () => void {
  const { DATABASE_URL: url } = databaseOf(dataDir);
  if (url === undefined) {
    const database = new DatabaseSync(join(dataDir, 'docyard.db'));
    database.exec('BEGIN IMMEDIATE');
    return () => {
      database.exec('ROLLBACK');
      database.close();
    };
  }
  const readOnly = (value: 'on' | 'off') =>
    runStatements(
      url,
      'SET default_transaction_read_only = off',
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = ${value}`,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  readOnly('on');
  return () => readOnly('off');
}
