/**
 * What every tool shares: how one is defined, how it says no, and how much it may answer. A tool never throws for what a
 * model did; it answers with a text that says what to do next.
 */
import { PathRefused, SiteCheckFailed, type Tool, type ToolContext, type ToolResult } from '../contract.ts';

/** Something the model can put right; the message tells how. */
export class ToolProblem extends Error {
  override name = 'ToolProblem';
}

export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return {
    ...tool,
    async run(context: ToolContext, input: Input): Promise<ToolResult> {
      try {
        return await tool.run(context, input);
      } catch (error) {
        const isExpected =
          error instanceof ToolProblem || error instanceof PathRefused || error instanceof SiteCheckFailed;
        if (!isExpected) throw error;
        return { text: error.message, isError: true };
      }
    },
  };
}

/** Beyond what a check of the site may take, so that its own message reaches the model. */
export const renderingSeconds = 150;

export const most = {
  lines: 2000,
  bytes: 48_000,
  /** Of one line of a file. */
  lineCharacters: 2000,
  /** What a list in an answer names before it only counts. */
  listed: 50,
};

/** Takes as many lines as both limits allow. */
export function withinLimits(
  lines: readonly string[],
  mostLines = most.lines,
  mostBytes = most.bytes,
): string[] {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (count >= mostLines || (bytes > mostBytes && count > 0)) break;
    count += 1;
  }
  return lines.slice(0, count);
}

/** The first of a list, and how many there are beyond. */
export function listed(items: readonly string[], rest: string, mostItems = most.listed): string[] {
  const shown = items.slice(0, mostItems);
  const left = items.length - shown.length;
  return left > 0 ? [...shown, `… and ${left} more. ${rest}`.trimEnd()] : shown;
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
