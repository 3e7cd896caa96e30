/** Source checks, previews, comparisons of exports, and the system status. */
import * as z from 'zod';
import { SetForgeCredential } from './forge-credential-schemas.ts';
import { failureCodes } from './errors.ts';
import { exampleSource } from './examples.ts';
import { nullableTimestamp, timestamp, wholeNumber } from './primitives.ts';
import { GroupNames, Isolation, SigningKey } from './export-schemas.ts';
import { Source } from './project-schemas.ts';
import { ComponentCheck } from './schemas.ts';
import { Diagnostic } from './site-schemas.ts';

export const CheckSource = z
  .strictObject({
    source: Source.describe('The source to check, as in a project.'),
    projectId: z.string().min(1).max(64).optional().meta({
      description:
        'The project that may get this source. Its credential is used if the repository is on the same host as its current one.',
    }),
    credential: SetForgeCredential.optional().meta({
      description: 'Used for this check instead of the credential of the project. It is not stored.',
    }),
  })
  .meta({ id: 'CheckSource', examples: [{ source: exampleSource }] });
export type CheckSource = z.infer<typeof CheckSource>;

export const SourceCheck = z
  .object({
    ok: z.boolean().meta({ description: 'Whether an export of this source would find pages.' }),
    commit: z.string().nullable().meta({
      description: 'The commit that was checked. Null for a plain folder, and if nothing was found.',
    }),
    configFile: z
      .string()
      .nullable()
      .meta({
        description: '`docs.json` or its equivalent. Null if the folder has none.',
        examples: ['docs.json'],
      }),
    name: z.string().nullable().meta({ description: 'The name of the site.' }),
    pages: wholeNumber.describe('The number of pages.'),
    problem: z
      .object({
        code: z.enum(failureCodes).describe('Stable. Compare this field, not the message.'),
        message: z.string().describe('What is wrong, for people.'),
        hint: z.string().nullable().describe('What to do.'),
      })
      .nullable()
      .meta({ description: 'Why the source is not usable. The codes are those of a failed export.' }),
  })
  .meta({ id: 'SourceCheck' });
export type SourceCheck = z.infer<typeof SourceCheck>;

const isSignedIn = 'False for readers of a private site who have not signed in, who belong to no group.';

export const CreatePreview = z
  .strictObject({
    audience: GroupNames.optional().describe(
      'Names of reader groups. The preview shows what the members of exactly these groups see. Default: readers without a group.',
    ),
    signedIn: z.boolean().optional().describe(`${isSignedIn} Default: \`true\`.`),
  })
  .meta({ id: 'CreatePreview', examples: [{ audience: ['partners'] }] });
export type CreatePreview = z.infer<typeof CreatePreview>;

const PreviewAudience = z.object({
  audience: z.array(z.string()).describe('Their groups; empty for readers without a group.'),
  signedIn: z.boolean().describe(isSignedIn),
});
export type PreviewAudience = z.infer<typeof PreviewAudience>;

export const Preview = z
  .object({
    jobId: z.string().describe('The job.'),
    previewUrl: z
      .string()
      .describe(
        'A path on this server with a trailing slash, or an absolute URL if the operator has set `PREVIEW_URL`. Anyone who has it can read the site until it expires.',
      ),
    expiresAt: timestamp.describe('When the path expires.'),
    audiences: z
      .array(PreviewAudience)
      .describe(
        'The readers as whom you can open the preview, first those without a group. Each entry can be the body of the request.',
      ),
  })
  .meta({ id: 'Preview' });
export type Preview = z.infer<typeof Preview>;

const comparedSide = z.object({
  jobId: z.string().describe('The export.'),
  version: z.string().nullable().describe('Its version label.'),
  commit: z.string().nullable().describe('The exported commit.'),
  committedAt: nullableTimestamp.describe('When the commit was made.'),
  pages: wholeNumber.describe('Number of pages.'),
  bytes: wholeNumber.describe('Size of all files, uncompressed.'),
});

const comparedPage = z.object({
  path: z.string().meta({ description: 'The page.', examples: ['/guides/start'] }),
  title: z.string().nullable().meta({
    description: 'Its title. Null if it has none, and in exports of older versions.',
  }),
});

const changedPage = comparedPage.extend({
  titleBefore: z.string().nullable().describe('Its title in the older export.'),
});

const filePaths = z.array(z.string());

