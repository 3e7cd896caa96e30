/** The Markdown syntax tree of both parsers: one node shape with optional fields. */
import type { SourcePlace } from '../model/diagnostic.ts';

export interface Node {
  type: string;
  position?: { start: SourcePlace & { offset?: number }; end?: { offset?: number } } | undefined;
  children?: Node[] | undefined;
  value?: string | undefined;
  /** JSX elements. */
  name?: string | null;
  attributes?: JsxAttribute[];
  depth?: number | undefined;
  lang?: string | null | undefined;
  meta?: string | null | undefined;
  url?: string | undefined;
  title?: string | null | undefined;
  alt?: string | null | undefined;
  identifier?: string | undefined;
  label?: string | null | undefined;
  ordered?: boolean | null | undefined;
  start?: number | null | undefined;
  spread?: boolean | null | undefined;
  checked?: boolean | null | undefined;
  align?: (string | null)[] | null | undefined;
}

export interface JsxAttribute {
  type: string;
  name?: string;
  value?: string | null | { type: string; value: string };
}

/** A tree with facts from walking it. */
export interface SurveyedTree {
  tree: Node;
  depth: number;
  /** Contains no elements, expressions or modules. */
  isPlain: boolean;
  /** Modules, definitions and footnotes in document order. */
  declarations: Node[];
}

/** A few words in braces within a sentence, which are most likely text. */
export function isShortText(node: Node): boolean {
  return (
    node.type === 'mdxTextExpression' && (node.value ?? '').length <= 60 && !/[<\n]/.test(node.value ?? '')
  );
}

export function isCode({ type }: Node): boolean {
  return type.startsWith('mdx') && type !== 'mdxjsEsm';
}

export function isSilent({ type }: Node): boolean {
  return type === 'definition' || type === 'footnoteDefinition' || type === 'html' || type === 'mdxjsEsm';
}
