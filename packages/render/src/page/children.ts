/** Turns document nodes and computed values into children that components and the renderer can place. */
import { type Child, wordsOf } from '../components/contract.ts';
import { Props } from '../components/props.ts';
import { DocumentError } from '../document/document-error.ts';
import { type Node, isShortText, isSilent } from '../document/tree.ts';
import type { Evaluator } from '../evaluate/evaluator.ts';
import { elementType } from '../evaluate/jsx.ts';
import {
  ElementValue,
  Foreign,
  FunctionValue,
  ObjectValue,
  Scope,
  UnsupportedError,
  type Value,
} from '../evaluate/values.ts';
import type { PageIslands } from '../islands/page-islands.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import { documentElement, documentOfElement } from '../program/program.ts';
import type { PageCode } from './code.ts';
import type { PageCollector } from './collector.ts';
import { ElementProps } from './element-props.ts';
import { type Frame, codeBlockOf, placeOf } from './frame.ts';
import { type Module, type PageModules, isModule } from './modules.ts';
import { PageEvaluator, nameOf, wordsIn } from './page-evaluator.ts';

export const maxSnippetDepth = 20;
/** Bounds snippets that include themselves several times, which multiply with every level. */
const maxSnippets = 2000;

export interface ChildrenOptions {
  evaluator: Evaluator;
  modules: PageModules;
  code: PageCode;
  islands: PageIslands;
  collector: PageCollector;
  render: (children: readonly Child[]) => string;
  /** `unwrap` omits the paragraph's tags. */
  writeMarkdown: (node: Node, frame: Frame, unwrap: boolean) => string;
}

export class PageChildren {
  readonly #evaluator: Evaluator;
  readonly #modules: PageModules;
  readonly #code: PageCode;
  readonly #collector: PageCollector;
  readonly #writeMarkdown: ChildrenOptions['writeMarkdown'];
  readonly #props: ElementProps;
  readonly #pageEvaluator: PageEvaluator;
  #snippets = 0;

  constructor({ evaluator, modules, code, islands, collector, render, writeMarkdown }: ChildrenOptions) {
    this.#evaluator = evaluator;
    this.#modules = modules;
    this.#code = code;
    this.#collector = collector;
    this.#writeMarkdown = writeMarkdown;
    const host = {
      report: collector.report.bind(collector),
      render,
      childrenOfValue: this.ofValue.bind(this),
      childrenOfNodes: this.ofNodes.bind(this),
    };
    this.#props = new ElementProps(host, evaluator, code);
    this.#pageEvaluator = new PageEvaluator(host, evaluator, code, islands);
  }

