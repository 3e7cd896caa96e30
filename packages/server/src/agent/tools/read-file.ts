import { z } from 'zod';
import { hashOf, linesOf, readText } from './files.ts';
import { filePath } from './inputs.ts';
import { numberLine } from './line-format.ts';
import { defineTool, outputLimits, ToolError, withinLimits } from './tool.ts';

const defaultLines = 400;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads a text file with line numbers. Read a file before you change it. Invisible characters are shown ' +
    'as ⟦U+200B⟧. Long files come in parts: use offset to continue.',
  input: z.object({
    path: filePath,
    offset: z.int().min(1).default(1).describe('First line to read, from 1.'),
    limit: z.int().min(1).max(outputLimits.lines).default(defaultLines).describe('How many lines.'),
  }),
  async run(context, { path, offset, limit }) {
    const text = await readText(context, path);
    const lines = linesOf(text);
    if (offset > lines.length) {
      throw new ToolError(`${path} has only ${lines.length} lines. Use a smaller offset.`);
    }
    context.seen.set(path, hashOf(text));
    const wanted = lines.slice(offset - 1, offset - 1 + limit);
    const shown = withinLimits(
      wanted.map((line, index) => numberLine(line, offset + index)),
      outputLimits.lines,
      context.maxResultBytes,
    );
    const last = offset + shown.length - 1;
    const left = lines.length - last;
    return {
      text: [
        `${path}: lines ${offset}–${last} of ${lines.length}`,
        ...shown,
        ...(left > 0 ? [`… ${left} more lines. Continue with offset ${last + 1}.`] : []),
      ].join('\n'),
    };
  },
});
