/** The Markdown syntax tree as this renderer reads it: one loose node shape for both parsers. */
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

/** A tree, with what is known of it once it has been walked. */
export interface SurveyedTree {
  tree: Node;
  depth: number;
  /** There are no elements, expressions and modules in it: Markdown and nothing else. */
  isPlain: boolean;
  /** Modules, definitions and footnotes, in the order of the text. */
  declarations: Node[];
}

/** A few words in braces within a sentence, which are most likely meant as they stand. */
export function isShortText(node: Node): boolean {
  return (
    node.type === 'mdxTextExpression' && (node.value ?? '').length <= 60 && !/[<\n]/.test(node.value ?? '')
  );
}

/** Nodes that are worked out, not written as they stand. */
export function isCode({ type }: Node): boolean {
  return type.startsWith('mdx') && type !== 'mdxjsEsm';
}

/** Nodes that show nothing where they stand. */
export function isSilent({ type }: Node): boolean {
  return type === 'definition' || type === 'footnoteDefinition' || type === 'html' || type === 'mdxjsEsm';
}
