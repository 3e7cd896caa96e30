/** `validate`: renders the whole site and says what the run has broken, then what was wrong before. */
import { z } from 'zod';
import { findingCounts, findingText, inOrder } from './findings.ts';
import { filePath } from './inputs.ts';
import { defineTool, listed, renderingSeconds } from './tool.ts';

const mostFindings = 50;

export const validate = defineTool({
  name: 'validate',
  description:
    'Builds the whole site and lists problems: broken links and anchors, missing images, MDX that does not parse, ' +
    'mistakes in docs.json. Problems that are new since the run began come first: those you must fix. Call it before ' +
    'finish.',
  mostSeconds: renderingSeconds,
  input: z.object({
    paths: z.array(filePath).max(100).optional().describe('Only problems in these files.'),
  }),
  async run(context, { paths }) {
    const all = await context.site.validate(context.signal);
    const wanted = paths === undefined ? all : all.filter(({ file }) => paths.includes(file));
    const where = paths === undefined ? '' : ` In ${paths.join(', ')}:`;
    const hasNewErrors = wanted.some(({ isNew, severity }) => isNew && severity === 'error');
    const verdict = hasNewErrors
      ? 'Fix the new errors before you finish.'
      : 'Nothing new stands in the way of finishing.';
    const lines = listed(
      inOrder(wanted).map(findingText),
      'Name files in paths to see theirs.',
      mostFindings,
    );
    return { text: [`${findingCounts(wanted)}${where} ${verdict}`, ...lines].join('\n') };
  },
});
