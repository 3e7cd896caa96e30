import * as z from 'zod';
import { deploymentActions } from './constants.ts';
import { httpUrl, nullableTimestamp, timestamp, wholeNumber } from './primitives.ts';

const releaseId = z
  .string()
  .regex(/^r\d{1,9}-[0-9a-f]{8}$/, 'must be the id of a release, such as r7-1a2b3c4d')
  .meta({ examples: ['r7-1a2b3c4d'] });

export const DeploymentRelease = z
  .strictObject({
    id: releaseId,
    version: z.string().max(256).nullable(),
    commit: z.string().max(128).nullable(),
    committedAt: nullableTimestamp,
    pages: wholeNumber,
    signedBy: z.string().max(64).nullable(),
    installedAt: timestamp,
    jobId: z.string().max(64).nullable().meta({ description: 'The export, when the site knows it.' }),
  })
  .meta({ id: 'DeploymentRelease' });
export type DeploymentRelease = z.infer<typeof DeploymentRelease>;

const held = z.strictObject({ at: timestamp, from: z.string().max(64) });

const lastRefresh = z.strictObject({
  at: timestamp,
  outcome: z.string().max(64),
  detail: z.string().max(1000).optional(),
});

export const ReportDeployment = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,62}$/,
        'must be lower-case letters, digits, dots, dashes and underscores',
      )
      .meta({ description: 'Unique for the key that reports.', examples: ['docs-eu-1'] }),
    url: httpUrl.nullable().meta({ description: 'The public URL of the site.' }),
    software: z.string().max(64).meta({ description: 'Version of `docyard site`.' }),
    reportSeconds: z.int().min(1).max(3600).meta({ description: 'How often the site reports.' }),
    acceptsInstructions: z
      .boolean()
      .meta({ description: 'Whether the site follows `rollback` and `resume`.' }),
    nonce: z
      .string()
      .regex(/^[A-Za-z0-9_-]{16,64}$/)
      .meta({ description: 'Random. Part of the signed text in the response.' }),
    isReady: z.boolean(),
    reason: z.string().max(1000).nullable().meta({ description: 'Why the site is not ready.' }),
    current: releaseId.nullable(),
    releases: z.array(DeploymentRelease).max(50).meta({ description: 'Installed releases, newest first.' }),
    held: held.nullable().meta({ description: 'Set after a rollback, until another release is installed.' }),
    lastRefresh: lastRefresh.nullable(),
    finished: z
      .strictObject({
        id: z.string().max(64),
        ok: z.boolean(),
        message: z.string().max(1000),
      })
      .nullable()
      .meta({ description: 'The instruction that the site has followed or refused.' }),
  })
  .meta({ id: 'ReportDeployment' });
export type ReportDeployment = z.infer<typeof ReportDeployment>;

/** The content of `text` in the response to a report. */
export const SignedInstruction = z.object({
  deployment: z.string(),
  nonce: z.string(),
  id: z.string(),
  action: z.enum(deploymentActions),
  release: z.string().nullable(),
});
export type SignedInstruction = z.infer<typeof SignedInstruction>;

export const DeploymentReceipt = z
  .object({
    deploymentId: z.string(),
    instruction: z
      .object({
        text: z.string().meta({ description: 'JSON: `deployment`, `nonce`, `id`, `action` and `release`.' }),
        signature: z
          .string()
          .meta({ description: 'A minisign signature of `text` by the key that signs bundles.' }),
      })
      .nullable(),
  })
  .meta({ id: 'DeploymentReceipt' });
export type DeploymentReceipt = z.infer<typeof DeploymentReceipt>;

export const DeploymentInstruction = z
  .object({
    id: z.string(),
    action: z.enum(deploymentActions),
    release: z.string().nullable(),
    status: z.enum(['pending', 'done', 'failed', 'expired']),
    requestedAt: timestamp,
    requestedBy: z.string().meta({ description: 'A key id, or the email of a user.' }),
    finishedAt: nullableTimestamp,
    message: z.string().nullable().meta({ description: 'The response of the site.' }),
  })
  .meta({ id: 'DeploymentInstruction' });
export type DeploymentInstruction = z.infer<typeof DeploymentInstruction>;

export const Deployment = z
  .object({
    id: z.string().meta({ examples: ['dp_3f9a2c1b8e7d4a06'] }),
    name: z.string(),
    url: z.string().nullable(),
    projectId: z.string().nullable(),
    health: z.enum(['ready', 'not_ready', 'not_seen']).meta({
      description: '`not_seen`: the last three reports are missing.',
    }),
    reason: z.string().nullable().meta({ description: 'Why the site is not ready.' }),
    release: DeploymentRelease.nullable().meta({ description: 'The served release.' }),
    servingSince: nullableTimestamp,
    releases: z.array(DeploymentRelease).meta({ description: 'Installed releases, newest first.' }),
    held: z
      .object({ at: timestamp, from: z.string() })
      .nullable()
      .meta({ description: 'Set after a rollback, until another release is installed.' }),
    lastRefresh: z
      .object({ at: timestamp, outcome: z.string(), detail: z.string().nullable() })
      .nullable()
      .meta({ description: 'The last check for a newer bundle. `refused`: a bundle was rejected.' }),
    acceptsInstructions: z.boolean(),
    instruction: DeploymentInstruction.nullable().meta({ description: 'The last instruction.' }),
    software: z.string(),
    reportSeconds: wholeNumber,
    firstSeenAt: timestamp,
    lastSeenAt: timestamp,
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof Deployment>;

export const RollbackDeployment = z
  .strictObject({
    release: releaseId.optional().meta({ description: 'Default: the release before the served one.' }),
  })
  .meta({ id: 'RollbackDeployment' });
export type RollbackDeployment = z.infer<typeof RollbackDeployment>;
