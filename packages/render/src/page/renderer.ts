/**
 * Renders one page: one walk over the syntax tree, with elements handed to components and expressions to the static
 * evaluator. It collects headings, assets, styles and findings on the way. One instance serves one page.
 */
import type { Diagnostic, FilePlace, Severity } from '../check/diagnostic.ts';
import { calloutLike, catalogue } from '../components/catalogue.ts';
import type { Child, ElementCall, HeadingOptions, PageContext } from '../components/contract.ts';
import { htmlElement, isHtmlElement } from '../components/elements.ts';
import { iconSvg } from '../components/icons.ts';
import { Props } from '../components/props.ts';
import { classOfDeclarations } from '../components/style.ts';
import { Evaluator, elementType } from '../evaluate/evaluator.ts';
import { isEmptyExpression, parseExpression, parseSpread } from '../evaluate/parse.ts';
import { ElementValue, Foreign, ObjectValue, Scope, Unsupported, type Value } from '../evaluate/values.ts';
import { FunctionValue } from '../evaluate/values.ts';
import { type CodeBlock, codeBlockHtml } from '../highlight/code-block.ts';
import { attributes, element, escapeText, textOfHtml } from '../html.ts';
import { type Addresses, prefixToRoot, relativeHref } from '../navigation/addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Document } from './document.ts';
import { DocumentError } from './failure.ts';
import { UniqueIds, slugOf } from './headings.ts';
import { type MarkdownHost, markdownHtml } from './markdown.ts';
import { type Module, type ModuleSources, PageModules } from './modules.ts';
import { type ParserName, parseMarkdown } from './parser.ts';
import type { Heading, PageTask, SitePlan } from './task.ts';
import type { JsxAttribute, Node } from './tree.ts';

/** What all pages share: built once per process from the plan. */
export interface SiteTools {
  plan: SitePlan;
  rendered: ReadonlySet<string>;
  addresses: Addresses;
  links: LinkResolver;
  sources: ModuleSources;
}

/** The file and scope that a part of the tree belongs to: the page itself or a snippet on it. */
interface Frame {
  file: string;
  document: Document | undefined;
  scope: Scope;
  /** Properties of a snippet, which also stand in its code blocks. */
  interpolations: ReadonlyMap<string, string>;
  depth: number;
}

const maximumSnippetDepth = 20;
const severities: Record<string, Severity> = {
  broken_link: 'warning',
  unsafe_link: 'warning',
  image_missing: 'warning',
  import_missing: 'warning',
  component_unknown: 'warning',
  expression_unsupported: 'warning',
  module_unsupported: 'warning',
  snippet_missing: 'warning',
  snippet_failed: 'error',
  mdx_repaired: 'warning',
};

export class PageRenderer implements PageContext {
  readonly headings: Heading[] = [];
  readonly assets = new Set<string>();
  readonly styles = new Map<string, string>();
  readonly diagnostics: Diagnostic[] = [];
  readonly #tools: SiteTools;
  readonly #task: PageTask;
  readonly #prefix: string;
  readonly #evaluator = new Evaluator();
  readonly #modules: PageModules;
  readonly #ids = new UniqueIds();
  readonly #footnotes = new Map<string, { node: Node; frame: Frame; number: number; references: number }>();
  #quiet = 0;

  constructor(tools: SiteTools, task: PageTask, parser: ParserName) {
    this.#tools = tools;
    this.#task = task;
    this.#prefix = prefixToRoot(task.output);
    const report = this.report.bind(this);
    this.#modules = new PageModules(tools.sources, { evaluator: this.#evaluator, report }, parser);
  }

