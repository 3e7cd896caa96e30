import * as z from 'zod';
import { exportPhases, exportStatuses, linkSeconds } from './constants.ts';
import { failureCodes } from './errors.ts';
import {
  Domain,
  gitRef,
  httpUrl,
  Metadata,
  nullableTimestamp,
  sha256,
  staysInside,
  timestamp,
  wholeNumber,
} from './primitives.ts';
import { IsolationLevel } from './site-schemas.ts';

export const ExportStatus = z.enum(exportStatuses);

const pagePath = z.string().min(1).max(1024);

const finding = z.string().regex(/^[a-z][a-z_]{0,63}$/, 'Use a severity or the code of a finding.');

export const CustomScripts = z.enum(['skip', 'include']);

export const StartExport = z
  .strictObject({
    domain: Domain,
    version: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .meta({ description: 'A label that is stored with the export.' }),
    paths: z.array(pagePath).min(1).max(10_000).optional().meta({
      description: 'Only these pages, named without leading slash and extension. Default: every page.',
    }),
    ref: gitRef.optional().meta({ description: 'Branch, tag or commit. Default: the ref of the project.' }),
    basePath: z
      .string()
      .regex(
        /^\/([A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*)?$/,
        'A base path must begin with a slash and must not end with one.',
      )
      .max(128)
      .refine(staysInside, 'A base path must not contain "..".')
      .optional()
      .meta({
        description: 'The path of the site on its host. Only absolute URLs depend on it.',
      }),
    urlStyle: z.enum(['html', 'directory', 'clean']).optional(),
    groups: z.array(z.string().min(1).max(128)).max(100).optional(),
    airGapped: z.boolean().optional().meta({
      description: 'Omit features that need a network.',
    }),
    customScripts: CustomScripts.optional().meta({
      description:
        'Whether scripts of the repository (`*.js`) run on every page. They run in the browsers of readers, never in the service. Default: the setting of the project, `skip` unless it was changed.',
    }),
    strict: z.boolean().optional().meta({ description: 'Fail the job when a page has an error.' }),
    failOn: z
      .array(finding)
      .min(1)
      .max(100)
      .optional()
      .meta({
        description:
          'Fail the job when the report contains one of these: `error`, `warning`, `info` (each includes more severe findings) or codes of findings.',
        examples: [['error', 'broken_link', 'broken_anchor']],
      }),
    webhookUrl: httpUrl.optional().meta({
      description:
        'Receives a message when this job has completed or failed, signed with the secret of the organization.',
    }),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'StartExport' });
export type StartExport = z.infer<typeof StartExport>;

export const Failure = z
  .object({
    code: z.enum(failureCodes),
    message: z.string(),
    file: z.string().nullable(),
    line: z.int().nullable(),
    hint: z.string().nullable(),
    retryable: z.boolean(),
  })
  .meta({ id: 'Failure' });
export type Failure = z.infer<typeof Failure>;

export const CanceledBy = z
  .object({
    actor: z.string().meta({ description: 'A key id, the email of a user, `cli` or `system`.' }),
    name: z.string().meta({ description: 'The name of the actor at that time.' }),
  })
  .meta({
    id: 'CanceledBy',
    description: 'Who asked to cancel the job. Null when it was not canceled, or before this was recorded.',
  });
export type CanceledBy = z.infer<typeof CanceledBy>;

const recentFinding = z.object({
  severity: z.enum(['error', 'warning', 'info']),
  code: z.string(),
  message: z.string(),
  file: z.string(),
  line: z.int().nullable(),
});

export const Isolation = z
  .object({
    level: IsolationLevel,
    statement: z
      .string()
      .meta({ description: 'The protections that are active, and those that are missing.' }),
  })
  .meta({ id: 'Isolation' });
export type Isolation = z.infer<typeof Isolation>;

export const ExportJob = z
  .object({
    jobId: z.string().meta({ examples: ['se_3f9a2c1b8e7d4a06'] }),
    status: ExportStatus,
    progress: z
      .number()
      .min(0)
      .max(100)
      .meta({ description: 'Percent. Never decreases; 100 only when completed.' }),
    pageCount: wholeNumber.meta({ description: 'Pages exported so far.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
    error: z.string().optional().meta({ description: 'Only when the job failed.' }),
    totalPages: wholeNumber.nullable(),
    phase: z.enum(exportPhases),
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
    attempt: wholeNumber,
    failure: Failure.nullable(),
    canceledBy: CanceledBy.nullable(),
    domain: z.string(),
    projectId: z.string(),
    version: z.string().nullable(),
    source: z.object({
      repository: z.string(),
      ref: z.string().nullable(),
      directory: z.string().nullable(),
      commit: z.string().nullable().meta({ description: 'Null until fetched, and for a plain folder.' }),
    }),
    options: z.object({
      paths: z.array(z.string()).nullable(),
      basePath: z.string().nullable(),
      urlStyle: z.enum(['html', 'directory', 'clean']),
      groups: z.array(z.string()),
      airGapped: z.boolean(),
      customScripts: CustomScripts,
      strict: z.boolean(),
      failOn: z.array(z.string()),
    }),
    metadata: z.record(z.string(), z.string()),
    warnings: wholeNumber,
    recentFindings: z
      .array(recentFinding)
      .meta({ description: 'The last 20 findings, also while the job runs. The report has all of them.' }),
    bundle: z.object({ sizeBytes: wholeNumber, sha256, fileCount: wholeNumber }).nullable(),
    isolation: Isolation.nullable().meta({
      description:
        'The isolation that the site was rendered with. Null before rendering, and for exports of older versions.',
    }),
    purgedAt: nullableTimestamp.meta({ description: 'When retention removed the files.' }),
    retryOf: z.string().nullable(),
  })
  .meta({ id: 'ExportJob' });
export type ExportJob = z.infer<typeof ExportJob>;

export const Since = z
  .string()
  .min(1)
  .max(64)
  .meta({
    description:
      'A completed export of the same project. The link is then for a delta that contains the changed files and the list of removed files. `sizeBytes` and `sha256` are those of the delta.',
    examples: ['se_3f9a2c1b8e7d4a06'],
  });

export const CreateBundle = z
  .strictObject({
    ttlSeconds: z.int().min(linkSeconds.min).max(linkSeconds.max).optional(),
    since: Since.optional(),
  })
  .meta({ id: 'CreateBundle' });
export type CreateBundle = z.infer<typeof CreateBundle>;

export const Bundle = z
  .object({
    jobId: z.string(),
    bundleUrl: z.url(),
    sizeBytes: wholeNumber,
    expiresAt: timestamp,
    sha256,
  })
  .meta({ id: 'Bundle' });
export type Bundle = z.infer<typeof Bundle>;

export const SigningKey = z
  .object({
    keyId: z.string().regex(/^[0-9A-F]{16}$/),
    publicKey: z.string().meta({ description: 'The argument of `minisign -P` and `docyard verify`.' }),
  })
  .meta({ id: 'SigningKey' });
