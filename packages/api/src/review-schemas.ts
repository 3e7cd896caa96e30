/** Source checks, previews, comparisons of exports, and the system status. */
import * as z from 'zod';
import { SetForgeCredential } from './project-agent-schemas.ts';
import { failureCodes } from './errors.ts';
import { nullableTimestamp, timestamp, wholeNumber } from './primitives.ts';
import { Isolation, SigningKey } from './export-schemas.ts';
import { Source } from './project-schemas.ts';
import { Diagnostic } from './site-schemas.ts';

export const CheckSource = z
  .strictObject({
    source: Source,
    projectId: z.string().min(1).max(64).optional().meta({
      description:
        'The project that the source is for. Its credential is used if the repository is on the same host as its current one.',
    }),
    credential: SetForgeCredential.optional().meta({
      description: 'Used for this check instead of the credential of the project. It is not stored.',
    }),
  })
  .meta({ id: 'CheckSource' });
export type CheckSource = z.infer<typeof CheckSource>;

export const SourceCheck = z
  .object({
    ok: z.boolean().meta({ description: 'True when an export of this source would find pages.' }),
    commit: z
      .string()
      .nullable()
      .meta({ description: 'Null for a plain folder, and when nothing was found.' }),
    configFile: z
      .string()
      .nullable()
      .meta({ examples: ['docs.json'] }),
    name: z.string().nullable().meta({ description: 'The name of the site.' }),
    pages: wholeNumber,
    problem: z
      .object({ code: z.enum(failureCodes), message: z.string(), hint: z.string().nullable() })
      .nullable()
      .meta({ description: 'Why the source is not usable. The codes are those of a failed export.' }),
  })
  .meta({ id: 'SourceCheck' });
export type SourceCheck = z.infer<typeof SourceCheck>;

export const Preview = z
  .object({
    jobId: z.string(),
    previewUrl: z.string().meta({
      description: 'A path on this server. Anyone who has it can read the site until it expires.',
    }),
    expiresAt: timestamp,
  })
  .meta({ id: 'Preview' });
export type Preview = z.infer<typeof Preview>;

const comparedSide = z.object({
  jobId: z.string(),
  version: z.string().nullable(),
  commit: z.string().nullable(),
  committedAt: nullableTimestamp,
  pages: wholeNumber,
  bytes: wholeNumber.meta({ description: 'Of all files, uncompressed.' }),
});

const comparedPage = z.object({
  path: z.string().meta({ examples: ['/guides/start'] }),
  title: z.string().nullable().meta({
    description: 'Null for a page without a title, and for exports of older versions.',
  }),
});

const changedPage = comparedPage.extend({
  titleBefore: z.string().nullable().meta({ description: 'In the older export.' }),
});

const filePaths = z.array(z.string());

export const Comparison = z
  .object({
    identical: z.boolean(),
    from: comparedSide,
    to: comparedSide,
    pages: z.object({
      added: z.array(comparedPage),
      changed: z.array(changedPage),
      removed: z.array(comparedPage),
      moved: z.array(changedPage.extend({ from: z.string(), changed: z.boolean() })),
      restyled: filePaths.meta({ description: 'Pages whose content is unchanged and whose layout changed.' }),
    }),
    files: z
      .object({ added: filePaths, changed: filePaths, removed: filePaths })
      .meta({ description: 'Files that are not pages.' }),
    changedBytes: wholeNumber.meta({
      description: 'Size of the new and changed files, uncompressed.',
    }),
  })
  .meta({ id: 'Comparison' });
export type Comparison = z.infer<typeof Comparison>;

export const PageChange = z
  .object({
    path: z.string(),
    from: z.string().meta({ description: 'The older job.' }),
    to: z.string().meta({ description: 'The newer job.' }),
    status: z.enum(['added', 'changed', 'removed', 'unchanged']),
    title: z.string().nullable(),
    addedLines: wholeNumber,
    removedLines: wholeNumber,
    patch: z.string().meta({ description: 'A unified diff of the Markdown, as git prints it.' }),
    truncated: z
      .boolean()
      .meta({ description: 'True when the page is too long and the diff is incomplete.' }),
  })
  .meta({ id: 'PageChange' });
export type PageChange = z.infer<typeof PageChange>;

export const FindingsComparison = z
  .object({
    from: z.string().meta({ description: 'The older job.' }),
    to: z.string().meta({ description: 'The newer job.' }),
    new: z.array(Diagnostic).meta({ description: 'Only in the newer report.' }),
    fixed: z.array(Diagnostic).meta({ description: 'Only in the older report.' }),
    remaining: wholeNumber.meta({ description: 'Findings in both reports.' }),
    truncated: z
      .boolean()
      .meta({ description: 'True when a report or a list is truncated and the comparison is incomplete.' }),
  })
  .meta({ id: 'FindingsComparison' });
export type FindingsComparison = z.infer<typeof FindingsComparison>;

const openJobs = z.object({ queued: wholeNumber, running: wholeNumber });

export const System = z
  .object({
    version: z.string(),
    startedAt: timestamp.meta({ description: 'Of the process that answers.' }),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), message: z.string() })),
    isolation: Isolation.extend({
      agents: z.enum(['process', 'sandbox']).meta({
        description: 'What runs agents: the built-in engine, or an external program in a sandbox.',
      }),
    }).meta({ id: 'SystemIsolation' }),
    queue: z
      .object({ exports: openJobs, agentJobs: openJobs })
      .meta({ description: 'Jobs of your organization.' }),
    storage: z.object({
      kind: z.enum(['folder', 's3']),
      bundles: z
        .object({ count: wholeNumber, bytes: wholeNumber })
        .meta({ description: 'Of your organization.' }),
      freeBytes: wholeNumber.nullable().meta({ description: 'Null when the store does not report it.' }),
    }),
    database: z.object({ kind: z.enum(['sqlite', 'postgresql']) }),
    agent: z.object({
      configured: z.boolean().meta({
        description:
          'Whether the installation has a model or an agent program. A project can have its own model.',
      }),
    }),
    signingKey: SigningKey,
  })
  .meta({ id: 'System' });
export type System = z.infer<typeof System>;
