/** Creates the Context from the Config. The only module that imports adapters. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operation } from '@docyard/api';
import { FolderBlobs } from './adapters/blobs/folder.ts';
import { InProcessChanges } from './adapters/changes/in-process.ts';
import { systemClock } from './adapters/clock/system.ts';
import type { OpeningOptions } from './adapters/database/migrate.ts';
import { openSqlite } from './adapters/database/sqlite.ts';
import { HttpForges } from './adapters/forge/forges.ts';
import { InProcessQueue } from './adapters/queue/in-process.ts';
import { GitAndFolderSources } from './adapters/sources/sources.ts';
import { noOpMeasures, noOpTracer } from './adapters/telemetry/no-op-telemetry.ts';
import { ConfigError } from '@docyard/site/errors';
import { type Config } from './config.ts';
import type { Context } from './context.ts';
import { prepareDataFolder } from './data-folder.ts';
import type { StartPreview } from './agent/preview.ts';
import type { OnRunStep } from './agent/journal.ts';
import type { ExportInput } from './exports/record.ts';
import { runExport } from './exports/run.ts';
import { viewExport } from './exports/view.ts';
import { disableMetadataService } from '@docyard/site/network';
import { policyFor, type PolicyFor } from './egress/rules.ts';
import { createJob } from './jobs/create-jobs.ts';
import type { Runner, Runners } from './jobs/worker.ts';
import { openServiceLog } from './log.ts';
import { makeChecks } from './operations/checks.ts';
import type { Blobs } from './ports/blobs.ts';
import type { Database } from './ports/database.ts';
import type { Measures } from './ports/telemetry.ts';
import { planOf } from './organizations/organizations.ts';
import { openSecrets } from './secrets.ts';
import { version } from './version.ts';

/** Features do not import each other, so the export that previews an agent's branch is started here. */
const startPreview: StartPreview = async (context, { ofJob, source }) => {
  if ((await planOf(context, ofJob.organization_id)) !== operation('startExport').plan) return undefined;
  const input: ExportInput = { request: { domain: ofJob.domain, ref: source.ref }, source };
  return createJob(context, {
    kind: 'export',
    organizationId: ofJob.organization_id,
    projectId: ofJob.project_id,
    domain: ofJob.domain,
    input,
    retryOf: null,
    previewOf: ofJob.id,
  });
};

const jobViews = (given: Pick<Context, 'config' | 'secrets'>): Context['views'] => {
  const agent = async () => (await import('./agent/read.ts')).agentView(given);
  return {
    export: { record: async (_database, job) => viewExport(job) },
    agent: {
      record: async (...change) => (await agent()).record(...change),
      extraEvents: async (...change) => (await agent()).extraEvents(...change),
    },
  };
};

export function createRunners({ onAgentStep }: { onAgentStep?: OnRunStep } = {}): Runners {
  /** Loaded with the first agent job, because many servers never run one. */
  const runAgent: Runner = async (context, input) => {
    const { agentRunner } = await import('./agent/run.ts');
    return agentRunner({ startPreview, onStep: onAgentStep })(context, input);
  };
  return { export: runExport, agent: runAgent };
}

export const runners: Runners = createRunners();

const warningIntervalMs = 10_000;

export type Telemetry = Pick<Context, 'measures' | 'tracer'>;

const noTelemetry: Telemetry = { measures: noOpMeasures, tracer: noOpTracer };

/** For serving processes only. */
export async function openTelemetry({ role, tracing }: Config): Promise<Telemetry> {
  const { PrometheusMeasures } = await import('./adapters/telemetry/prometheus.ts');
  const measures = new PrometheusMeasures({ version, role });
  if (tracing === null) return { measures, tracer: noOpTracer };
  const { OpenTelemetryTracer } = await import('./adapters/telemetry/opentelemetry.ts');
  return { measures, tracer: new OpenTelemetryTracer({ ...tracing, version, role }) };
}

