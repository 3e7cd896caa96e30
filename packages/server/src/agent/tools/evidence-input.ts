/** Evidence as tools receive it. */
import { z } from 'zod';
import type { ToolContext } from '../contract.ts';
import { checkEvidence } from '../evidence/check-evidence.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { filePath } from './inputs.ts';
import { listItems, ToolError } from './tool.ts';

export const evidenceInput = z
  .array(
    z.object({
      page: filePath.describe('The changed page.'),
      statement: z.string().min(1).max(1000).describe('What you wrote there, as an exact quote.'),
      sources: z
        .array(z.string().max(1500))
        .max(10)
        .describe('Lines that prove it, such as api/src/main.ts#L10-L20 or guides/start.mdx#L3.'),
    }),
  )
  .max(100)
  .default([])
  .describe('For each changed page: what you stated, and the lines of code or other pages that prove it.');

/** The model can correct its evidence. What stays wrong becomes a note for reviewers. */
export async function requireEvidence(context: ToolContext, evidence: readonly Evidence[]): Promise<void> {
  const { files } = await context.diff();
  const { tree: docs, code } = context;
  const isRequired = context.evidence?.isRequired ?? false;
  const { problems } = await checkEvidence(evidence, { files, docs, code, isRequired, earlier: [] });
  if (problems.length === 0) return;
  const lines = problems.map(({ page, message }) => (page === null ? message : `${page}: ${message}`));
  throw new ToolError(
    `The evidence is incomplete or wrong. Correct it and send it again; or say in leave_problems what has no evidence.\n${listItems(lines, '', 20).join('\n')}`,
  );
}
