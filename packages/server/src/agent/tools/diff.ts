import { z } from 'zod';
import type { DiffFile } from '../contract.ts';
import { existingPath } from './existing-path.ts';
import { filePath } from './inputs.ts';
import { clipLine } from './line-format.ts';
import { defineTool, listItems, ToolError, withinLimits } from './tool.ts';

const maxLineCharacters = 500;

export const diff = defineTool({
  name: 'diff',
  description: 'Shows your changes since the run began: a list of files, then the changed lines.',
  input: z.object({
    path: filePath.optional().describe('Only this file, for example guides/start.mdx.'),
    offset: z.int().min(1).default(1).describe('First line of the changes to show, for example 601.'),
  }),
  async run(context, { path: given, offset }) {
    const { files, patch } = await context.diff();
    if (files.length === 0) return { text: 'Nothing has changed.' };
    const isChanged = files.some((file) => file.path === given || file.from === given);
    const path =
      given === undefined || isChanged
        ? given
        : await existingPath(context.tree, given, { inAnyFolder: true });
    const wanted =
      path === undefined ? files : files.filter((file) => file.path === path || file.from === path);
    if (wanted.length === 0) {
      throw new ToolError(
        `${path} has not changed. Changed files: ${files
          .map((file) => file.path)
          .slice(0, 20)
          .join(', ')}.`,
      );
    }
    const lines = patchLines(patch, wanted, path !== undefined).slice(offset - 1);
    const shown = withinLimits(
      lines.map((line) => clipLine(line, maxLineCharacters)),
      600,
      context.maxResultBytes,
    );
    const left = lines.length - shown.length;
    return {
      text: [
        ...listItems(wanted.map(statText), 'Pass one as path.'),
        '',
        ...shown,
        ...(left > 0
          ? [`… ${left} more lines. Continue with offset ${offset + shown.length}, or pass a path.`]
          : []),
      ].join('\n'),
    };
  },
});

function statText({ path, from, status, addedLines, removedLines }: DiffFile): string {
  const origin = from === null || from === path ? '' : ` from ${from}`;
  return `${status} ${path}${origin} (+${addedLines} −${removedLines})`;
}

function patchLines(patch: string, wanted: readonly DiffFile[], narrow: boolean): string[] {
  const lines = patch.split('\n');
  if (!narrow) return lines;
  const names = new Set(wanted.flatMap(({ path, from }) => [path, ...(from === null ? [] : [from])]));
  let isWanted = false;
  return lines.filter((line) => {
    if (line.startsWith('diff --git ')) isWanted = [...names].some((name) => line.endsWith(`/${name}`));
    return isWanted;
  });
}
