/** The Markdown syntax tree as this renderer reads it: one loose node shape for both parsers. */
import type { SourcePlace } from '../check/diagnostic.ts';

export interface Node {
  type: string;
  position?: { start: SourcePlace & { offset?: number }; end?: { offset?: number } } | undefined;
  children?: Node[];
  value?: string;
  /** JSX elements. */
  name?: string | null;
  attributes?: JsxAttribute[];
  depth?: number;
  lang?: string | null;
  meta?: string | null;
  url?: string;
  title?: string | null;
  alt?: string | null;
  identifier?: string;
  label?: string | null;
  ordered?: boolean | null;
  start?: number | null;
  spread?: boolean | null;
  checked?: boolean | null;
  align?: (string | null)[] | null;
}

export interface JsxAttribute {
  type: string;
  name?: string;
  value?: string | null | { type: string; value: string };
}

/** A few words in braces within a sentence, which are most likely meant as they stand. */
export function isShortText(node: Node): boolean {
  return (
    node.type === 'mdxTextExpression' && (node.value ?? '').length <= 60 && !/[<\n]/.test(node.value ?? '')
  );
}
