/**
 * Config in, Context out: the only file that knows the adapters by name.
 */
import { join } from 'node:path';
import { pino } from 'pino';
import { FolderBlobs } from './adapters/blobs/folder.ts';
import { InProcessChanges } from './adapters/changes/in-process.ts';
import { systemClock } from './adapters/clock/system.ts';
import { openSqlite } from './adapters/database/sqlite.ts';
import { HttpForges } from './adapters/forge/forges.ts';
import { InProcessQueue } from './adapters/queue/in-process.ts';
import { GitAndFolderSources } from './adapters/sources/sources.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { prepareDataFolder, readSecrets } from './data-folder.ts';
import type { StartPreview } from './agent/preview.ts';
import type { ExportInput } from './exports/record.ts';
import { runExport } from './exports/run.ts';
import { viewExport } from './exports/view.ts';
import { createJob } from './jobs/store.ts';
import type { Runner, Runners } from './jobs/worker.ts';
import { version } from './version.ts';

/** Features do not know each other; an agent's branch is shown by an ordinary export all the same. */
const startPreview: StartPreview = (context, { ofJob, source }) => {
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

/** The engine, its tools and the renderer they call come with the first agent job; many servers never run one. */
const runAgent: Runner = async (context, input) => {
  const { agentRunner } = await import('./agent/run.ts');
  return agentRunner({ startPreview })(context, input);
};

const jobViews = (given: Pick<Context, 'config' | 'secrets'>): Context['views'] => {
  const agent = async () => (await import('./agent/telling.ts')).agentView(given);
  return {
    export: { record: async (_database, job) => viewExport(job) },
    agent: {
      record: async (...change) => (await agent()).record(...change),
      alsoHappened: async (...change) => (await agent()).alsoHappened(...change),
    },
  };
};

export const runners: Runners = { export: runExport, agent: runAgent };

export async function compose(config: Config): Promise<Context> {
  await prepareDataFolder(config.dataDir);
  const secrets = await readSecrets(config.dataDir);
  return {
    config,
    version,
    secrets,
    database: await openSqlite(join(config.dataDir, 'docyard.db')),
    blobs: new FolderBlobs(join(config.dataDir, 'blobs')),
    queue: new InProcessQueue(config.limits.runningPerOrganization),
    sources: new GitAndFolderSources(config.egress),
    forges: new HttpForges(config.egress, systemClock),
    clock: systemClock,
    changes: new InProcessChanges(),
    views: jobViews({ config, secrets }),
    // Standard output is for people; the log goes to the other stream.
    log: pino(
      { level: config.logLevel, base: null, redact: ['*.authorization', '*.key'] },
      pino.destination(2),
    ),
  };
}
