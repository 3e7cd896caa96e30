import * as z from 'zod';
import { deploymentActions } from './constants.ts';
import { httpUrl, nullableTimestamp, timestamp, wholeNumber } from './primitives.ts';

const releaseId = z
  .string()
  .regex(/^r\d{1,9}-[0-9a-f]{8}$/, 'must be the id of a release, such as r7-1a2b3c4d')
  .meta({ description: 'The id of a release.', examples: ['r7-1a2b3c4d'] });

export const DeploymentRelease = z
  .strictObject({
    id: releaseId,
    version: z.string().max(256).nullable().describe('The version label of the export.'),
    commit: z.string().max(128).nullable().describe('The exported commit.'),
    committedAt: nullableTimestamp.describe('When the commit was made.'),
    pages: wholeNumber.describe('Number of pages.'),
    signedBy: z
      .string()
      .max(64)
      .nullable()
      .describe('The id of the key whose signature was verified; null if none was.'),
    installedAt: timestamp.describe('When the site installed the release.'),
    jobId: z.string().max(64).nullable().describe('The export, if the site knows it.'),
  })
  .meta({ id: 'DeploymentRelease' });
export type DeploymentRelease = z.infer<typeof DeploymentRelease>;

const held = z.strictObject({
  at: timestamp.describe('Time of the rollback.'),
  from: z.string().max(64).describe('The release that was rolled back.'),
});

const lastRefresh = z.strictObject({
  at: timestamp.describe('Time of the check.'),
  outcome: z.string().max(64).describe('The result. `refused`: a bundle was rejected.'),
  detail: z.string().max(1000).optional().describe('More about the result.'),
});

export const ReportDeployment = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,62}$/,
        'must be lower-case letters, digits, dots, dashes and underscores',
      )
      .meta({ description: 'Name of the site, unique for the key that reports.', examples: ['docs-eu-1'] }),
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
    isReady: z.boolean().describe('Whether the site serves a release.'),
    reason: z.string().max(1000).nullable().meta({ description: 'Why the site is not ready.' }),
    current: releaseId.nullable().describe('The release that is served.'),
    releases: z.array(DeploymentRelease).max(50).meta({ description: 'Installed releases, newest first.' }),
    held: held.nullable().meta({ description: 'Set after a rollback, until another release is installed.' }),
    lastRefresh: lastRefresh.nullable().describe('The last check for a newer bundle.'),
    finished: z
      .strictObject({
        id: z.string().max(64).describe('The id of the instruction.'),
        ok: z.boolean().describe('Whether the site has executed it.'),
        message: z.string().max(1000).describe('What the site says about it.'),
      })
      .nullable()
      .describe('The instruction that the site has executed or rejected.'),
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
    deploymentId: z.string().describe('The deployment.'),
    instruction: z
      .object({
        text: z.string().meta({ description: 'JSON: `deployment`, `nonce`, `id`, `action` and `release`.' }),
        signature: z
          .string()
          .meta({ description: 'A minisign signature of `text` by the key that signs bundles.' }),
      })
      .nullable()
      .describe('What the site should do; null for nothing.'),
  })
  .meta({ id: 'DeploymentReceipt' });
export type DeploymentReceipt = z.infer<typeof DeploymentReceipt>;

export const DeploymentInstruction = z
  .object({
    id: z.string().describe('The id of the instruction.'),
    action: z.enum(deploymentActions).describe('What the site should do.'),
    release: z.string().nullable().describe('The release to roll back to; null for the previous one.'),
    status: z
      .enum(['pending', 'done', 'failed', 'expired'])
      .describe('`pending` until the site reports that it has executed or rejected the instruction.'),
    requestedAt: timestamp.describe('Time of the request.'),
    requestedBy: z.string().describe('Who requested it: a key id, or the email of a user.'),
    finishedAt: nullableTimestamp.describe('When the site executed or rejected it, or when it expired.'),
    message: z.string().nullable().describe('What the site says about it.'),
  })
  .meta({ id: 'DeploymentInstruction' });
export type DeploymentInstruction = z.infer<typeof DeploymentInstruction>;

export const Deployment = z
  .object({
    id: z.string().meta({ description: 'Starts with `dp_`.', examples: ['dp_3f9a2c1b8e7d4a06'] }),
    name: z.string().describe('Name of the site.'),
    url: z.string().nullable().describe('Public URL of the site.'),
    projectId: z
      .string()
      .nullable()
      .describe('The project of the key that reports, or of the export that is served.'),
    health: z.enum(['ready', 'not_ready', 'not_seen']).meta({
      description: '`ready`: it serves a release. `not_seen`: the last three reports are missing.',
    }),
    reason: z.string().nullable().meta({ description: 'Why the site is not ready.' }),
    release: DeploymentRelease.nullable().meta({ description: 'The served release.' }),
    servingSince: nullableTimestamp.describe('When the current release went live.'),
    releases: z.array(DeploymentRelease).meta({ description: 'Installed releases, newest first.' }),
    held: z
      .object({
        at: timestamp.describe('Time of the rollback.'),
        from: z.string().describe('The release that was rolled back.'),
      })
      .nullable()
      .meta({ description: 'Set after a rollback, until another release is installed.' }),
    lastRefresh: z
      .object({
        at: timestamp.describe('Time of the check.'),
        outcome: z.string().describe('The result. `refused`: a bundle was rejected.'),
        detail: z.string().nullable().describe('More about the result.'),
      })
      .nullable()
      .describe('The last check for a newer bundle.'),
    acceptsInstructions: z.boolean().describe('Whether you can roll back the site from the service.'),
    instruction: DeploymentInstruction.nullable().meta({ description: 'The last instruction.' }),
    software: z.string().describe('Version of `docyard site`.'),
    reportSeconds: wholeNumber.describe('How often the site reports.'),
    firstSeenAt: timestamp.describe('Time of the first report.'),
    lastSeenAt: timestamp.describe('Time of the last report.'),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.infer<typeof Deployment>;

export const RollbackDeployment = z
  .strictObject({
    release: releaseId.optional().describe('A release that the site keeps. Default: the previous release.'),
  })
  .meta({ id: 'RollbackDeployment', examples: [{ release: 'r7-1a2b3c4d' }] });
export type RollbackDeployment = z.infer<typeof RollbackDeployment>;