  renderDocument(document: Document): string {
    for (const { what, place } of document.repaired)
      this.report('mdx_repaired', `The page is not valid MDX: ${what}`, place);
    const module = this.#modules.ofDocument(this.#task.file, document);
    const frame: Frame = {
      file: this.#task.file,
      document,
      scope: module.scope,
      interpolations: new Map(),
      depth: 0,
    };
    const nodes = withoutRepeatedTitle(document.tree.children ?? [], this.#task.title);
    return this.render(this.#childrenOf(nodes, frame)) + this.#footnoteSection();
  }

  render(children: readonly Child[]): string {
    return children.map((child) => this.#child(child, false)).join('');
  }

  renderPhrasing(children: readonly Child[]): string {
    return children
      .map((child) => this.#child(child, true))
      .join('')
      .trim();
  }

  renderProp(props: Props, name: string): string {
    const value = props.value(name);
    if (typeof value === 'string') return this.inlineMarkdown(value);
    return this.renderPhrasing(this.#childrenOfValue(value, undefined));
  }

  inlineMarkdown(source: string): string {
    if (!/[\\`*_[\]<>&~!"'.-]/.test(source)) return escapeText(source);
    const frame: Frame = {
      file: this.#task.file,
      document: undefined,
      scope: this.#evaluator.standard,
      interpolations: new Map(),
      depth: 0,
    };
    const children = parseMarkdown(source).children ?? [];
    return this.renderPhrasing(this.#childrenOf(children, frame));
  }

  code(block: CodeBlock): string {
    return codeBlockHtml(block, (name) => this.icon(name));
  }

  heading({ level, html, id, anchor = true, className }: HeadingOptions): string {
    const text = textOfHtml(html).trim();
    const unique = this.#ids.take(id ?? slugOf(text));
    if (this.#quiet === 0 && level <= 4 && text !== '') this.headings.push({ level, text, id: unique });
    const shown = Math.min(Math.max(level, 2), 6);
    const mark = anchor
      ? `<a class="anchor"${attributes({ href: `#${unique}`, 'aria-hidden': 'true', tabindex: -1 })}>#</a>`
      : '';
    return element(`h${shown}`, { id: unique, class: className }, html + mark);
  }

  uniqueId(text: string): string {
    return this.#ids.take(slugOf(text));
  }

  outsideContents<Result>(work: () => Result): Result {
    this.#quiet++;
    try {
      return work();
    } finally {
      this.#quiet--;
    }
  }

  link(href: string, place: FilePlace | undefined): { href: string | undefined; outside: boolean } {
    const target = this.#tools.links.resolve(href, this.#task.file);
    switch (target.kind) {
      case 'outside':
        return { href: target.href, outside: true };
      case 'here':
        return { href: target.suffix || '#', outside: false };
      case 'page':
        return { href: this.#pageHref(target.route, target.suffix), outside: false };
      case 'file':
        this.assets.add(target.file);
        return { href: relativeHref(this.#prefix, target.file) + target.suffix, outside: false };
      case 'unsafe':
        this.report(
          'unsafe_link',
          `The link "${href}" was left out: "${target.scheme}:" is not allowed`,
          place,
        );
        return { href: undefined, outside: false };
      case 'broken':
        this.report(
          'broken_link',
          `The link "${href}" leads to no page or file of the site`,
          place,
          'Check the spelling, or add a redirect for a page that has moved.',
        );
        return { href: undefined, outside: false };
    }
  }

  #pageHref(route: string, suffix: string): string | undefined {
    const { addresses, rendered, plan } = this.#tools;
    if (rendered.has(route)) return relativeHref(this.#prefix, addresses.hrefOf(route)) + suffix;
    return plan.origin
      ? `${plan.origin}${plan.basePath}/${addresses.canonicalOf(route)}${suffix}`
      : undefined;
  }

  asset(address: string, place: FilePlace | undefined): string | undefined {
    const target = this.#tools.links.resolveFile(address, this.#task.file);
    if (target.kind === 'outside') return target.href.replace(/^http:/, 'https:');
    if (target.kind === 'file') {
      this.assets.add(target.file);
      return relativeHref(this.#prefix, target.file) + target.suffix;
    }
    this.report(
      target.kind === 'unsafe' ? 'unsafe_link' : 'image_missing',
      `"${address.slice(0, 200)}" is not a file of the site`,
      place,
    );
    return undefined;
  }

  icon(name: string | undefined): string {
    return name === undefined ? '' : iconSvg(name);
  }

  styleClass(declarations: string): string | undefined {
    if (declarations === '') return undefined;
    const name = classOfDeclarations(declarations);
    this.styles.set(name, declarations);
    return name;
  }

  report(code: string, message: string, place: FilePlace | undefined, hint?: string): void {
    this.diagnostics.push({
      severity: severities[code] ?? 'info',
      code,
      message,
      file: place?.file ?? this.#task.file,
      ...(place ? { line: place.line, column: place.column } : {}),
      ...(hint ? { hint } : {}),
    });
  }

  #child(child: Child, unwrap: boolean): string {
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
    if (component) return component(call, this);
    if (call.name === 'Snippet') return this.#legacySnippet(call);
    this.report(
      'component_unknown',
      `<${call.name}> is not a known component; only its content is shown`,
      call.place,
    );
    return this.render(call.children);
  }

  #legacySnippet(call: ElementCall): string {
    const name = call.props.text('file') ?? '';
    const module = this.#modules.snippet(name);
    if (module) return this.render(this.#snippetChildren(module, call.props.values, call.children, 0));
    this.report('snippet_missing', `The snippet "${name}" does not exist`, call.place);
    return '';
  }

  #childrenOf(nodes: readonly Node[], frame: Frame): Child[] {
    return nodes.flatMap((node, index) => {
      const children = this.#childOf(node, frame);
      const next = nodes[index + 1];
      const between = node.type === 'mdxJsxFlowElement' && next !== undefined;
      return between ? [...children, { kind: 'text', text: '\n' } as const] : children;
    });
  }

  #childOf(node: Node, frame: Frame): Child[] {
    switch (node.type) {
      case 'mdxJsxFlowElement':
      case 'mdxJsxTextElement':
        return this.#guard(frame, node, () => this.#jsxChildren(node, frame));
      case 'mdxFlowExpression':
      case 'mdxTextExpression':
        return this.#guard(frame, node, () => this.#expressionChildren(node, frame));
      case 'mdxjsEsm':
      case 'definition':
      case 'footnoteDefinition':
      case 'html':
        return [];
      case 'text':
        return [{ kind: 'text', text: node.value ?? '' }];
      case 'code':
        return [{ kind: 'code', block: codeBlockOf(node, frame) }];
      default:
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
        const what = node.name ? `<${node.name}>` : `{${(node.value ?? '').trim().slice(0, 60)}}`;
        const asWritten = isShortText(node);
        const fate = asWritten ? 'is shown as written' : 'was left out';
        this.report('expression_unsupported', `${what} ${fate}: ${error.message}`, placeOf(node, frame));
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
    const host: MarkdownHost = {
      children: (parent) => this.render(this.#childrenOf(parent.children ?? [], frame)),
      heading: (options) => this.heading(options),
      link: (href, place) => this.link(href, place),
      asset: (address, place) => this.asset(address, place),
      icon: (name) => this.icon(name),
      place: (inner) => placeOf(inner, frame),
      definition: (identifier) => frame.document?.definitions.get(identifier),
      footnoteNumber: (identifier) => this.#footnoteNumber(identifier, frame),
      code: (inner) => this.code(codeBlockOf(inner, frame)),
    };
    return unwrap && node.type === 'paragraph' ? host.children(node) : markdownHtml(node, host);
  }

  #expressionChildren(node: Node, frame: Frame): Child[] {
    const source = node.value ?? '';
    if (isEmptyExpression(source)) return [];
    return this.#childrenOfValue(
      this.#evaluator.evaluate(parseExpression(source), frame.scope),
      placeOf(node, frame),
    );
  }

  #jsxChildren(node: Node, frame: Frame): Child[] {
    const inner = node.children ?? [];
    if (!node.name) return this.#childrenOf(inner, frame);
    const type = elementType(node.name, frame.scope);
    const props = this.#props(node, frame);
    const children = this.#childrenOf(inner, frame);
    const place = placeOf(node, frame);
    if (typeof type === 'string')
      return [{ kind: 'element', call: { name: type, props: new Props(props), children, place } }];
    return this.#customElement(type, props, children, place, frame.depth);
  }

  #customElement(
    type: ElementValue['type'],
    props: ObjectValue,
    children: Child[],
    place: FilePlace | undefined,
    depth: number,
  ): Child[] {
    if (type instanceof Foreign && isModule(type.content))
      return this.#snippetChildren(type.content, props, children, depth + 1);
    if (!(type instanceof FunctionValue)) throw new Unsupported('this is not a component');
    const given = new ObjectValue(props.entries);
    if (children.length) given.entries.set('children', new Foreign(children));
    return this.#childrenOfValue(this.#evaluator.call(type, [given]), place);
  }

  #snippetChildren(module: Module, props: ObjectValue, children: Child[], depth: number): Child[] {
    if (depth > maximumSnippetDepth) throw new Unsupported('snippets are nested too deeply');
    const { document } = module;
    if (!document) return [];
    const given = new ObjectValue(props.entries);
    if (children.length) given.entries.set('children', new Foreign(children));
    const scope = new Scope(module.scope, [...given.entries, ['props', given]]);
    const interpolations = new Map(
      [...props.entries].flatMap(([name, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
      ),
    );
    const frame: Frame = { file: module.file, document, scope, interpolations, depth };
    return this.#childrenOf(document.tree.children ?? [], frame);
  }

  #childrenOfValue(value: Value, place: FilePlace | undefined): Child[] {
    if (value === null || value === undefined || typeof value === 'boolean') return [];
    if (typeof value === 'string' || typeof value === 'number')
      return [{ kind: 'text', text: String(value) }];
    if (Array.isArray(value)) return value.flatMap((item) => this.#childrenOfValue(item, place));
    if (value instanceof Foreign && Array.isArray(value.content)) return value.content as Child[];
    if (!(value instanceof ElementValue)) throw new Unsupported('this kind of value cannot be shown');
    const children = value.children.flatMap((item) => this.#childrenOfValue(item, place));
    if (value.type === null) return children;
    if (typeof value.type === 'string')
      return [
        { kind: 'element', call: { name: value.type, props: new Props(value.props), children, place } },
      ];
    return this.#customElement(value.type, value.props, children, place, 0);
  }

  #props(node: Node, frame: Frame): ObjectValue {
    const props = new ObjectValue();
    for (const attribute of node.attributes ?? []) {
      try {
        this.#addAttribute(props, attribute, frame);
      } catch (error) {
        if (!(error instanceof Unsupported)) throw error;
        const what = `${attribute.name ?? '…'} of <${node.name}>`;
        this.report('expression_unsupported', `${what} was left out: ${error.message}`, placeOf(node, frame));
      }
    }
    return props;
  }

  #addAttribute(props: ObjectValue, attribute: JsxAttribute, frame: Frame): void {
    const { name, value } = attribute;
    if (name === undefined) {
      const source = typeof value === 'string' ? value : '';
      const spread = this.#evaluator.evaluate(parseSpread(source), frame.scope);
      if (!(spread instanceof ObjectValue)) throw new Unsupported('this value cannot be spread');
      for (const [key, item] of spread.entries) props.entries.set(key, item);
    } else if (value === null || value === undefined) props.entries.set(name, true);
    else if (typeof value === 'string') props.entries.set(name, value);
    else if (!isEmptyExpression(value.value))
      props.entries.set(name, this.#evaluator.evaluate(parseExpression(value.value), frame.scope));
  }

  #footnoteNumber(identifier: string, frame: Frame): { number: number; reference: number } | undefined {
    const node = frame.document?.footnotes.get(identifier);
    if (!node) return undefined;
    const key = `${frame.file}#${identifier}`;
    const known = this.#footnotes.get(key) ?? {
      node,
      frame,
      number: this.#footnotes.size + 1,
      references: 0,
    };
    known.references++;
    this.#footnotes.set(key, known);
    return { number: known.number, reference: known.references };
  }

  #footnoteSection(): string {
    if (this.#footnotes.size === 0) return '';
    const items = [...this.#footnotes.values()].map(({ node, frame, number }) => {
      const back = `<a href="#footnote-ref-${number}" aria-label="Back to the text">↩</a>`;
      const content = this.render(this.#childrenOf(node.children ?? [], frame));
      const withBack = content.endsWith('</p>')
        ? `${content.slice(0, -4)} ${back}</p>`
        : `${content} ${back}`;
      return `<li id="footnote-${number}">${withBack}</li>`;
    });
    return `<section class="footnotes" aria-label="Footnotes"><ol>${items.join('')}</ol></section>`;
  }
}

function isShortText(node: Node): boolean {
  return (
    node.type === 'mdxTextExpression' && (node.value ?? '').length <= 60 && !/[<\n]/.test(node.value ?? '')
  );
}

function isModule(content: unknown): content is Module {
  return typeof content === 'object' && content !== null && 'scope' in content && 'file' in content;
}

function placeOf(node: Node, frame: Frame): FilePlace | undefined {
  const start = node.position?.start;
  return (
    start && { file: frame.file, line: start.line + (frame.document?.linesBefore ?? 0), column: start.column }
  );
}

function codeBlockOf(node: Node, frame: Frame): CodeBlock {
  const code = node.value ?? '';
  return {
    language: node.lang ?? '',
    meta: node.meta ?? '',
    code: frame.interpolations.size
      ? code.replaceAll(
          /\{([A-Za-z_$][\w$]*)\}/g,
          (whole, name: string) => frame.interpolations.get(name) ?? whole,
        )
      : code,
  };
}

/** The title stands above the page already; a first heading that says the same is not shown twice. */
function withoutRepeatedTitle(nodes: readonly Node[], title: string): readonly Node[] {
  const at = nodes.findIndex((node) => node.type !== 'mdxjsEsm' && !isComment(node));
  const first = nodes[at];
  if (first?.type !== 'heading' || first.depth !== 1) return nodes;
  return plainText(first).trim().toLowerCase() === title.trim().toLowerCase()
    ? nodes.toSpliced(at, 1)
    : nodes;
}

function isComment(node: Node): boolean {
  return node.type === 'mdxFlowExpression' && isEmptyExpression(node.value ?? '');
}

function plainText(node: Node): string {
  return (node.value ?? '') + (node.children ?? []).map(plainText).join('');
}
