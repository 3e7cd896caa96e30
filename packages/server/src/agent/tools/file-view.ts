/** Shows files to the model. A file must have been shown before the model changes it. */
import type { ToolContext } from '../contract.ts';
import { hashOf, linesOf } from './files.ts';
import { numberLine } from './line-format.ts';
import { outputLimits, ToolError, withinLimits } from './tool.ts';

export const defaultLines = 400;

export function showFile(
  context: ToolContext,
  path: string,
  text: string,
  { offset = 1, limit = defaultLines } = {},
): string {
  const lines = linesOf(text);
  if (offset > lines.length)
    throw new ToolError(`${path} has only ${lines.length} lines. Use a smaller offset.`);
  context.seen.set(path, hashOf(text));
  const wanted = lines.slice(offset - 1, offset - 1 + limit);
  const shown = withinLimits(
    wanted.map((line, index) => numberLine(line, offset + index)),
    outputLimits.lines,
    context.maxResultBytes,
  );
  const last = offset + shown.length - 1;
  const left = lines.length - last;
  return [
    `${path}: lines ${offset}–${last} of ${lines.length}`,
    ...shown,
    ...(left > 0 ? [`… ${left} more lines. Continue with offset ${last + 1}.`] : []),
  ].join('\n');
}

/** The model must know the current content. The error shows it, so that the next call can succeed. */
export function requireSeen(context: ToolContext, path: string, text: string): void {
  const seen = context.seen.get(path);
  if (seen === hashOf(text)) return;
  const reason = seen === undefined ? 'you have not read it' : 'it has changed since you read it';
  const advice = 'Send the call again if it fits this content:';
  throw new ToolError(
    `${path} was not changed, because ${reason}. ${advice}\n${showFile(context, path, text)}`,
  );
}
