/**
 * Every record and request body on the wire, as zod schemas: the one place they are written down.
 * No code here may depend on the server; it runs in a browser.
 */
import { z } from 'zod';
import { ProjectAgent, SetProjectAgent } from './agent-schemas.ts';
import { errorCodes, failureCodes } from './errors.ts';
import {
  gitRef,
  httpUrl,
  Metadata,
  nullableTimestamp,
  overlapSeconds,
  sha256,
  staysInside,
  timestamp,
  wholeNumber,
} from './primitives.ts';
import { Role } from './people-schemas.ts';
import { Scope } from './scopes.ts';
import { IsolationLevel } from './site-schemas.ts';
import { exportStatuses } from './statuses.ts';

export * from './agent-schemas.ts';
export * from './people-schemas.ts';
export * from './site-schemas.ts';
export * from './statuses.ts';
export * from './webhook-schemas.ts';

export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'A sentence for a person, which says what to do next.' }),
    code: z.enum(errorCodes).meta({ description: 'Stable; compare with this one.' }),
    requestId: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const ProblemBody = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(errorCodes),
    requestId: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({
    id: 'Problem',
    description: 'The same facts after RFC 9457, for `Accept: application/problem+json`.',
  });
export type ProblemBody = z.infer<typeof ProblemBody>;

/** A bare host name, told apart from the common mistakes so that the message can say which one it was. */
export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .check((ctx) => {
    const complaint = complainAboutDomain(ctx.value);
    if (complaint !== undefined) {
      ctx.issues.push({ code: 'custom', message: complaint, input: ctx.value });
    }
  })
  .meta({ description: 'A bare host name such as `docs.example.com`.', examples: ['docs.example.com'] });

