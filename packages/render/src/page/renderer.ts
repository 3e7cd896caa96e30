/**
 * Renders one page: one walk over the syntax tree, with elements handed to components and expressions to the static
 * evaluator; what it refuses is run (`code.ts`) and comes back as elements as well. One instance serves one page.
 */
import type { FilePlace } from '../model/diagnostic.ts';
import { calloutLike, catalogue } from '../components/catalogue.ts';
import { asOneLine } from './inline-text.ts';
import { type Child, type ElementCall, type PageContext, wordsOf } from '../components/contract.ts';
import { htmlElement, isHtmlElement } from '../components/elements.ts';
import { Props } from '../components/props.ts';
import { Evaluator, elementType } from '../evaluate/evaluator.ts';
import {
  ElementValue,
  Foreign,
  FunctionValue,
  ObjectValue,
  Scope,
  Unsupported,
  type Value,
} from '../evaluate/values.ts';
import { escapeText } from '../text/html.ts';
import { PageIslands } from '../islands/page-islands.ts';
import { documentElement, documentOfElement } from '../program/program.ts';
import { PageCode } from './code.ts';
import { Computed, nameOf, wordsIn } from './computed.ts';
import type { Document } from '../document/document.ts';
import { Footnotes } from './footnotes.ts';
import { type Frame, codeBlockOf, placeOf } from './frame.ts';
import { type MarkdownHost, markdownHtml } from './markdown.ts';
import { type Module, PageModules } from './modules.ts';
import { type ParserName, parseMarkdown } from '../document/parser.ts';
import { PageRecord, type SiteTools } from './record.ts';
import { withoutRepeatedTitle } from './repeated-title.ts';
import type { PageTask } from '../model/page.ts';
import { type Node, isShortText } from '../document/tree.ts';
import { DocumentError } from '../document/document-error.ts';
import type { UrlStyle } from '../model/site-plan.ts';

