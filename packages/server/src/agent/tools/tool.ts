import {
  PathRefusedError,
  SiteCheckError,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../contract.ts';

/** An error that the model can correct; the message says how. */
export class ToolError extends Error {
  override name = 'ToolError';
}

export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return {
    ...tool,
    async run(context: ToolContext, input: Input): Promise<ToolResult> {
      try {
        return await tool.run(context, input);
      } catch (error) {
        const isExpected =
          error instanceof ToolError || error instanceof PathRefusedError || error instanceof SiteCheckError;
        if (!isExpected) throw error;
        return { text: error.message, isError: true };
      }
    },
  };
}

/** Longer than the limit of the site check, so that its error reaches the model. */
export const renderingSeconds = 150;

export const outputLimits = {
  lines: 2000,
  bytes: 48_000,
  lineCharacters: 2000,
  items: 50,
};

export function withinLimits(
  lines: readonly string[],
  maxLines = outputLimits.lines,
  maxBytes = outputLimits.bytes,
): string[] {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (count >= maxLines || (bytes > maxBytes && count > 0)) break;
    count += 1;
  }
  return lines.slice(0, count);
}

export function listItems(items: readonly string[], rest: string, maxItems = outputLimits.items): string[] {
  const shown = items.slice(0, maxItems);
  const left = items.length - shown.length;
  return left > 0 ? [...shown, `… and ${left} more. ${rest}`.trimEnd()] : shown;
}

export function pluralize(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
