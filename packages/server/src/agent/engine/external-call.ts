/** How the journal distinguishes calls of an external agent from those of the built-in engine. */
import type { ToolCall } from '../contract.ts';
import { objectOf, textOf } from '../model/json-fields.ts';

/** Tools of the agent itself are named after the kind that it reports. */
export const ownToolPrefix = 'acp_';
/** Calls of docs tools by an external agent have ids of this form. */
export const docsCallPrefix = 'docs-';

export function isExternalCall({ name, id }: ToolCall): boolean {
  return name.startsWith(ownToolPrefix) || id.startsWith(docsCallPrefix);
}

/** What an external agent says about its call. */
export function titleOf({ name, input }: ToolCall): string | undefined {
  if (!name.startsWith(ownToolPrefix)) return undefined;
  return textOf(objectOf(input)?.['title']) || undefined;
}

/** Calls without a path and an input cannot be compared. */
export function isComparable({ name, input }: ToolCall): boolean {
  if (!name.startsWith(ownToolPrefix)) return true;
  return typeof input === 'object' && input !== null && ('path' in input || 'input' in input);
}
