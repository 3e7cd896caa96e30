/**
 * The interface of components: evaluated properties and unrendered children in, HTML out. The page renderer
 * implements `PageContext`; components know nothing of files, parsers or processes.
 */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import type { Formula } from '../math/marks.ts';
import type { CodeBlock } from '../highlight/code-block.ts';
import type { PartHook } from '../model/style-hooks.ts';
import type { Props } from './props.ts';
import type { RenderedUpdate } from '../model/page.ts';
import type { PictureSize } from '../model/site-plan.ts';

export interface ElementCall {
  name: string;
  props: Props;
  children: Child[];
  place?: FilePlace | undefined;
}

/** A component renders its children on demand, so that it can inspect them first. */
export type Child =
  | { kind: 'element'; call: ElementCall }
  | { kind: 'code'; block: CodeBlock }
  | { kind: 'text'; text: string }
  | { kind: 'markdown'; isParagraph: boolean; render: (unwrap: boolean) => string };

export interface HeadingOptions {
  level: number;
  html: string;
  id?: string | undefined;
  /** A second id for links that omit the components in the heading. */
  shortId?: string | undefined;
  anchor?: boolean;
  className?: string | undefined;
  part?: PartHook | undefined;
}

/** An author's examples replace generated ones. */
export type BesideKind = 'request' | 'response' | 'panel';

/** A parameter or property as its author describes it. */
export interface WrittenField {
  name: string;
  /** Where it goes in a request: `query`, `path`, `body`, `header`, `cookie`; undefined in a response. */
  place: string | undefined;
  type: string;
  required: boolean;
  initial: string | undefined;
  example: string | undefined;
}

export interface PageContext {
  /** Whether the current part becomes an island. */
  readonly isLive?: boolean;
  render(children: readonly Child[]): string;
  /** Renders children without paragraphs, for headings, links and inline components. */
  renderPhrasing(children: readonly Child[]): string;
  /** Renders a property that is either text with inline Markdown or JSX. */
  renderProp(props: Props, name: string): string;
  inlineMarkdown(source: string): string;
  code(block: CodeBlock): string;
  heading(options: HeadingOptions): string;
  /** A unique id derived from a title. */
  uniqueId(text: string): string;
  /** Returns false when the page has the id already. */
  claimId(id: string): boolean;
  /** Headings inside are omitted from the table of contents. */
  outsideContents<Result>(work: () => Result): Result;
  link(href: string, place: FilePlace | undefined): { href: string | undefined; outside: boolean };
  /** The address of a site file relative to the page; undefined when it is missing or on another host. */
  asset(address: string, place: FilePlace | undefined): string | undefined;
  /** Undefined when the file does not contain its size. */
  pictureSize(address: string): PictureSize | undefined;
  /** True once per page. */
  isFirstPicture(): boolean;
  math(formula: Formula, place: FilePlace | undefined): string;
  /** Renders Markdown blocks. */
  markdown(source: string): string;
  /**
   * The https address of a file on another host, which a page must not load; undefined for the site's own
   * files.
   */
  remoteAddress(address: string): string | undefined;
  /** See `icons/reference.ts` for the notation. */
  icon(icon: string | undefined, place?: FilePlace): string;
  /**
   * Moves HTML into the column beside the content and returns an empty string. Nested calls return their
   * HTML.
   */
  beside(work: () => string, kind?: BesideKind): string;
  /** Notes a field of an API that the page describes; fields that `work` renders belong to it. */
  field(field: WrittenField, work: () => string): string;
  /** Notes an author's classes for the utility stylesheet and returns them. */
  useClasses(names: string): string;
  /** The class that replaces inline style declarations. */
  styleClass(declarations: string): string | undefined;
  /** The address of a site file relative to the stylesheet of those classes. */
  styleFile(address: string, place: FilePlace | undefined): string | undefined;
  /** Moves rules of the page into a file that it loads. */
  useRules(css: string, place: FilePlace | undefined): void;
  /** Notes a changelog entry for the page's feed. */
  noteUpdate(update: RenderedUpdate): void;
  /** `target` is the address that the finding is about. */
  report(
    code: DiagnosticCode,
    message: string,
    place: FilePlace | undefined,
    hint?: string,
    target?: string,
  ): void;
}

export type Component = (call: ElementCall, page: PageContext) => string;

/** The text of children without elements: code receives it as a string, as it would from React. */
export function wordsOf(children: readonly Child[]): string | undefined {
  const words = children.flatMap((child) => (child.kind === 'text' ? [child.text] : []));
  return words.length > 0 && words.length === children.length ? words.join('') : undefined;
}

export function elementsNamed(children: readonly Child[], ...names: string[]): ElementCall[] {
  return children.flatMap((child) =>
    child.kind === 'element' && names.includes(child.call.name) ? [child.call] : [],
  );
}
