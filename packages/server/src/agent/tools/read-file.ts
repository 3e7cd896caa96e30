/** `read_file`: part of a text file with line numbers, hidden characters made visible. */
import { z } from 'zod';
import { hashOf, linesOf, readText } from './files.ts';
import { filePath } from './inputs.ts';
import { numbered } from './numbered.ts';
import { defineTool, most, ToolProblem, withinLimits } from './tool.ts';

const usualLines = 400;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads a text file with line numbers. Read a file before you change it. Characters that cannot be seen are shown ' +
    'as ⟦U+200B⟧. Long files come in parts: use offset to read on.',
  input: z.object({
    path: filePath,
    offset: z.int().min(1).default(1).describe('First line to read, from 1.'),
    limit: z.int().min(1).max(most.lines).default(usualLines).describe('How many lines.'),
  }),
  async run(context, { path, offset, limit }) {
    const text = await readText(context, path);
    const lines = linesOf(text);
    if (offset > lines.length) {
      throw new ToolProblem(`${path} has only ${lines.length} lines. Read it with a smaller offset.`);
    }
    context.seen.set(path, hashOf(text));
    const wanted = lines.slice(offset - 1, offset - 1 + limit);
    const shown = withinLimits(wanted.map((line, index) => numbered(line, offset + index)));
    const last = offset + shown.length - 1;
    const left = lines.length - last;
    return {
      text: [
        `${path}: lines ${offset}–${last} of ${lines.length}`,
        ...shown,
        ...(left > 0 ? [`… ${left} more lines. Read on with offset ${last + 1}.`] : []),
      ].join('\n'),
    };
  },
});
