import { z } from 'zod';
import { existingPath } from './existing-path.ts';
import { findingCounts, findingText, sortFindings } from './findings.ts';
import { filePath } from './inputs.ts';
import { defineTool, listItems, renderingSeconds } from './tool.ts';

const maxFindings = 50;

export const validate = defineTool({
  name: 'validate',
  description:
    'Builds the whole site and lists problems: broken links and anchors, missing images, MDX that does not parse, ' +
    'mistakes in docs.json. Problems that are new in this run come first: fix them. Call it before ' +
    'finish.',
  maxSeconds: renderingSeconds,
  input: z.object({
    paths: z
      .array(filePath)
      .max(100)
      .optional()
      .describe('Only problems in these files, for example ["guides/start.mdx"].'),
  }),
  async run(context, { paths: given }) {
    const all = await context.site.validate(context.signal);
    const paths =
      given &&
      (await Promise.all(given.map((path) => existingPath(context.tree, path, { inAnyFolder: true }))));
    const wanted = paths === undefined ? all : all.filter(({ file }) => paths.includes(file));
    const where = paths === undefined ? '' : ` In ${paths.join(', ')}:`;
    const hasNewErrors = wanted.some(({ isNew, severity }) => isNew && severity === 'error');
    const verdict = hasNewErrors ? 'Fix the new errors before you finish.' : 'There are no new errors.';
    const lines = listItems(
      sortFindings(wanted).map(findingText),
      'Pass paths to see the problems of single files.',
      maxFindings,
    );
    return { text: [`${findingCounts(wanted)}${where} ${verdict}`, ...lines].join('\n') };
  },
});