const mayBeMarkdown = /[\\`*_[\]<>&~!"'.-]/;
/** Most descriptions are words with full stops and hyphens, which need no parser: 0.1 ms of every page. */
const plainSentences =
  /^\p{L}(?:[\p{L}\p{N},;]| (?=\S)|(?<=[\p{L}\p{N}])-(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])\.(?= |$))*$/u;

/** What the address of a page ends with when it is put together in the browser. */
const pageEndings: Record<UrlStyle, string> = { html: '.html', directory: '/', clean: '' };

const maximumSnippetDepth = 20;
/** A snippet that uses itself twice would be a million snippets at that depth. */
const maximumSnippets = 2000;

export class PageRenderer extends PageRecord implements PageContext {
  readonly #evaluator = new Evaluator();
  readonly #modules: PageModules;
  readonly #footnotes = new Footnotes();
  readonly customCode: PageCode;
  readonly islands: PageIslands;
  readonly #computed: Computed;
  /** What nodes of a document need to be written, by the frame they stand in. */
  readonly #hosts = new WeakMap<Frame, MarkdownHost>();
  #snippets = 0;
  #documentDepth = 0;

  constructor(tools: SiteTools, task: PageTask, parser: ParserName) {
    super(tools, task);
    const report = this.report.bind(this);
    this.#modules = new PageModules(tools.sources, { evaluator: this.#evaluator, report }, parser);
    this.customCode = new PageCode(tools, task, parser);
    this.islands = new PageIslands({
      pageEnding: pageEndings[tools.plan.urlStyle],
      outsideContents: (work) => this.outsideContents(work),
      useClasses: (names) => this.useClasses(names),
      quietAddress: (written) => this.quietAddress(written),
      quietPicture: (address) => this.quietPicture(address),
      renderElement: (call) => this.#element(call),
      report,
    });
    const host = {
      report,
      render: (children: readonly Child[]) => this.render(children),
      childrenOfValue: this.#childrenOfValue.bind(this),
      childrenOfNodes: this.#childrenOf.bind(this),
    };
    this.#computed = new Computed(host, this.#evaluator, this.customCode, this.islands);
  }

  override asset(address: string, place: FilePlace | undefined): string | undefined {
    return this.islands.learn(address, super.asset(address, place));
  }

  override link(written: string, place: FilePlace | undefined): ReturnType<PageRecord['link']> {
    const link = super.link(written, place);
    if (!link.outside) this.islands.learn(written, link.href);
    return link;
  }

  /** What is rendered now becomes live in the browser. */
  get isLive(): boolean {
    return this.islands.inside;
  }

  /** Every file that the page was made from. */
  get sourceFiles(): string[] {
    return this.#modules.files;
  }

  renderDocument(document: Document): string {
    for (const { what, place } of document.repaired)
      this.report('mdx_repaired', `The page is not valid MDX: ${what}`, place);
    this.customCode.beginPage({ file: this.task.file, document });
    const module = this.#modules.ofDocument(this.task.file, document);
    const frame: Frame = {
      file: this.task.file,
      document,
      scope: module.scope,
      interpolations: new Map(),
      depth: 0,
    };
    const nodes = withoutRepeatedTitle(document.tree.children ?? [], this.task.title);
    return this.#content(nodes, frame) + this.#footnoteSection();
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
    return this.renderPhrasing(this.#childrenOfValue(value, undefined));
  }

  markdown(source: string): string {
    const frame: Frame = {
      file: this.task.file,
      document: undefined,
      scope: this.#evaluator.standard,
      interpolations: new Map(),
      depth: 0,
    };
    return this.#content(parseMarkdown(source).children ?? [], frame);
  }

  inlineMarkdown(source: string): string {
    if (!mayBeMarkdown.test(source) || plainSentences.test(source)) return escapeText(source);
    const frame: Frame = {
      file: this.task.file,
      document: undefined,
      scope: this.#evaluator.standard,
      interpolations: new Map(),
      depth: 0,
    };
    const children = parseMarkdown(asOneLine(source)).children ?? [];
    return this.renderPhrasing(this.#childrenOf(children, frame));
  }

  #child(child: Child, unwrap: boolean): string {
    this.charge(child.kind === 'text' ? child.text.length : 0);
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
    if (!module || this.#documentDepth >= maximumSnippetDepth) return '';
    this.#documentDepth++;
    try {
      return this.render(this.#snippetChildren(module, props.values, children, 1));
    } finally {
      this.#documentDepth--;
    }
  }

  #legacySnippet(call: ElementCall): string {
    const name = call.props.text('file') ?? '';
    const module = this.#modules.snippet(name, call.place?.file);
    if (module) return this.render(this.#snippetChildren(module, call.props.values, call.children, 0));
    this.report(
      'snippet_missing',
      `The snippet "${name}" does not exist; readers see nothing in its place`,
      call.place,
    );
    return '';
  }

  /**
   * What nodes of a document show. Where none of them is code they are written one after the other; otherwise all code
   * among them is worked out before the first of them is written.
   */
  #content(nodes: readonly Node[], frame: Frame, host = this.#hostOf(frame)): string {
    if (!frame.document?.isPlain && nodes.some(isCode)) return this.render(this.#childrenOf(nodes, frame));
    let html = '';
    for (const node of nodes) {
      if (isSilent(node)) continue;
      this.charge(node.type === 'text' ? (node.value ?? '').length : 0);
      html += markdownHtml(node, host);
    }
    return html;
  }

  #childrenOf(nodes: readonly Node[], frame: Frame): Child[] {
    const children: Child[] = [];
    nodes.forEach((node, index) => {
      for (const child of this.#childOf(node, frame)) children.push(child);
      const isApart = node.type === 'mdxJsxFlowElement' || node.type === 'mdxFlowExpression';
      if (isApart && index < nodes.length - 1) children.push({ kind: 'text', text: '\n' });
    });
    return children;
  }

  #childOf(node: Node, frame: Frame): Child[] {
    switch (node.type) {
      case 'mdxJsxFlowElement':
      case 'mdxJsxTextElement':
        return this.#guard(frame, node, () => this.#jsxChildren(node, frame));
      case 'mdxFlowExpression':
      case 'mdxTextExpression':
        return this.#guard(frame, node, () => this.#computed.expression(node, frame));
      case 'text':
        return [{ kind: 'text', text: node.value ?? '' }];
      case 'code':
        return [{ kind: 'code', block: codeBlockOf(node, frame) }];
      default:
        if (isSilent(node)) return [];
        return [
          {
            kind: 'markdown',
            isParagraph: node.type === 'paragraph',
            render: (unwrap) => this.#markdown(node, frame, unwrap),
          },
        ];
    }
  }

  /**
   * What cannot be evaluated with certainty is told, and shows nothing; but a few words in braces within a sentence
   * are most likely meant as they stand.
   */
  #guard(frame: Frame, node: Node, work: () => Child[]): Child[] {
    try {
      return work();
    } catch (error) {
      if (error instanceof Unsupported) {
        const asWritten = isShortText(node);
        const fate = asWritten ? 'is shown as written' : 'was left out';
        const message = `${nameOf(node)} ${fate}: ${error.message}`;
        this.report('expression_unsupported', message, placeOf(node, frame));
        return asWritten ? [{ kind: 'text', text: `{${node.value ?? ''}}` }] : [];
      }
      if (error instanceof DocumentError) {
        const where = error.place ?? placeOf(node, frame);
        this.report('snippet_failed', `<${node.name ?? ''}> was left out: ${error.message}`, where);
        return [];
      }
      throw error;
    }
  }

  #markdown(node: Node, frame: Frame, unwrap: boolean): string {
    const host = this.#hostOf(frame);
    return unwrap && node.type === 'paragraph' ? host.content(node.children) : markdownHtml(node, host);
  }

  #hostOf(frame: Frame): MarkdownHost {
    const known = this.#hosts.get(frame);
    if (known) return known;
    const host: MarkdownHost = {
      content: (nodes) => (nodes ? this.#content(nodes, frame, host) : ''),
      heading: (options) => this.heading(options),
      link: (href, place) => this.link(href, place),
      asset: (address, place) => this.asset(address, place),
      pictureSize: (address) => this.pictureSize(address),
      isFirstPicture: () => this.isFirstPicture(),
      elsewhere: (address) => this.elsewhere(address),
      place: (inner) => placeOf(inner, frame),
      definition: (identifier) => frame.document?.definitions.get(identifier),
      footnoteNumber: (identifier) => this.#footnotes.refer(identifier, frame),
      code: (inner) => this.code(codeBlockOf(inner, frame)),
      math: (formula, place) => this.math(formula, place),
      report: (...finding) => this.report(...finding),
    };
    this.#hosts.set(frame, host);
    return host;
  }

  #jsxChildren(node: Node, frame: Frame): Child[] {
    const childrenNow = (): Child[] => this.#childrenOf(node.children ?? [], frame);
    if (!node.name) return childrenNow();
    const place = placeOf(node, frame);
    const type = this.#typeOf(node.name, frame.scope);
    if (type instanceof Foreign && isModule(type.content))
      return this.#snippetChildren(
        type.content,
        this.#computed.props(node, frame),
        childrenNow(),
        frame.depth + 1,
      );
    if (typeof type === 'string' && !hasHandler(node)) {
      const props = new Props(this.#computed.props(node, frame));
      return [{ kind: 'element', call: { name: type, props, children: childrenNow(), place } }];
    }
    return this.#computed.content(node, frame, this.#givenChildren(node, frame), (children) => {
      if (type instanceof Unsupported) throw type;
      if (typeof type !== 'string')
        return this.#customElement(type, this.#computed.ownProps(node, frame), children, place, frame.depth);
      this.#evaluator.liveParts++;
      const props = new Props(this.#computed.props(node, frame));
      const content = this.#childrenOfValue(children, place);
      return [{ kind: 'element', call: { name: type, props, children: content, place } }];
    });
  }

  /** Elements of the author's own are worked out where they are placed: around them may be what they need. */
  #givenChildren(node: Node, frame: Frame): Value {
    const nodes = node.children ?? [];
    const words = wordsIn(node);
    if (words !== undefined) return words;
    const make = (): Child[] => {
      const before = this.#evaluator.liveParts;
      const children = this.#childrenOf(nodes, frame);
      this.#evaluator.liveParts = before;
      return children;
    };
    if (nodes.some(({ type }) => type.startsWith('mdxJsx'))) return Foreign.lazily(make);
    const children = make();
    if (children.length === 0) return undefined;
    // Several texts are a list of them, and not one text.
    return (nodes.length === 1 ? wordsOf(children) : undefined) ?? new Foreign(children);
  }

  #typeOf(name: string, scope: Scope): ElementValue['type'] | Unsupported {
    try {
      return elementType(name, scope);
    } catch (error) {
      if (error instanceof Unsupported) return error;
      throw error;
    }
  }

  #customElement(
    type: ElementValue['type'],
    props: ObjectValue,
    children: Value,
    place: FilePlace | undefined,
    depth: number,
  ): Child[] {
    if (type instanceof Foreign && isModule(type.content))
      return this.#documentChildren(type.content, props, this.#childrenOfValue(children, place), depth + 1);
    if (!(type instanceof FunctionValue)) throw new Unsupported('this is not a component');
    const given = new ObjectValue(props.entries);
    given.entries.delete('key');
    if (children !== undefined) given.entries.set('children', children);
    return this.#childrenOfValue(this.#evaluator.call(type, [given]), place);
  }

  #snippetChildren(module: Module, props: ObjectValue, children: Child[], depth: number): Child[] {
    if (depth > maximumSnippetDepth) throw new Unsupported('snippets are nested too deeply');
    const { document } = module;
    this.#snippets += 1;
    this.customCode.noteStatic();
    if (this.#snippets === maximumSnippets) throw new Unsupported('the page holds too many snippets');
    if (!document || this.#snippets > maximumSnippets) return [];
    const given = new ObjectValue(props.entries);
    if (children.length) given.entries.set('children', new Foreign(children));
    const scope = new Scope(module.scope, [['children', undefined], ...given.entries, ['props', given]]);
    const interpolations = new Map(
      [...props.entries].flatMap(([name, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
      ),
    );
    const frame: Frame = { file: module.file, document, scope, given, interpolations, depth };
    return this.#childrenOf(document.tree.children ?? [], frame);
  }

  #childrenOfValue(value: Value, place: FilePlace | undefined): Child[] {
    if (value === null || value === undefined || typeof value === 'boolean') return [];
    if (typeof value === 'string' || typeof value === 'number')
      return [{ kind: 'text', text: String(value) }];
    if (Array.isArray(value)) return value.flatMap((item) => this.#childrenOfValue(item, place));
    if (value instanceof Foreign && Array.isArray(value.content)) {
      this.charge(0, value.content.length);
      return value.content as Child[];
    }
    if (!(value instanceof ElementValue)) throw new Unsupported('this kind of value cannot be shown');
    const children = value.children.flatMap((item) => this.#childrenOfValue(item, place));
    if (value.type === null) return children;
    if (typeof value.type !== 'string') {
      const given = children.length ? (wordsOf(children) ?? new Foreign(children)) : undefined;
      return this.#customElement(value.type, value.props, given, place, 0);
    }
    const file = documentOfElement(value.type);
    const module = file === undefined ? undefined : this.#modules.document(file);
    if (module) return this.#documentChildren(module, value.props, children, 1);
    return [{ kind: 'element', call: { name: value.type, props: new Props(value.props), children, place } }];
  }

  /** A Markdown file among the elements that code made. In an island it is a part that the browser must find again. */
  #documentChildren(module: Module, props: ObjectValue, children: Child[], depth: number): Child[] {
    if (!this.#computed.isForIsland) return this.#snippetChildren(module, props, children, depth);
    return [
      { kind: 'element', call: { name: documentElement(module.file), props: new Props(props), children } },
    ];
  }

  #footnoteSection(): string {
    return this.#footnotes.html((node, frame) => this.#content(node.children ?? [], frame));
  }
}

/** Nodes that are worked out, not written as they stand. */
function isCode({ type }: Node): boolean {
  return type.startsWith('mdx') && type !== 'mdxjsEsm';
}

/** Nodes that show nothing where they stand. */
function isSilent({ type }: Node): boolean {
  return type === 'definition' || type === 'footnoteDefinition' || type === 'html' || type === 'mdxjsEsm';
}

function hasHandler(node: Node): boolean {
  return (
    node.attributes?.some(
      ({ name, value }) =>
        name !== undefined && /^on[A-Z]/.test(name) && typeof value === 'object' && value !== null,
    ) ?? false
  );
}

function isModule(content: unknown): content is Module {
  return typeof content === 'object' && content !== null && 'scope' in content && 'file' in content;
}
