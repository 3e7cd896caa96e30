import type { System } from '@docyard/api';
import type { Context } from '../../context.ts';
import { freeBytesOf } from '../../data-folder.ts';
import { countBundles } from '../../exports/read.ts';
import { countOpenJobs } from '../../jobs/job-metrics.ts';
import { jobsOf } from '../../jobs/transitions.ts';
import { isPostgres } from '../../ports/database.ts';
import { findIsolation } from '../../sandbox/isolation.ts';
import type { Handlers } from '../request.ts';
import { checkReadiness } from './health.ts';

export function systemHandlers(startedAt: Date, stopping: AbortSignal): Pick<Handlers, 'readSystem'> {
  return {
    readSystem: ({ context, caller: { organizationId }, cached }) =>
      cached(jobsOf(organizationId), async () => ({
        body: await describeSystem(context, { organizationId, startedAt, draining: stopping.aborted }),
      })),
  };
}

async function describeSystem(
  context: Context,
  given: { organizationId: string; startedAt: Date; draining: boolean },
): Promise<System> {
  const { config, database, secrets } = context;
  const { organizationId, startedAt, draining } = given;
  const [{ version, checks }, isolation, open, bundles, freeBytes] = await Promise.all([
    checkReadiness(context, draining),
    isolationOf(config),
    countOpenJobs(context, organizationId),
    countBundles(context, organizationId),
    freeBytesOfStore(config),
  ]);
  const countOf = (kind: string, status: string) =>
    open.find((each) => each.kind === kind && each.status === status)?.count ?? 0;
  const openOf = (kind: string) => ({ queued: countOf(kind, 'queued'), running: countOf(kind, 'running') });
  const { keyId, publicKey } = secrets.signer;
  return {
    version,
    startedAt: startedAt.toISOString(),
    checks,
    isolation,
    queue: { exports: openOf('export'), agentJobs: openOf('agent') },
    storage: { kind: isBucket(config) ? 's3' : 'folder', bundles, freeBytes },
    agent: { configured: context.config.model !== null || context.config.agentCommand !== null },
    database: { kind: isPostgres(database) ? 'postgresql' : 'sqlite' },
    signingKey: { keyId, publicKey },
  };
}

async function isolationOf({ agentCommand }: Context['config']): Promise<System['isolation']> {
  const { level, statement } = await findIsolation();
  return { level, statement, agents: agentCommand === null ? 'process' : 'sandbox' };
}

function isBucket({ blobsUrl }: Context['config']): boolean {
  return blobsUrl?.startsWith('s3:') ?? false;
}

const roundedBytes = 100_000_000;

async function freeBytesOfStore(config: Context['config']): Promise<number | null> {
  if (isBucket(config)) return null;
  const folder = config.blobsUrl === null ? config.dataDir : new URL(config.blobsUrl);
  const freeBytes = await freeBytesOf(folder).catch(() => null);
  // Rounded, so that the response and its ETag stay stable.
  return freeBytes === null ? null : Math.floor(freeBytes / roundedBytes) * roundedBytes;
}