/** The tables without the rest of the Context, for commands that inspect or copy them. */
export async function openTables(
  { databaseUrl: url, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  options: OpeningOptions = {},
): Promise<Database> {
  if (url === null) return openSqlite(join(dataDir, 'docyard.db'), options);
  const { openPostgres } = await import('./adapters/database/postgres.ts');
  return openPostgres({ url, waitSeconds: 3, ...options });
}

/** Creates or updates the tables of the queue, which SQLite does not have. */
export async function migrateQueue(url: string): Promise<void> {
  const { PgBossQueue } = await import('./adapters/queue/pg-boss.ts');
  const queue = await PgBossQueue.open({ url, changes: new InProcessChanges() });
  await queue.stop();
}

export { knownMigrations, listMigrations } from './adapters/database/migrate.ts';

export async function compose(config: Config, telemetry = noTelemetry): Promise<Context> {
  // Commands on PostgreSQL need no data folder.
  if (config.databaseUrl === null) await prepareDataFolder(config.dataDir);
  const log = openServiceLog(config);
  disableMetadataService(config.egress);
  const blobs = await openBlobs(config, telemetry.measures);
  const shared = await openDatabase(config, log, telemetry.measures);
  const close = async () => {
    await shared.queue.stop();
    await shared.changes.close();
    await shared.database.destroy();
    await telemetry.tracer.close();
  };
  try {
    const secrets = await openSecrets(config, shared.database);
    const policies: PolicyFor = (purpose, tenant) => policyFor(config.egress, purpose, tenant);
    const parts = { config, ...shared, blobs, secrets };
    return {
      config,
      version,
      checks: makeChecks(parts),
      secrets,
      ...shared,
      ...telemetry,
      blobs,
      sources: new GitAndFolderSources(policies),
      forges: new HttpForges(policies, systemClock),
      clock: systemClock,
      views: jobViews({ config, secrets }),
      log,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The queue and the announcements follow the database. PostgreSQL modules are loaded only when needed. */
async function openDatabase(
  config: Config,
  log: Context['log'],
  measures: Measures,
): Promise<Pick<Context, 'database' | 'queue' | 'changes'>> {
  const { databaseUrl: url, limits, autoMigrate } = config;
  const maxPerOrganization = limits.runningPerOrganization;
  const opening: OpeningOptions = {
    measures,
    pending: autoMigrate ? 'apply' : 'refuse',
    migrating: ({ backup, ...start }) =>
      backup === null
        ? log.info(start, 'migrating the database, which only pg_dump backs up')
        : log.info({ ...start, backup }, `copied the database to ${backup}, migrating it`),
    applied: (migrations) => log.info({ migrations }, 'migrated the database'),
  };
  if (url === null) {
    return {
      database: await openSqlite(join(config.dataDir, 'docyard.db'), opening),
      queue: new InProcessQueue(maxPerOrganization),
      changes: new InProcessChanges(),
    };
  }
  const [{ openPostgres }, { PostgresChanges }, { PgBossQueue }] = await Promise.all([
    import('./adapters/database/postgres.ts'),
    import('./adapters/changes/postgres.ts'),
    import('./adapters/queue/pg-boss.ts'),
  ]);
  const warningFor = (message: string) =>
    throttled((error) => log.warn({ err: error }, `${message}, retrying`));
  const waiting = (name: string, reason: string) =>
    log.warn({ database: name, reason }, `waiting for the database ${name}`);
  const database = await openPostgres({ url, waiting, ...opening });
  const changes = await PostgresChanges.open({ url, warn: warningFor('cannot receive announcements') });
  try {
    const warn = warningFor('cannot reach the queue');
    const queue = await PgBossQueue.open({ url, changes, maxPerOrganization, autoMigrate, warn });
    return { database, changes, queue };
  } catch (error) {
    await changes.close();
    await database.destroy();
    throw error;
  }
}

/** While the database is down, polling fails several times a second. */
function throttled(report: (error: unknown) => void): (error: unknown) => void {
  let quietUntilMs = 0;
  return (error) => {
    if (performance.now() < quietUntilMs) return;
    quietUntilMs = performance.now() + warningIntervalMs;
    report(error);
  };
}

export async function openBlobs(
  { blobsUrl: url, dataDir }: Pick<Config, 'blobsUrl' | 'dataDir'>,
  measures: Measures = noOpMeasures,
): Promise<Blobs> {
  if (url === null) return new FolderBlobs(join(dataDir, 'blobs'));
  try {
    if (url.startsWith('file:')) return new FolderBlobs(fileURLToPath(url));
    const { openS3Blobs } = await import('./adapters/blobs/s3.ts');
    return await openS3Blobs(url, measures);
  } catch (error) {
    throw new ConfigError(`BLOBS_URL cannot be used: ${(error as Error).message}`);
  }
}
