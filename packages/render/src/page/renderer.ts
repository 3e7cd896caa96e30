/**
 * Renders one page: gives the elements of its document to components and implements `PageContext` for them.
 */
import { calloutLike, catalogue } from '../components/catalogue.ts';
import type {
  BesideKind,
  Child,
  ElementCall,
  HeadingOptions,
  PageContext,
  WrittenField,
} from '../components/contract.ts';
import { htmlElement, isHtmlElement } from '../components/elements.ts';
import type { Props } from '../components/props.ts';
import type { Document } from '../document/document.ts';
import type { ParserName } from '../document/parser.ts';
import { Evaluator } from '../evaluate/evaluator.ts';
import type { CodeBlock } from '../highlight/code-block.ts';
import { PageIslands } from '../islands/page-islands.ts';
import type { Formula } from '../math/marks.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import type { PageTask, RenderedUpdate } from '../model/page.ts';
import type { PictureSize, UrlStyle } from '../model/site-plan.ts';
import { documentOfElement } from '../program/program.ts';
import { escapeText } from '../text/html.ts';
import { PageChildren, maxSnippetDepth } from './children.ts';
import { PageCode } from './code.ts';
import { PageCollector } from './collector.ts';
import { MarkdownWriter } from './markdown-writer.ts';
import { PageModules } from './modules.ts';
import { PageAddresses, type PageLink } from './page-addresses.ts';
import { PageParts } from './page-parts.ts';
import type { SiteTools } from './site-tools.ts';

/** Endings of page addresses that are composed in the browser. */
const pageEndings: Record<UrlStyle, string> = { html: '.html', directory: '/', clean: '' };

export class DocumentRenderer implements PageContext {
  readonly collector: PageCollector;
  readonly customCode: PageCode;
  readonly islands: PageIslands;
  readonly #task: PageTask;
  readonly #addresses: PageAddresses;
  readonly #parts: PageParts;
  readonly #modules: PageModules;
  readonly #children: PageChildren;
  readonly #writer: MarkdownWriter;
  #documentDepth = 0;

