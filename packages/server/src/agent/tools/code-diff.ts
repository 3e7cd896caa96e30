/** `code_diff`: the change of code that triggered the job. */
import { z } from 'zod';
import type { CodeChange } from '../contract.ts';
import { GitError } from '../../git/run.ts';
import { inCode } from './code-context.ts';
import { filePath } from './inputs.ts';
import { clipLine } from './line-format.ts';
import { defineTool, listItems, pluralize, ToolError, withinLimits } from './tool.ts';

const maxLines = 600;
const maxLogLines = 100;
const maxLineCharacters = 500;

export const codeDiff = defineTool({
  name: 'code_diff',
  description:
    'Shows the code change that this job is about: its commits, its files, then the changed lines.',
  input: z.object({
    path: filePath.optional().describe('Only this file, for example api/src/server.ts.'),
    offset: z.int().min(1).default(1).describe('First line of the changes to show.'),
  }),
  async run(context, { path, offset }) {
    const { change } = inCode(context).code;
    if (change === undefined) throw new ToolError('No change of code started this job.');
    const file = path === undefined ? null : fileOf(change, path);
    const lines = (await patchOf(change, file)).split('\n').slice(offset - 1);
    const shown = withinLimits(lines.map(clipped), maxLines, context.maxResultBytes);
    const left = lines.length - shown.length;
    const rest = `… ${left} more lines. Continue with offset ${offset + shown.length}, or pass a path.`;
    const head = file === null && offset === 1 ? await headOf(change) : [];
    return { text: [...head, ...shown, ...(left > 0 ? [rest] : [])].join('\n') };
  },
});

async function headOf(change: CodeChange): Promise<string[]> {
  const log = (await change.log()).trim().split('\n').map(clipped);
  const files = change.paths.map(({ path, status }) => `${status} ${change.repository}/${path}`);
  return [
    ...listItems(log, '', maxLogLines),
    '',
    `${pluralize(files.length, 'file')}:`,
    ...listItems(files, 'Pass one as path.'),
    '',
  ];
}

function fileOf({ repository, paths }: CodeChange, given: string): string {
  const path = given.startsWith(`${repository}/`) ? given.slice(repository.length + 1) : given;
  if (paths.some((changed) => changed.path === path)) return path;
  const names = listItems(
    paths.map((changed) => `${repository}/${changed.path}`),
    '',
    20,
  );
  throw new ToolError(`${given} has not changed. Changed files:\n${names.join('\n')}`);
}

async function patchOf(change: CodeChange, path: string | null): Promise<string> {
  try {
    return await change.patch(path);
  } catch (error) {
    if (!(error instanceof GitError) || error.problem !== 'too_large') throw error;
    throw new ToolError('The change is too large to show at once. Pass the path of one of its files.');
  }
}

function clipped(line: string): string {
  return clipLine(line, maxLineCharacters);
}
