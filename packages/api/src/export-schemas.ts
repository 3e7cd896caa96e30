import * as z from 'zod';
import { exportPhases, exportStatuses, linkSeconds } from './constants.ts';
import { failureCodes } from './errors.ts';
import { exampleExportJob } from './examples.ts';
import {
  createdAt,
  Domain,
  gitRef,
  httpUrl,
  Metadata,
  nullableTimestamp,
  sha256,
  staysInside,
  timestamp,
  updatedAt,
  wholeNumber,
} from './primitives.ts';
import { IsolationLevel } from './site-schemas.ts';

export const ExportStatus = z.enum(exportStatuses);

const pagePath = z.string().min(1).max(1024);

const finding = z.string().regex(/^[a-z][a-z_]{0,63}$/, 'Use a severity or the code of a finding.');

export const CustomScripts = z.enum(['skip', 'include']);

export const GroupNames = z.array(z.string().min(1).max(128)).max(100);

export const StartExport = z
  .strictObject({
    domain: Domain,
    version: z.string().min(1).max(128).optional().describe('Your version label, stored with the export.'),
    paths: z.array(pagePath).min(1).max(10_000).optional().meta({
      description:
        'Only these pages, without leading slash and extension. Default: every page. An unknown page is rejected with `invalid_request`; if the source cannot be read in time for this check, the job fails with `unknown_paths`.',
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
        description: 'The path of the site on its host, such as `/docs`. Only absolute URLs depend on it.',
      }),
    urlStyle: z
      .enum(['html', 'directory', 'clean'])
      .optional()
      .describe('The form of page addresses: `page.html`, `page/index.html` or `page`. Default: `html`.'),
    audience: GroupNames.optional().describe(
      'Names of reader groups. The bundle contains, for everyone, what the members of exactly these groups see. Default: the bundle contains the pages of all readers; those that only some see are sealed.',
    ),
    groups: GroupNames.optional().describe('Another name of `audience`, which has precedence.'),
    airGapped: z.boolean().optional().meta({
      description:
        'Omit features that need a network, such as the request form of API pages. Default: `false`.',
    }),
    customScripts: CustomScripts.optional().meta({
      description:
        'Whether scripts of the repository (`*.js`) run on every page. They run in the browsers of readers, never in the service. Default: the setting of the project, `skip` unless it was changed.',
    }),
    strict: z
      .boolean()
      .optional()
      .describe('Fail the job if the report contains an error. Default: `false`.'),
    failOn: z
      .array(finding)
      .min(1)
      .max(100)
      .optional()
      .meta({
        description:
          'Fail the job if the report contains one of these: `error`, `warning`, `info` (each includes more severe findings) or codes of findings.',
        examples: [['error', 'broken_link', 'broken_anchor']],
      }),
    webhookUrl: httpUrl.optional().meta({
      description:
        'Receives a message when this job has completed or failed, signed with the secret of the organization.',
    }),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'StartExport', examples: [{ domain: 'docs.example.com', version: '2.4.1', strict: true }] });
export type StartExport = z.infer<typeof StartExport>;