  constructor(tools: SiteTools, task: PageTask, parser: ParserName) {
    this.#task = task;
    this.collector = new PageCollector(task);
    this.#addresses = new PageAddresses(tools, task, this.collector);
    this.#parts = new PageParts(tools.plan, this.collector, (address, place) => this.asset(address, place));
    const report = this.report.bind(this);
    const evaluator = new Evaluator();
    this.#modules = new PageModules(tools.sources, { evaluator, report }, parser);
    this.customCode = new PageCode(tools, task, parser);
    this.islands = new PageIslands({
      pageEnding: pageEndings[tools.plan.urlStyle],
      outsideContents: (work) => this.outsideContents(work),
      useClasses: (names) => this.useClasses(names),
      quietAddress: (written) => this.#addresses.quietAddress(written),
      quietPicture: (address) => this.#addresses.quietPicture(address),
      renderElement: (call) => this.#element(call),
      report,
    });
    this.#writer = new MarkdownWriter({
      page: this,
      task,
      collector: this.collector,
      scope: evaluator.standard,
      childrenOf: (nodes, frame) => this.#children.ofNodes(nodes, frame),
    });
    this.#children = new PageChildren({
      evaluator,
      modules: this.#modules,
      code: this.customCode,
      islands: this.islands,
      collector: this.collector,
      render: (children) => this.render(children),
      writeMarkdown: (node, frame, unwrap) => this.#writer.node(node, frame, unwrap),
    });
  }

  get isLive(): boolean {
    return this.islands.inside;
  }

  get sourceFiles(): string[] {
    return this.#modules.files;
  }

  renderDocument(document: Document): string {
    for (const { what, place } of document.repaired)
      this.report('mdx_repaired', `The page is not valid MDX: ${what}`, place);
    const { file } = this.#task;
    this.customCode.beginPage({ file, document });
    return this.#writer.document(document, this.#modules.ofDocument(file, document).scope);
  }

  render(children: readonly Child[]): string {
    let html = '';
    for (const child of children) html += this.#child(child, false);
    return this.islands.children(children, html);
  }

  renderPhrasing(children: readonly Child[]): string {
    let html = '';
    for (const child of children) html += this.#child(child, true);
    return this.islands.children(children, html.trim());
  }

  renderProp(props: Props, name: string): string {
    const value = props.value(name);
    if (typeof value === 'string') return this.inlineMarkdown(value);
    return this.renderPhrasing(this.#children.ofValue(value, undefined));
  }

  markdown(source: string): string {
    return this.#writer.blocks(source);
  }

  inlineMarkdown(source: string): string {
    return this.#writer.line(source);
  }

  code(block: CodeBlock): string {
    return this.#parts.code(block);
  }

  math(formula: Formula, place: FilePlace | undefined): string {
    return this.#parts.math(formula, place);
  }

  heading(options: HeadingOptions): string {
    return this.#parts.heading(options);
  }

  icon(icon: string | undefined, place?: FilePlace): string {
    return this.#parts.icon(icon, place);
  }

  link(written: string, place: FilePlace | undefined): PageLink {
    const link = this.#addresses.link(written, place);
    if (!link.outside) this.islands.noteAddress(written, link.href);
    return link;
  }

  asset(address: string, place: FilePlace | undefined): string | undefined {
    return this.islands.noteAddress(address, this.#addresses.asset(address, place));
  }

  remoteAddress(address: string): string | undefined {
    return this.#addresses.remoteAddress(address);
  }

  pictureSize(address: string): PictureSize | undefined {
    return this.#addresses.pictureSize(address);
  }

  useClasses(names: string): string {
    return this.#addresses.useClasses(names);
  }

  styleFile(address: string, place: FilePlace | undefined): string | undefined {
    return this.#addresses.styleFile(address, place);
  }

  useRules(css: string, place: FilePlace | undefined): void {
    this.#addresses.useRules(css, place);
  }

  uniqueId(text: string): string {
    return this.collector.uniqueId(text);
  }

  claimId(id: string): boolean {
    return this.collector.claimId(id);
  }

  outsideContents<Result>(work: () => Result): Result {
    return this.collector.outsideContents(work);
  }

  isFirstPicture(): boolean {
    return this.collector.isFirstPicture();
  }

  beside(work: () => string, kind?: BesideKind): string {
    return this.collector.beside(work, kind);
  }

  field(field: WrittenField, work: () => string): string {
    return this.collector.field(field, work);
  }

  styleClass(declarations: string): string | undefined {
    return this.collector.styleClass(declarations);
  }

  noteUpdate(update: RenderedUpdate): void {
    this.collector.noteUpdate(update);
  }

  report(...finding: Parameters<PageContext['report']>): void {
    this.collector.report(...finding);
  }

  #child(child: Child, unwrap: boolean): string {
    this.collector.charge(child.kind === 'text' ? child.text.length : 0);
    switch (child.kind) {
      case 'text':
        return escapeText(child.text);
      case 'code':
        return this.code(child.block);
      case 'element':
        return this.#element(child.call);
      case 'markdown':
        return child.render(unwrap);
    }
  }

  #element(call: ElementCall): string {
    if (isHtmlElement(call.name)) return htmlElement(call, this);
    const component = catalogue.get(call.name) ?? calloutLike(call.name);
    if (component) return this.islands.builtin(call, () => component(call, this));
    if (call.name === 'Snippet') return this.#legacySnippet(call);
    const file = documentOfElement(call.name);
    if (file !== undefined) return this.islands.builtin(call, () => this.#document(file, call));
    this.report(
      'component_unknown',
      `<${call.name}> is not a known component; only its content is shown`,
      call.place,
    );
    return this.render(call.children);
  }

  #document(file: string, { props, children }: ElementCall): string {
    const module = this.#modules.document(file);
    if (!module || this.#documentDepth >= maxSnippetDepth) return '';
    this.#documentDepth++;
    try {
      return this.render(this.#children.ofSnippet(module, props.values, children, 1));
    } finally {
      this.#documentDepth--;
    }
  }

  #legacySnippet(call: ElementCall): string {
    const name = call.props.text('file') ?? '';
    const module = this.#modules.snippet(name, call.place?.file);
    if (module) return this.render(this.#children.ofSnippet(module, call.props.values, call.children, 0));
    this.report(
      'snippet_missing',
      `The snippet "${name}" does not exist; readers see nothing in its place`,
      call.place,
    );
    return '';
  }
}
