/**
 * What a component gets and gives: evaluated properties and unrendered children in, HTML out. The page renderer
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

/** Children are rendered when a component asks for it, so that it can look at them first. */
export type Child =
  | { kind: 'element'; call: ElementCall }
  | { kind: 'code'; block: CodeBlock }
  | { kind: 'text'; text: string }
  | { kind: 'markdown'; isParagraph: boolean; render: (unwrap: boolean) => string };

export interface HeadingOptions {
  level: number;
  html: string;
  id?: string | undefined;
  /** A second id for links that leave out the components in the heading. */
  shortId?: string | undefined;
  anchor?: boolean;
  className?: string | undefined;
  part?: PartHook | undefined;
}

/** Examples that an author gives are not generated again. */
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
  /** What is rendered now goes on living in the browser, with its handlers. */
  readonly isLive?: boolean;
  render(children: readonly Child[]): string;
  /** Renders children inside an element that may not hold paragraphs. */
  renderPhrasing(children: readonly Child[]): string;
  /** Renders a property that is either text with inline Markdown or JSX. */
  renderProp(props: Props, name: string): string;
  inlineMarkdown(source: string): string;
  code(block: CodeBlock): string;
  heading(options: HeadingOptions): string;
  /** An id that is unique on the page, made from a title. */
  uniqueId(text: string): string;
  /** Whether an id an author wrote may stand: false when the page has it already. */
  claimId(id: string): boolean;
  /** Headings inside are left out of the table of contents. */
  outsideContents<Result>(work: () => Result): Result;
  link(href: string, place: FilePlace | undefined): { href: string | undefined; outside: boolean };
  /** The address of a picture or other file of the site as seen from the page; undefined when it is missing or elsewhere. */
  asset(address: string, place: FilePlace | undefined): string | undefined;
  /** The size of a picture of the site, when its file tells. */
  pictureSize(address: string): PictureSize | undefined;
  /** True once on a page. */
  isFirstPicture(): boolean;
  /** A formula, typeset. */
  math(formula: Formula, place: FilePlace | undefined): string;
  /** Blocks of Markdown given as text. */
  markdown(source: string): string;
  /** The https address of a file on another host; undefined for the site's own. A page must not load it. */
  elsewhere(address: string): string | undefined;
  /** An icon as authors name it: see `icons/reference.ts`. */
  icon(icon: string | undefined, place?: FilePlace): string;
  /** Puts HTML into the column beside the content and returns nothing; inside of such HTML it stays where it is. */
  beside(work: () => string, kind?: BesideKind): string;
  /** Notes a value of an API that the page describes itself; fields that `work` renders belong to it. */
  field(field: WrittenField, work: () => string): string;
  /** Notes classes that an author wrote, so that the utilities among them get a rule. Returns them. */
  useClasses(names: string): string;
  /** A class that stands for inline style declarations. */
  styleClass(declarations: string): string | undefined;
  /** The address of a file of the site as the stylesheet of those classes names it. */
  styleFile(address: string, place: FilePlace | undefined): string | undefined;
  /** Puts rules that stand in the page into a file that it loads. */
  useRules(css: string, place: FilePlace | undefined): void;
  /** Notes an entry of a changelog for the feed of the page. */
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

/** Children that are nothing but words: code gets them as a text, as it would from React. */
export function wordsOf(children: readonly Child[]): string | undefined {
  const words = children.flatMap((child) => (child.kind === 'text' ? [child.text] : []));
  return words.length > 0 && words.length === children.length ? words.join('') : undefined;
}

/** The elements of a given name among children, also inside fragments and paragraphs that were flattened before. */
export function elementsNamed(children: readonly Child[], ...names: string[]): ElementCall[] {
  return children.flatMap((child) =>
    child.kind === 'element' && names.includes(child.call.name) ? [child.call] : [],
  );
}
