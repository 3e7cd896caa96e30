/** The quality report and the manifest of a bundle. An export without a service needs only these schemas. */
import * as z from 'zod';
import { sha256, timestamp, wholeNumber } from './primitives.ts';

export const IsolationLevel = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]).meta({
  description:
    'How strongly untrusted files are isolated from the machine that renders them: 3 full, 2 partial, 1 interpreter and limits, 0 interpreter only.',
});

const findingFile = z.string().describe('The file, relative to the docs folder.');
const findingLine = z.int().optional().describe('Line in the file, from 1.');
const findingColumn = z.int().optional().describe('Column in the line, from 1.');

export const Diagnostic = z
  .object({
    severity: z.enum(['error', 'warning', 'info']).describe('How serious the finding is.'),
    code: z.string().describe('The kind of finding.'),
    message: z.string().describe('A message for the author.'),
    file: findingFile,
    line: findingLine,
    column: findingColumn,
    hint: z.string().optional().describe('A suggested fix.'),
    target: z.string().optional().meta({ description: 'The URL that the finding is about.' }),
    count: z.int().optional().meta({ description: 'The number of places with this cause. Absent for one.' }),
    examples: z
      .array(
        z.object({
          file: findingFile,
          line: findingLine,
          column: findingColumn,
          target: z.string().optional().describe('The URL at this place.'),
        }),
      )
      .optional()
      .describe('The first of these places, at most 100.'),
  })
  .meta({ id: 'Diagnostic' });
export type Diagnostic = z.infer<typeof Diagnostic>;

export const Report = z
  .object({
    jobId: z.string().describe('The job.'),
    format: z.literal(1).describe('Always 1 in this version.'),
    pages: wholeNumber.describe('Pages in the site.'),
    errors: wholeNumber.describe('Number of errors.'),
    warnings: wholeNumber.describe('Number of warnings.'),
    infos: wholeNumber.describe('Number of notes.'),
    byCode: z.record(z.string(), wholeNumber).describe('The number of findings by code.'),
    occurrences: wholeNumber
      .optional()
      .meta({ description: 'The number of places of all findings. One finding can have several places.' }),
    diagnostics: z.array(Diagnostic).describe('The findings, at most 5,000.'),
    truncated: z.boolean().meta({ description: 'Whether only the first findings are listed.' }),
    weights: z
      .array(
        z.object({
          path: z.string().describe('The page.'),
          file: z.string().describe('Its file.'),
          bytes: wholeNumber.describe('The size of its HTML.'),
        }),
      )
      .describe('Every page with its size, the largest first.'),
    orphans: z
      .array(z.string())
      .meta({ description: 'Files of pages that neither the navigation nor a link leads to.' }),
    remoteAssets: z
      .array(
        z.object({
          file: z.string().describe('The file that uses the resource.'),
          address: z.string().describe('The URL of the resource.'),
        }),
      )
      .describe('Resources that pages would load from other hosts.'),
    slowest: z
      .array(
        z.object({
          file: z.string().describe('The file of the page.'),
          milliseconds: z.number().min(0).describe('How long it took.'),
        }),
      )
      .describe('The ten pages that took longest to render. Not part of the bundle.'),
  })
  .meta({ id: 'Report' });
export type Report = z.infer<typeof Report>;

export const Manifest = z
  .object({
    format: z.literal(1).describe('Always 1 in this version.'),
    engine: z.string().describe('The renderer and its version.'),
    version: z.string().nullable().describe('The version label of the export.'),
    commit: z.string().nullable().describe('The exported commit. Null for a plain folder.'),
    committedAt: timestamp
      .nullable()
      .meta({ description: 'When the commit was made, in UTC. Null for a plain folder.' }),
    isolation: IsolationLevel.optional(),
    customScripts: z
      .array(z.string())
      .optional()
      .meta({ description: 'Scripts of the repository that run on every page. Absent if there are none.' }),
    access: z
      .object({
        format: z.literal(1).describe('Always 1 in this version.'),
        keyId: z.string().describe('The id of the content key, as `docyard content-key show` prints it.'),
      })
      .optional()
      .meta({
        description:
          'Present if the bundle contains pages for groups. They are encrypted with the content key and not listed here.',
      }),
    pages: wholeNumber.describe('Number of pages.'),
    files: z
      .array(
        z.object({
          path: z.string().describe('The file, relative to the root of the site.'),
          sizeBytes: wholeNumber.describe('Its size.'),
          sha256: sha256.describe('Its SHA-256, in hexadecimal.'),
          title: z.string().optional().describe('The title of the page, on its Markdown file.'),
        }),
      )
      .describe('Every file of the site except the manifest and its signature.'),
  })
  .meta({ id: 'Manifest' });
export type Manifest = z.infer<typeof Manifest>;
