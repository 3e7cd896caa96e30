import { z } from 'zod';
import type { ToolContext, ToolResult } from '../contract.ts';
import { existingPath } from './existing-path.ts';
import { requireSeen } from './file-view.ts';
import { readText, requireInScope, writeAll } from './files.ts';
import { filePath } from './inputs.ts';
import { changedLines } from './line-format.ts';
import { replaceIn, type Replaced, type Replacement } from './replace.ts';
import { pluralize, defineTool, ToolError } from './tool.ts';

const maxCharacters = 200_000;
const maxEdits = 100;

const replacement = {
  old: z
    .string()
    .max(maxCharacters)
    .describe('The text to replace, copied from the file without line numbers, for example: Run npm start.'),
  new: z
    .string()
    .max(maxCharacters)
    .describe('The new text, for example: Run npm ci, then npm start. Empty to delete the old text.'),
  replace_all: z.boolean().default(false).describe('true to replace every occurrence.'),
};

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replaces text in a file that you have read. `old` must occur in the file exactly once, or set ' +
    'replace_all. The line endings of the file are preserved.',
  input: z.object({ path: filePath, ...replacement }),
  run: (context, { path, ...edit }) => applyEdit(context, path, (text) => replaceIn(text, edit)),
});

export const multiEdit = defineTool({
  name: 'multi_edit',
  description:
    'Makes several replacements in one file that you have read, in order, each on the result of the previous one. If ' +
    'one fails, none is made.',
  input: z.object({
    path: filePath,
    edits: z
      .array(z.object(replacement))
      .min(1)
      .max(maxEdits)
      .describe('For example [{"old": "colour", "new": "color"}].'),
  }),
  run: (context, { path, edits }) =>
    applyEdit(context, path, (text) =>
      edits.reduce<Replaced>((before, edit, index) => replaceOne(before, edit, index), { text }),
    ),
});

function replaceOne(before: Replaced, edit: Replacement, index: number): Replaced {
  try {
    const { text, note = before.note } = replaceIn(before.text, edit);
    return { text, ...(note === undefined ? {} : { note }) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(`Edit ${index + 1} failed and none was made. ${error.message}`);
  }
}

async function applyEdit(
  context: ToolContext,
  given: string,
  change: (text: string) => Replaced,
): Promise<ToolResult> {
  const path = await existingPath(context.tree, given, { inAnyFolder: true });
  requireInScope(context, path);
  const before = await readText(context, path);
  requireSeen(context, path, before);
  const { text: after, note } = change(before);
  const changes = await writeAll(context, [{ path, content: after }]);
  const addedLines = after.split('\n').length - before.split('\n').length;
  const size =
    addedLines === 0
      ? ''
      : ` It is ${pluralize(Math.abs(addedLines), 'line')} ${addedLines > 0 ? 'longer' : 'shorter'}.`;
  const tolerance =
    note === undefined
      ? ''
      : ` \`old\` differed from the file in ${note}; the only similar text was replaced.`;
  return { text: `Changed ${path}.${size}${tolerance}\n${changedLines(before, after)}`, changes };
}
