/** `render_page`: what readers of a page get, as Markdown, with its findings. */
import { z } from 'zod';
import { findingText, inOrder } from './findings.ts';
import { readText } from './files.ts';
import { filePath } from './inputs.ts';
import { clipped } from './numbered.ts';
import { defineTool, listed, renderingSeconds, withinLimits } from './tool.ts';

const mostLines = 400;
const mostBytes = 12_000;

export const renderPage = defineTool({
  name: 'render_page',
  description:
    'Renders one page and gives back what readers see, as Markdown: components resolved, snippets and variables put in. ' +
    'Use it to check a page that you changed.',
  mostSeconds: renderingSeconds,
  input: z.object({
    path: filePath,
    offset: z.int().min(1).default(1).describe('First line of the result to show.'),
  }),
  async run(context, { path, offset }) {
    await readText(context, path);
    const { markdown, findings } = await context.site.renderPage(path, context.signal);
    const lines = markdown.split('\n');
    const shown = withinLimits(
      lines.slice(offset - 1).map((line) => clipped(line)),
      mostLines,
      mostBytes,
    );
    const left = lines.length - (offset - 1) - shown.length;
    return {
      text: [
        `${path} as readers see it:`,
        ...shown,
        ...(left > 0 ? [`… ${left} more lines. Go on with offset ${offset + shown.length}.`] : []),
        ...(findings.length > 0
          ? ['', 'Findings:', ...listed(inOrder(findings).map(findingText), 'validate lists all.', 20)]
          : ['', 'No findings.']),
      ].join('\n'),
    };
  },
});
