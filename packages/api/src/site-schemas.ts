/** The quality report and the manifest of a bundle. An export without a service needs only these schemas. */
import * as z from 'zod';
import { sha256, timestamp, wholeNumber } from './primitives.ts';

export const IsolationLevel = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]).meta({
  description:
    'How strongly untrusted files are isolated from the machine that renders them: 3 full, 2 partial, 1 interpreter and limits, 0 interpreter only.',
});

export const Diagnostic = z
  .object({
    severity: z.enum(['error', 'warning', 'info']),
    code: z.string(),
    message: z.string(),
    file: z.string(),
    line: z.int().optional(),
    column: z.int().optional(),
    hint: z.string().optional(),
    target: z.string().optional().meta({ description: 'The address that the finding is about.' }),
    count: z.int().optional().meta({ description: 'The number of places with this cause. Absent for one.' }),
    examples: z
      .array(
        z.object({
          file: z.string(),
          line: z.int().optional(),
          column: z.int().optional(),
          target: z.string().optional(),
        }),
      )
      .optional()
      .meta({ description: 'The first of them, at most 100.' }),
  })
  .meta({ id: 'Diagnostic' });
export type Diagnostic = z.infer<typeof Diagnostic>;

export const Report = z
  .object({
    jobId: z.string(),
    format: z.literal(1).meta({ description: 'Changes when a field changes its meaning.' }),
    pages: wholeNumber,
    errors: wholeNumber,
    warnings: wholeNumber,
    infos: wholeNumber,
    byCode: z.record(z.string(), wholeNumber),
    occurrences: wholeNumber
      .optional()
      .meta({ description: 'The number of places of all findings. One finding can have several places.' }),
    diagnostics: z.array(Diagnostic),
    truncated: z.boolean().meta({ description: 'True when only the first diagnostics are listed.' }),
    weights: z
      .array(z.object({ path: z.string(), file: z.string(), bytes: wholeNumber }))
      .meta({ description: 'Every page with the bytes of its HTML, the largest first.' }),
    orphans: z
      .array(z.string())
      .meta({ description: 'Files of pages that neither the navigation nor a link leads to.' }),
    remoteAssets: z
      .array(z.object({ file: z.string(), address: z.string() }))
      .meta({ description: 'Assets that pages load from other hosts.' }),
    slowest: z
      .array(z.object({ file: z.string(), milliseconds: z.number().min(0) }))
      .meta({ description: 'The pages that took longest to render. Not part of the bundle.' }),
  })
  .meta({ id: 'Report' });
export type Report = z.infer<typeof Report>;

export const Manifest = z
  .object({
    format: z.literal(1),
    engine: z.string(),
    version: z.string().nullable(),
    commit: z.string().nullable(),
    committedAt: timestamp
      .nullable()
      .meta({ description: 'When the commit was made. Null for a folder without one.' }),
    isolation: IsolationLevel.optional(),
    customScripts: z
      .array(z.string())
      .optional()
      .meta({ description: 'Files with scripts of the repository that run on every page.' }),
    pages: wholeNumber,
    files: z.array(
      z.object({
        path: z.string(),
        sizeBytes: wholeNumber,
        sha256,
        title: z.string().optional().meta({ description: 'The title of the page, on its Markdown file.' }),
      }),
    ),
  })
  .meta({ id: 'Manifest' });
export type Manifest = z.infer<typeof Manifest>;