  ofNodes(nodes: readonly Node[], frame: Frame): Child[] {
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
        return this.#guard(frame, node, () => this.#pageEvaluator.expression(node, frame));
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
            render: (unwrap) => this.#writeMarkdown(node, frame, unwrap),
          },
        ];
    }
  }

  /**
   * Reports an expression that cannot be evaluated and shows nothing. A few words in braces within a sentence
   * are shown as text.
   */
  #guard(frame: Frame, node: Node, work: () => Child[]): Child[] {
    try {
      return work();
    } catch (error) {
      if (error instanceof UnsupportedError) {
        const asWritten = isShortText(node);
        const fate = asWritten ? 'is shown as written' : 'was left out';
        const message = `${nameOf(node)} ${fate}: ${error.message}`;
        this.#collector.report('expression_unsupported', message, placeOf(node, frame));
        return asWritten ? [{ kind: 'text', text: `{${node.value ?? ''}}` }] : [];
      }
      if (error instanceof DocumentError) {
        const where = error.place ?? placeOf(node, frame);
        this.#collector.report(
          'snippet_failed',
          `<${node.name ?? ''}> was left out: ${error.message}`,
          where,
        );
        return [];
      }
      throw error;
    }
  }

  #jsxChildren(node: Node, frame: Frame): Child[] {
    const childrenNow = (): Child[] => this.ofNodes(node.children ?? [], frame);
    if (!node.name) return childrenNow();
    const place = placeOf(node, frame);
    const type = this.#typeOf(node.name, frame.scope);
    if (type instanceof Foreign && isModule(type.content))
      return this.ofSnippet(type.content, this.#props.of(node, frame), childrenNow(), frame.depth + 1);
    if (typeof type === 'string' && !hasHandler(node)) {
      const props = new Props(this.#props.of(node, frame));
      return [{ kind: 'element', call: { name: type, props, children: childrenNow(), place } }];
    }
    return this.#pageEvaluator.content(node, frame, this.#givenChildren(node, frame), (children) => {
      if (type instanceof UnsupportedError) throw type;
      if (typeof type !== 'string')
        return this.#customElement(
          type,
          this.#props.ofOwnComponent(node, frame),
          children,
          place,
          frame.depth,
        );
      this.#evaluator.liveParts++;
      const props = new Props(this.#props.of(node, frame));
      const content = this.ofValue(children, place);
      return [{ kind: 'element', call: { name: type, props, children: content, place } }];
    });
  }

  /**
   * The author's own elements are evaluated where they are placed, because the surrounding code may provide
   * what they need.
   */
  #givenChildren(node: Node, frame: Frame): Value {
    const nodes = node.children ?? [];
    const words = wordsIn(node);
    if (words !== undefined) return words;
    const make = (): Child[] => {
      const before = this.#evaluator.liveParts;
      const children = this.ofNodes(nodes, frame);
      this.#evaluator.liveParts = before;
      return children;
    };
    if (nodes.some(({ type }) => type.startsWith('mdxJsx'))) return Foreign.lazily(make);
    const children = make();
    if (children.length === 0) return undefined;
    // Several texts are a list, not one text.
    return (nodes.length === 1 ? wordsOf(children) : undefined) ?? new Foreign(children);
  }

  #typeOf(name: string, scope: Scope): ElementValue['type'] | UnsupportedError {
    try {
      return elementType(name, scope);
    } catch (error) {
      if (error instanceof UnsupportedError) return error;
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
      return this.#documentChildren(type.content, props, this.ofValue(children, place), depth + 1);
    if (!(type instanceof FunctionValue)) throw new UnsupportedError('this is not a component');
    const given = new ObjectValue(props.entries);
    given.entries.delete('key');
    if (children !== undefined) given.entries.set('children', children);
    return this.ofValue(this.#evaluator.call(type, [given]), place);
  }

  ofSnippet(module: Module, props: ObjectValue, children: Child[], depth: number): Child[] {
    if (depth > maxSnippetDepth) throw new UnsupportedError('snippets are nested too deeply');
    const { document } = module;
    this.#snippets += 1;
    this.#code.noteStatic();
    if (this.#snippets === maxSnippets) throw new UnsupportedError('the page contains too many snippets');
    if (!document || this.#snippets > maxSnippets) return [];
    const given = new ObjectValue(props.entries);
    if (children.length) given.entries.set('children', new Foreign(children));
    const scope = new Scope(module.scope, [['children', undefined], ...given.entries, ['props', given]]);
    const interpolations = new Map(
      [...props.entries].flatMap(([name, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
      ),
    );
    const frame: Frame = { file: module.file, document, scope, given, interpolations, depth };
    return this.ofNodes(document.tree.children ?? [], frame);
  }

  ofValue(value: Value, place: FilePlace | undefined): Child[] {
    if (value === null || value === undefined || typeof value === 'boolean') return [];
    if (typeof value === 'string' || typeof value === 'number')
      return [{ kind: 'text', text: String(value) }];
    if (Array.isArray(value)) return value.flatMap((item) => this.ofValue(item, place));
    if (value instanceof Foreign && Array.isArray(value.content)) {
      this.#collector.charge(0, value.content.length);
      return value.content as Child[];
    }
    if (!(value instanceof ElementValue)) throw new UnsupportedError('this kind of value cannot be shown');
    const children = value.children.flatMap((item) => this.ofValue(item, place));
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

  /**
   * A Markdown file among elements that code created. Inside an island it becomes a part that the browser
   * looks up.
   */
  #documentChildren(module: Module, props: ObjectValue, children: Child[], depth: number): Child[] {
    if (!this.#pageEvaluator.isForIsland) return this.ofSnippet(module, props, children, depth);
    return [
      { kind: 'element', call: { name: documentElement(module.file), props: new Props(props), children } },
    ];
  }
}

function hasHandler(node: Node): boolean {
  return (
    node.attributes?.some(
      ({ name, value }) =>
        name !== undefined && /^on[A-Z]/.test(name) && typeof value === 'object' && value !== null,
    ) ?? false
  );
}
