/** `finish`: ends the run. Refused while the site has new errors, unless the model gives a reason. */
import { z } from 'zod';
import { SiteCheckError, type SiteFinding, type ToolContext, type ToolResult } from '../contract.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { evidenceInput, requireEvidence } from './evidence-input.ts';
import { findingText, sortFindings } from './findings.ts';
import { defineTool, listItems, renderingSeconds, ToolError } from './tool.ts';

const inputs = {
  title: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .describe('One line, such as "Fix broken links in the quickstart".'),
  summary: z
    .string()
    .trim()
    .min(1)
    .max(4000)
    .describe('What changed and why; what you left unchanged; open questions.'),
  outcome: z
    .enum(['done', 'needs_input'])
    .default('done')
    .describe('done, or needs_input if you cannot continue without an answer.'),
  leave_problems: z
    .string()
    .max(1000)
    .optional()
    .describe('Only when new errors cannot be fixed: why they must stay. A reviewer decides.'),
};

const common = {
  name: 'finish',
  description:
    'Ends your work. Give a short title and a summary of what you changed and why, for the reviewer. Call ' +
    'it also when nothing needs to change (say why), or with outcome needs_input when you need an answer to continue.',
  maxSeconds: renderingSeconds,
};

export const finish = defineTool({ ...common, input: z.object(inputs), run: finishWork });

export const finishWithEvidence = defineTool({
  ...common,
  input: z.object({ ...inputs, evidence: evidenceInput }),
  run: finishWork,
});

interface Finish {
  title: string;
  summary: string;
  outcome: 'done' | 'needs_input';
  leave_problems?: string | undefined;
  evidence?: Evidence[];
}

async function finishWork(context: ToolContext, input: Finish): Promise<ToolResult> {
  const { title, summary, outcome, leave_problems: reason, evidence } = input;
  const { files } = await context.diff();
  if (files.length > 0 && outcome === 'done' && !reason?.trim()) {
    const errors = await newErrors(context);
    if (errors.length > 0) {
      const lines = listItems(sortFindings(errors).map(findingText), 'validate lists all.', 10);
      throw new ToolError(
        `The site has new errors. Fix them, then call finish again; or say in leave_problems why they must stay.\n${lines.join('\n')}`,
      );
    }
    if (evidence !== undefined) await requireEvidence(context, evidence);
  }
  const full = reason?.trim() ? `${summary}\n\nProblems left: ${reason.trim()}` : summary;
  return {
    text: 'Finished.',
    finished: { title, summary: full, outcome },
    ...(evidence === undefined ? {} : { evidence }),
  };
}

/** Empty if the site cannot be checked: the run checks it again before publishing and fails closed. */
async function newErrors({ site, signal }: ToolContext): Promise<SiteFinding[]> {
  const findings = await site.validate(signal).catch((error: unknown) => {
    if (error instanceof SiteCheckError) return [];
    throw error;
  });
  return findings.filter(({ isNew, severity }) => isNew && severity === 'error');
}
