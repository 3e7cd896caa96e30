/** `report_evidence`: evidence of an agent that has no `finish`. */
import { z } from 'zod';
import { evidenceInput, requireEvidence } from './evidence-input.ts';
import { defineTool } from './tool.ts';

export const reportEvidence = defineTool({
  name: 'report_evidence',
  description:
    'Records what supports your changes. Call it when the work is done: for each changed page, what you stated and the ' +
    'lines of code or other pages that prove it.',
  input: z.object({
    evidence: evidenceInput,
    leave_problems: z.string().max(1000).optional().describe('Only if something has no evidence: why.'),
  }),
  async run(context, { evidence, leave_problems: reason }) {
    if (!reason?.trim()) await requireEvidence(context, evidence);
    return { text: 'Recorded.', evidence };
  },
});