function complainAboutDomain(domain: string): string | undefined {
  const wanted = 'Give the bare host name, for example docs.example.com';
  if (domain === '') return `The domain is empty. ${wanted}.`;
  if (domain.includes('://')) return `The domain must not carry a scheme. ${wanted}, without https://.`;
  if (/[/?#]/.test(domain)) return `The domain must not carry a path. ${wanted}, without a slash.`;
  if (/:\d*$/.test(domain)) return `The domain must not carry a port. ${wanted}, without a colon and number.`;
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  if (domain.length > 253 || !new RegExp(`^${label}(\\.${label})*$`).test(domain)) {
    return `This is not a host name. ${wanted}.`;
  }
  return undefined;
}

/* Static export */

export const ExportStatus = z.enum(exportStatuses);

export const exportPhases = [
  'queued',
  'fetching',
  'loading',
  'rendering',
  'packing',
  'storing',
  'done',
] as const;

const pagePath = z.string().min(1).max(1024);

const finding = z.string().regex(/^[a-z][a-z_]{0,63}$/, 'Name a severity or the code of a finding.');

export const StartExport = z
  .strictObject({
    domain: Domain,
    version: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .meta({ description: 'A label of your own, kept with the export.' }),
    paths: z.array(pagePath).min(1).max(10_000).optional().meta({
      description: 'Only these pages, named without leading slash and extension. Default: every page.',
    }),
    ref: gitRef.optional().meta({ description: 'Branch, tag or commit. Default: the ref of the project.' }),
    basePath: z
      .string()
      .regex(
        /^\/([A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*)?$/,
        'A base path begins with a slash and ends without one.',
      )
      .max(128)
      .refine(staysInside, 'A base path has no ".." in it.')
      .optional()
      .meta({
        description: 'Where the site will live below its host. Only absolute addresses depend on it.',
      }),
    urlStyle: z.enum(['html', 'directory', 'clean']).optional(),
    groups: z.array(z.string().min(1).max(128)).max(100).optional(),
    airGapped: z.boolean().optional().meta({
      description: 'For readers without a network: pages offer nothing that needs one.',
    }),
    strict: z.boolean().optional().meta({ description: 'Fail the job when a page has an error.' }),
    failOn: z
      .array(finding)
      .min(1)
      .max(100)
      .optional()
      .meta({
        description:
          'Fail the job when the report holds one of these: `error`, `warning`, `info` (each with what is graver) or codes of findings.',
        examples: [['error', 'broken_link', 'broken_anchor']],
      }),
    webhookUrl: httpUrl.optional().meta({
      description: 'Told when this job has completed or failed, signed with the secret of the organization.',
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
    statement: z.string().meta({ description: 'What holds, and the name of what is missing.' }),
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
      .meta({ description: 'Percent. Never falls; 100 only once completed.' }),
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
      description: 'What the site was rendered behind. Null until then, and for exports of older versions.',
    }),
    purgedAt: nullableTimestamp.meta({ description: 'When retention removed the files.' }),
    retryOf: z.string().nullable(),
  })
  .meta({ id: 'ExportJob' });
export type ExportJob = z.infer<typeof ExportJob>;

export const linkSeconds = { least: 60, most: 604_800, usual: 3600 } as const;

/** The job whose bundle the caller already has. */
export const Since = z
  .string()
  .min(1)
  .max(64)
  .meta({
    description:
      'A completed export of the same project. The link is then to the delta from its bundle to this one: what changed and what is gone. `sizeBytes` and `sha256` are those of the delta.',
    examples: ['se_3f9a2c1b8e7d4a06'],
  });

export const CreateBundle = z
  .strictObject({
    ttlSeconds: z.int().min(linkSeconds.least).max(linkSeconds.most).optional(),
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
    publicKey: z.string().meta({ description: 'The line that `minisign -P` and `docyard verify` take.' }),
  })
  .meta({ id: 'SigningKey' });

/* Projects */

export const Source = z
  .strictObject({
    repository: z
      .string()
      .trim()
      .min(1)
      .max(2048)
      .meta({ description: 'An https:// git address, a file:// git address, or an absolute folder.' }),
    ref: gitRef.nullish(),
    directory: z
      .string()
      .max(1024)
      .refine(staysInside, 'The folder has no ".." in its path.')
      .nullish()
      .meta({ description: 'The folder that holds docs.json.' }),
  })
  .meta({ id: 'Source' });

const projectName = z.string().trim().min(1).max(128);

export const CreateProject = z
  .strictObject({ name: projectName, domain: Domain, source: Source })
  .meta({ id: 'CreateProject' });
export type CreateProject = z.infer<typeof CreateProject>;

export const UpdateProject = z
  .strictObject({
    name: projectName.optional(),
    domain: Domain.optional(),
    source: Source.optional(),
    agent: SetProjectAgent.optional().meta({
      description: 'For agent jobs. Parts that are left out stay as they are.',
    }),
  })
  .refine(
    (change) => Object.keys(change).length > 0,
    'Name at least one field to change: name, domain, source or agent.',
  )
  .meta({ id: 'UpdateProject' });
export type UpdateProject = z.infer<typeof UpdateProject>;

export const Project = z
  .object({
    id: z.string(),
    name: z.string(),
    domain: z.string(),
    source: z.object({
      repository: z.string(),
      ref: z.string().nullable(),
      directory: z.string().nullable(),
    }),
    agent: ProjectAgent,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;

/* Keys */

export const keyLifetimesDays = [7, 30, 60, 90] as const;

export const CreateKey = z
  .strictObject({
    name: z.string().trim().min(1).max(128),
    scopes: z.array(Scope).min(1).max(20).optional().meta({ description: 'Default: read and write.' }),
    expiresInDays: z
      .union([z.literal(keyLifetimesDays), z.null()])
      .optional()
      .meta({ description: 'Default 90; null for a key that does not expire.' }),
    allowedAddresses: z
      .array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'This is no IP address or CIDR range.'))
      .max(50)
      .optional()
      .meta({ description: 'IP addresses or CIDR ranges. Default: every address.' }),
    projectId: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'The only project the key can see and change. Default: as far as the caller.' }),
  })
  .meta({ id: 'CreateKey' });
export type CreateKey = z.infer<typeof CreateKey>;

export const RollKey = z
  .strictObject({
    overlapSeconds: overlapSeconds
      .optional()
      .meta({ description: 'How long the old key goes on working. Default 3600.' }),
  })
  .meta({ id: 'RollKey' });
export type RollKey = z.infer<typeof RollKey>;

const limitedTo = z
  .string()
  .nullable()
  .meta({ description: 'The only project the key can see and change; null for all.' });

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    last4: z.string(),
    scopes: z.array(Scope),
    allowedAddresses: z.array(z.string()),
    projectId: limitedTo,
    createdAt: timestamp,
    expiresAt: nullableTimestamp,
    lastUsedAt: nullableTimestamp,
    revokedAt: nullableTimestamp,
    rolledFrom: z.string().nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const CreatedKey = ApiKey.extend({
  key: z.string().meta({ description: 'The secret. Shown this once and never again.' }),
}).meta({ id: 'CreatedKey' });
export type CreatedKey = z.infer<typeof CreatedKey>;

/* Around them */

export const plans = ['free', 'pro', 'enterprise'] as const;
export const Plan = z.enum(plans).meta({ id: 'Plan' });
export type Plan = z.infer<typeof Plan>;

export const Me = z
  .object({
    organization: z.object({ id: z.string(), name: z.string(), plan: Plan }),
    key: z
      .object({
        id: z.string(),
        name: z.string(),
        scopes: z.array(Scope),
        projectId: limitedTo,
        expiresAt: nullableTimestamp,
      })
      .nullable()
      .meta({ description: 'Null when a person calls.' }),
    person: z
      .object({ id: z.string(), email: z.string(), name: z.string(), role: Role })
      .nullable()
      .meta({ description: 'Null when a key calls.' }),
    scopes: z.array(Scope).meta({ description: 'What the caller may do.' }),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;

export const AuditEntry = z
  .object({
    id: z.string(),
    at: timestamp,
    actor: z.string().meta({ description: 'A key id, or `cli`, or `system`.' }),
    action: z.string(),
    object: z.string().nullable(),
    address: z.string().nullable(),
    requestId: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    hash: sha256.meta({ description: 'Chains this entry to the one before it.' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const Health = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Health' });

export const Readiness = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    version: z.string(),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), message: z.string() })),
    isolation: Isolation.optional().meta({
      description:
        'What keeps sites from this machine while they are rendered. Left out while it is being tried.',
    }),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;

export const Page = {
  limit: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: '1 to 100, default 20.' }),
  cursor: z.string().min(1).max(512).optional().meta({ description: '`nextCursor` of the page before.' }),
};

export function listOf<T extends z.ZodType>(item: T, id: string) {
  return z.object({ data: z.array(item), nextCursor: z.string().nullable() }).meta({ id });
}
