import type { Code, ToolContext } from '../contract.ts';
import { ToolError } from './tool.ts';

/** The context with the code in place of the documentation. What a run has seen there does not count for its edits. */
export function inCode(context: ToolContext): ToolContext & { code: Code } {
  const { code } = context;
  if (code === undefined) throw new ToolError('The project has no context repositories.');
  return { ...context, code, tree: code.tree, seen: new Map() };
}
