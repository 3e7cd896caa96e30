import { z } from 'zod';
import { existingPath } from './existing-path.ts';
import { defaultLines, showFile } from './file-view.ts';
import { readText } from './files.ts';
import { filePath } from './inputs.ts';
import { defineTool, outputLimits } from './tool.ts';

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads a text file with line numbers. Read a file before you change it. Invisible characters are shown ' +
    'as ⟦U+200B⟧. Long files come in parts: use offset to continue.',
  input: z.object({
    path: filePath,
    offset: z.int().min(1).default(1).describe('First line to read, for example 401; the default is 1.'),
    limit: z
      .int()
      .min(1)
      .max(outputLimits.lines)
      .default(defaultLines)
      .describe('How many lines, for example 100.'),
  }),
  async run(context, { path: given, offset, limit }) {
    const path = await existingPath(context.tree, given, { inAnyFolder: true });
    return { text: showFile(context, path, await readText(context, path), { offset, limit }) };
  },
});
