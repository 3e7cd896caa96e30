/**
 * The operations by which people judge: sources before there is a project, exports side by side or as a site, the
 * installation.
 */
import { scopesGrant, type System } from '@docyard/api';
import type { Context } from '../../context.ts';
import { freeBytesOf } from '../../data-folder.ts';
import { checkSource } from '../../exports/check-source.ts';
import { compareFindings } from '../../exports/compare-findings.ts';
import { compareExports } from '../../exports/compare.ts';
import { readInsights } from '../../exports/insights.ts';
import { readPageChange } from '../../exports/page-change.ts';
import { createPreview } from '../../exports/previews.ts';
import { countBundles, findExport } from '../../exports/read.ts';
import { countOpenJobs } from '../../jobs/observing.ts';
import { jobsOf } from '../../jobs/transitions.ts';
import { isPostgres } from '../../ports/database.ts';
import { findIsolation } from '../../rendering/isolation.ts';
import { readFailingWebhooks } from '../../webhooks/failing-webhooks.ts';
import { lastSequence, streamAllExports } from '../events.ts';
import type { Handlers } from '../request.ts';
import { checkReadiness } from './health.ts';

type ReviewHandlers = Pick<
  Handlers,
  | 'checkSource'
  | 'followExports'
  | 'createPreview'
  | 'compareExports'
  | 'readPageChange'
  | 'compareFindings'
  | 'readInsights'
  | 'readSystem'
>;

export function reviewHandlers(startedAt: Date, stopping: AbortSignal): ReviewHandlers {
  return {
    checkSource: async ({ context, caller, input, commit, web }) => {
      const signal = AbortSignal.any([stopping, web.req.raw.signal]);
      const given = { ...input.body, reach: caller, allowLocal: caller.localSources, signal };
      const body = await checkSource(context, given);
      return commit(async () => ({ body }));
    },

    followExports: async ({ context, caller, web }) => {
      const cut = () => web.env.outgoing.destroy();
      return streamAllExports(context, { reach: caller, after: lastSequence(web), stopping, cut });
    },

    createPreview: async ({ context, caller, input, commit }) => {
      const where = { id: input.params.jobId, reach: caller };
      const body = await createPreview(context, await findExport(context, where));
      return commit(async () => ({ body }));
    },

    compareExports: async ({ context, caller, input }) => {
      const where = { id: input.params.jobId, reach: caller };
      const job = await findExport(context, where);
      return { body: await compareExports(context, { job, older: input.query.with, reach: caller }) };
    },

    readPageChange: async ({ context, caller, input: { params, query } }) => {
      const job = await findExport(context, { id: params.jobId, reach: caller });
      const given = { job, older: query.with, path: query.path, reach: caller };
      return { body: await readPageChange(context, given) };
    },

    compareFindings: async ({ context, caller, input: { params, query } }) => {
      const job = await findExport(context, { id: params.jobId, reach: caller });
      return { body: await compareFindings(context, { job, older: query.with, reach: caller }) };
    },

    readInsights: async ({ context, caller, input: { query } }) => {
      const { days, projectId } = query;
      const seesWebhooks = caller.projectId === null && scopesGrant(caller.scopes, 'webhooks:read');
      const [numbers, webhooks] = await Promise.all([
        readInsights(context, { days, projectId, reach: caller }),
        seesWebhooks ? readFailingWebhooks(context, caller.organizationId) : null,
      ]);
      return { body: { ...numbers, webhooks } };
    },

    readSystem: ({ context, caller: { organizationId }, remember }) =>
      remember(jobsOf(organizationId), async () => ({
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
  // Rounded, so that an answer stays the same while nothing worth telling happens.
  return freeBytes === null ? null : Math.floor(freeBytes / roundedBytes) * roundedBytes;
}