export const Comparison = z
  .object({
    identical: z.boolean().describe('Whether all files are the same.'),
    from: comparedSide.describe('The older export.'),
    to: comparedSide.describe('This export.'),
    pages: z
      .object({
        added: z.array(comparedPage).describe('Pages that only this export has.'),
        changed: z.array(changedPage).describe('Pages with another text.'),
        removed: z.array(comparedPage).describe('Pages that only the older export has.'),
        moved: z
          .array(
            changedPage.extend({
              from: z.string().describe('The page in the older export.'),
              changed: z.boolean().describe('Whether its text has changed too.'),
            }),
          )
          .describe('Pages at another path.'),
        restyled: filePaths.describe('Pages with the same text but different markup around it.'),
      })
      .describe('The pages that differ.'),
    files: z
      .object({
        added: filePaths.describe('Files that only this export has.'),
        changed: filePaths.describe('Files with other contents.'),
        removed: filePaths.describe('Files that only the older export has.'),
      })
      .describe('The files that differ and are not pages.'),
    changedBytes: wholeNumber.meta({
      description: 'Size of the new and changed files, uncompressed.',
    }),
  })
  .meta({ id: 'Comparison' });
export type Comparison = z.infer<typeof Comparison>;

export const PageChange = z
  .object({
    path: z.string().describe('The page.'),
    from: z.string().describe('The older job.'),
    to: z.string().describe('The newer job.'),
    status: z.enum(['added', 'changed', 'removed', 'unchanged']).describe('How the page differs.'),
    title: z.string().nullable().describe('The title of the page.'),
    addedLines: wholeNumber.describe('Number of added lines.'),
    removedLines: wholeNumber.describe('Number of removed lines.'),
    patch: z
      .string()
      .describe('A unified diff of the Markdown, as git prints it. Empty for an unchanged page.'),
    truncated: z.boolean().meta({
      description:
        'Whether the diff is incomplete. A diff has at most 4,000 lines; a page over 2 MB has no diff.',
    }),
  })
  .meta({ id: 'PageChange' });
export type PageChange = z.infer<typeof PageChange>;

export const FindingsComparison = z
  .object({
    from: z.string().meta({ description: 'The older job.' }),
    to: z.string().meta({ description: 'The newer job.' }),
    new: z.array(Diagnostic).meta({ description: 'Findings that only the newer report has, at most 500.' }),
    fixed: z.array(Diagnostic).meta({ description: 'Findings that only the older report has, at most 500.' }),
    remaining: wholeNumber.meta({ description: 'Number of findings that both reports have.' }),
    truncated: z.boolean().meta({
      description: 'Whether a report or a list is truncated, so that some findings are not compared.',
    }),
  })
  .meta({ id: 'FindingsComparison' });
export type FindingsComparison = z.infer<typeof FindingsComparison>;

const openJobs = z.object({
  queued: wholeNumber.describe('Jobs that wait for a worker.'),
  running: wholeNumber.describe('Jobs that a worker has started.'),
});

export const System = z
  .object({
    version: z.string().describe('The version of Docyard.'),
    startedAt: timestamp.describe('Start time of the process that responds.'),
    checks: z.array(ComponentCheck).describe('The same checks as in `/readyz`.'),
    isolation: Isolation.extend({
      agents: z.enum(['process', 'sandbox']).meta({
        description: 'What runs agents: the built-in engine, or an external program in a sandbox.',
      }),
    }).meta({ id: 'SystemIsolation', description: 'The isolation of rendering and of agents.' }),
    queue: z
      .object({
        exports: openJobs.describe('Exports.'),
        agentJobs: openJobs.describe('Agent jobs.'),
      })
      .meta({ description: 'Jobs of your organization.' }),
    storage: z
      .object({
        kind: z.enum(['folder', 's3']).describe('Where bundles are stored.'),
        bundles: z
          .object({
            count: wholeNumber.describe('Number of bundles.'),
            bytes: wholeNumber.describe('Size of all bundles.'),
          })
          .describe('The bundles of your organization.'),
        freeBytes: wholeNumber
          .nullable()
          .describe('Free space, rounded. Null if the storage does not report it.'),
      })
      .describe('The bundle storage.'),
    database: z
      .object({ kind: z.enum(['sqlite', 'postgresql']).describe('The kind of database.') })
      .describe('The database.'),
    agent: z
      .object({
        configured: z
          .boolean()
          .describe(
            'Whether the installation has a model or an agent program. A project can have its own model.',
          ),
      })
      .describe('The default model of agent jobs.'),
    signingKey: SigningKey.describe('The key that signs bundles.'),
  })
  .meta({ id: 'System' });
export type System = z.infer<typeof System>;
