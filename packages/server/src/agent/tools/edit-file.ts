/** `edit_file` and `multi_edit`: exact replacements in one file, all of them or none. */
import { z } from 'zod';
import type { ToolContext, ToolResult } from '../contract.ts';
import { readText, requireInScope, requireSeen, writeAll } from './files.ts';
import { filePath } from './inputs.ts';
import { changedLines } from './numbered.ts';
import { replaceIn, type Replacement } from './replace.ts';
import { counted, defineTool, ToolProblem } from './tool.ts';

const mostCharacters = 200_000;
const mostEdits = 100;

const replacement = {
  old: z
    .string()
    .max(mostCharacters)
    .describe('The text to replace, exactly as in the file, without line numbers.'),
  new: z.string().max(mostCharacters).describe('The text to put in its place.'),
  replace_all: z.boolean().default(false).describe('Replace every occurrence, not a single one.'),
};

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces a piece of text in a file that you have read. `old` must stand in the file exactly once, or set ' +
    'replace_all. Line endings of the file are kept.',
  input: z.object({ path: filePath, ...replacement }),
  run: (context, { path, ...edit }) => edited(context, path, (text) => replaceIn(text, edit)),
});

export const multiEdit = defineTool({
  name: 'multi_edit',
  description:
    'Makes several replacements in one file that you have read, in order, each on the result of the one before. If ' +
    'one of them fails, none is made.',
  input: z.object({ path: filePath, edits: z.array(z.object(replacement)).min(1).max(mostEdits) }),
  run: (context, { path, edits }) =>
    edited(context, path, (text) =>
      edits.reduce((before, edit, index) => replaceOne(before, edit, index), text),
    ),
});

function replaceOne(text: string, edit: Replacement, index: number): string {
  try {
    return replaceIn(text, edit);
  } catch (error) {
    if (!(error instanceof ToolProblem)) throw error;
    throw new ToolProblem(`Edit ${index + 1} failed and none was made. ${error.message}`);
  }
}

async function edited(
  context: ToolContext,
  path: string,
  change: (text: string) => string,
): Promise<ToolResult> {
  requireInScope(context, path);
  const before = await readText(context, path);
  requireSeen(context, path, before);
  const after = change(before);
  const changes = await writeAll(context, [{ path, content: after }]);
  const grown = after.split('\n').length - before.split('\n').length;
  const size =
    grown === 0 ? '' : ` It is ${counted(Math.abs(grown), 'line')} ${grown > 0 ? 'longer' : 'shorter'}.`;
  return { text: `Changed ${path}.${size}\n${changedLines(before, after)}`, changes };
}
