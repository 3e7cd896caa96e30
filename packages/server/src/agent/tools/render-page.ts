import { z } from 'zod';
import { existingPath } from './existing-path.ts';
import { findingText, sortFindings } from './findings.ts';
import { readText } from './files.ts';
import { filePath } from './inputs.ts';
import { clipLine } from './line-format.ts';
import { defineTool, listItems, renderingSeconds, withinLimits } from './tool.ts';

const maxLines = 400;
const maxBytes = 12_000;

export const renderPage = defineTool({
  name: 'render_page',
  description:
    'Renders one page and returns what readers see, as Markdown: components, snippets and variables resolved. ' +
    'Use it to check a page that you changed.',
  maxSeconds: renderingSeconds,
  input: z.object({
    path: filePath,
    offset: z.int().min(1).default(1).describe('First line of the result to show, for example 401.'),
  }),
  async run(context, { path: given, offset }) {
    const path = await existingPath(context.tree, given, { inAnyFolder: true });
    await readText(context, path);
    const { markdown, findings } = await context.site.renderPage(path, context.signal);
    const lines = markdown.split('\n');
    const shown = withinLimits(
      lines.slice(offset - 1).map((line) => clipLine(line)),
      maxLines,
      Math.min(maxBytes, context.maxResultBytes ?? maxBytes),
    );
    const left = lines.length - (offset - 1) - shown.length;
    return {
      text: [
        `${path} as readers see it:`,
        ...shown,
        ...(left > 0 ? [`… ${left} more lines. Continue with offset ${offset + shown.length}.`] : []),
        ...(findings.length > 0
          ? [
              '',
              'Findings:',
              ...listItems(sortFindings(findings).map(findingText), 'validate lists all.', 20),
            ]
          : ['', 'No findings.']),
      ].join('\n'),
    };
  },
});