export const Failure = z
  .object({
    code: z.enum(failureCodes).describe('Stable. Compare this field, not the message.'),
    message: z.string().describe('What failed, for people.'),
    file: z.string().nullable().describe('The file that caused the failure, relative to the docs folder.'),
    line: z.int().nullable().describe('The line in the file, from 1.'),
    hint: z.string().nullable().describe('What to do.'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
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
  severity: z.enum(['error', 'warning', 'info']).describe('How serious the finding is.'),
  code: z.string().describe('The kind of finding.'),
  message: z.string().describe('A message for the author.'),
  file: z.string().describe('The file, relative to the docs folder.'),
  line: z.int().nullable().describe('Line in the file, from 1.'),
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
    jobId: z.string().meta({ description: 'The id of the job.', examples: ['se_3f9a2c1b8e7d4a06'] }),
    status: ExportStatus.describe('The state of the job. `completed` and `failed` are final.'),
    progress: z
      .number()
      .min(0)
      .max(100)
      .meta({ description: 'Percent. Never decreases; 100 only when completed.' }),
    pageCount: wholeNumber.meta({ description: 'Pages exported so far.' }),
    createdAt,
    updatedAt,
    error: z.string().optional().describe('Why the job failed, as one message. Absent otherwise.'),
    totalPages: wholeNumber.nullable().describe('Pages to export. Null until the site is loaded.'),
    phase: z.enum(exportPhases).describe('What the worker does now.'),
    startedAt: nullableTimestamp.describe('When a worker first started the job.'),
    finishedAt: nullableTimestamp.describe('When the job completed or failed.'),
    attempt: wholeNumber.describe('The number of attempts so far. A new one starts after a worker was lost.'),
    failure: Failure.nullable().describe('Why the job failed, for programs. Null otherwise.'),
    canceledBy: CanceledBy.nullable().describe('Who canceled the job. Null if it was not canceled.'),
    domain: z.string().describe('The domain, as requested.'),
    projectId: z.string().describe('The project of the domain.'),
    version: z.string().nullable().describe('Your version label.'),
    source: z
      .object({
        repository: z.string().describe('The repository or folder.'),
        ref: z.string().nullable().describe('Branch, tag or commit that was requested.'),
        directory: z.string().nullable().describe('The folder that contains `docs.json`.'),
        commit: z
          .string()
          .nullable()
          .describe('The exported commit. Null until it is fetched, and for a plain folder.'),
      })
      .describe('Where the site comes from.'),
    options: z
      .object({
        paths: z.array(z.string()).nullable().describe('The exported pages; null for all.'),
        basePath: z.string().nullable().describe('The path of the site on its host.'),
        urlStyle: z.enum(['html', 'directory', 'clean']).describe('The form of page addresses.'),
        groups: z.array(z.string()).describe('The audience of the bundle; empty for all readers.'),
        airGapped: z.boolean().describe('Whether features that need a network are omitted.'),
        customScripts: CustomScripts.describe('Whether pages run the scripts of the repository.'),
        strict: z.boolean().describe('Whether an error in the report fails the job.'),
        failOn: z.array(z.string()).describe('Severities and codes of findings that fail the job.'),
      })
      .describe('The options of the request, with defaults.'),
    metadata: z.record(z.string(), z.string()).describe('Your entries, as requested.'),
    warnings: wholeNumber.describe('Number of warnings in the report. 0 until the job is completed.'),
    recentFindings: z
      .array(recentFinding)
      .meta({ description: 'The last 20 findings, also while the job runs. The report has all of them.' }),
    bundle: z
      .object({
        sizeBytes: wholeNumber.describe('Size of the archive.'),
        sha256: sha256.describe('SHA-256 of the archive, in hexadecimal.'),
        fileCount: wholeNumber.describe('Number of files in the archive.'),
      })
      .nullable()
      .describe('The result. Null until the job is completed.'),
    isolation: Isolation.nullable().meta({
      description:
        'The isolation that the site was rendered with. Null before rendering, and for exports of older versions.',
    }),
    purgedAt: nullableTimestamp.meta({ description: 'When retention removed the files.' }),
    retryOf: z.string().nullable().describe('The job that this one repeats.'),
    trigger: z
      .object({
        kind: z.literal('push').describe('Always `push`.'),
        eventId: z.string().describe('The forge event.'),
        commit: z
          .string()
          .describe('The commit of the event. The export has the one that the branch had when it started.'),
      })
      .nullable()
      .describe('The event that started the export; null if a caller did.'),
  })
  .meta({ id: 'ExportJob', examples: [exampleExportJob] });
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
    ttlSeconds: z
      .int()
      .min(linkSeconds.min)
      .max(linkSeconds.max)
      .optional()
      .describe('Lifetime of the link. The default is the setting `LINK_SECONDS`, normally 3600.'),
    since: Since.optional(),
  })
  .meta({ id: 'CreateBundle', examples: [{ ttlSeconds: 3600 }] });
export type CreateBundle = z.infer<typeof CreateBundle>;

export const Bundle = z
  .object({
    jobId: z.string().describe('The job that created the bundle.'),
    bundleUrl: z.url().describe('The download link. It needs no key.'),
    sizeBytes: wholeNumber.describe('Size of the archive, or of the delta.'),
    expiresAt: timestamp.describe('When the link expires.'),
    sha256: sha256.describe('SHA-256 of the archive or the delta, in hexadecimal.'),
  })
  .meta({ id: 'Bundle' });
export type Bundle = z.infer<typeof Bundle>;

export const SigningKey = z
  .object({
    keyId: z
      .string()
      .regex(/^[0-9A-F]{16}$/)
      .describe('16 hexadecimal digits, as minisign prints them.'),
    publicKey: z.string().meta({ description: 'The argument of `minisign -P` and `docyard verify`.' }),
  })
  .meta({ id: 'SigningKey' });
