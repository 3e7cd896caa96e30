/**
 * The content of a page as Markdown for programs: the author's text with its components, without imports,
 * exports and comments, with snippets and values filled in. Unchanged parts are copied byte for byte.
 */
import { Evaluator } from '../evaluate/evaluator.ts';
import { elementType } from '../evaluate/jsx.ts';
import { isEmptyExpression, parseExpression } from '../evaluate/parse.ts';
import {
  ElementValue,
  Foreign,
  FunctionValue,
  ObjectValue,
  Scope,
  UnsupportedError,
  type Value,
} from '../evaluate/values.ts';
import { unmarkMath } from '../math/marks.ts';
import { CodeRefusedError } from '../realm/realm.ts';
import { documentOfElement } from '../program/program.ts';
import type { CodePiece, PageCode } from './code.ts';
import type { Document } from '../document/document.ts';
import { type Edit, edited, endOf, outdented, removal, replacement, startOf } from './markdown-edits.ts';
import { MarkdownAttributes, attributeText, isExpected, textAttribute } from './markdown-attributes.ts';
import { maxSnippetDepth } from './children.ts';
import { type Module, PageModules, isModule } from './modules.ts';
import type { ParserName } from '../document/parser.ts';
import type { SiteTools } from './site-tools.ts';
import { withoutRepeatedTitle } from './repeated-title.ts';
import type { PageTask } from '../model/page.ts';
import { type Node, isShortText } from '../document/tree.ts';

export function pageMarkdown(
  tools: SiteTools,
  task: PageTask,
  document: Document,
  parser: ParserName,
  code: PageCode,
): string {
  return document.isPlain
    ? plainPage(document, task)
    : new PageMarkdownWriter(tools, parser, code).page(document, task);
}

function plainPage({ tree, text }: Document, { title }: PageTask): string {
  const nodes = tree.children ?? [];
  const shown = withoutRepeatedTitle(nodes, title);
  const repeated = nodes.find((node, index) => node !== shown[index]);
  const edits = shown === nodes || !repeated ? [] : [removal(text, repeated)];
  return unmarkMath(edited(text, edits, 0, text.length)).trim();
}

interface Origin {
  file: string;
  document: Document;
  scope: Scope;
  /** The snippet's properties. */
  given?: ObjectValue;
  /** Properties of a snippet, which its code blocks interpolate. */
  properties: ReadonlyMap<string, string>;
  depth: number;
}

/** Bounds snippets that include themselves several times, which multiply with every level. */
const maxExpansions = 2000;
const maxCharacters = 2_000_000;

class PageMarkdownWriter {
  readonly #evaluator = new Evaluator();
  readonly #attributes = new MarkdownAttributes(this.#evaluator);
  readonly #modules: PageModules;
  #expansions = 0;
  #characters = 0;

  readonly #customCode: PageCode;

  constructor(tools: SiteTools, parser: ParserName, code: PageCode) {
    this.#customCode = code;
    /** The renderer reports problems of the page's modules. */
    const host = { evaluator: this.#evaluator, report: () => undefined };
    this.#modules = new PageModules(tools.sources, host, parser);
  }

  page(document: Document, task: PageTask): string {
    const { scope } = this.#modules.ofDocument(task.file, document);
    const origin: Origin = { file: task.file, document, scope, properties: new Map(), depth: 0 };
    const nodes = document.tree.children ?? [];
    const shown = new Set(withoutRepeatedTitle(nodes, task.title));
    const edits = nodes.flatMap((node) =>
      shown.has(node) ? this.#edits(node, origin) : [removal(document.text, node)],
    );
    return unmarkMath(edited(document.text, edits, 0, document.text.length)).trim();
  }

  #edits(node: Node, origin: Origin): Edit[] {
    const { text } = origin.document;
    switch (node.type) {
      case 'mdxjsEsm':
        return [removal(text, node)];
      case 'mdxFlowExpression':
      case 'mdxTextExpression':
        return this.#expression(node, origin);
      case 'mdxJsxFlowElement':
      case 'mdxJsxTextElement':
        return this.#element(node, origin);
      case 'code':
        return this.#code(node, origin);
      default:
        return this.#editsIn(node.children, origin);
    }
  }

  #editsIn(nodes: readonly Node[] | undefined, origin: Origin): Edit[] {
    const edits: Edit[] = [];
    for (const node of nodes ?? [])
      if (!isCopied(node)) for (const edit of this.#edits(node, origin)) edits.push(edit);
    return edits;
  }

  #expression(node: Node, origin: Origin): Edit[] {
    const { document, scope, depth } = origin;
    const source = node.value ?? '';
    if (isEmptyExpression(source)) return [removal(document.text, node)];
    try {
      const text = this.#computed(node, origin, () =>
        this.#valueText(this.#evaluator.evaluate(parseExpression(source), scope), depth),
      );
      return [replacement(document.text, node, text)];
    } catch (error) {
      if (!isExpected(error)) throw error;
      return isShortText(node) ? [] : [removal(document.text, node)];
    }
  }

  #code(node: Node, { document, properties }: Origin): Edit[] {
    if (properties.size === 0) return [];
    const [start, end] = [startOf(node), endOf(node)];
    const text = document.text
      .slice(start, end)
      .replaceAll(/\{([A-Za-z_$][\w$]*)\}/g, (whole, name: string) => properties.get(name) ?? whole);
    return [{ start, end, text }];
  }

  #element(node: Node, origin: Origin): Edit[] {
    const { text } = origin.document;
    try {
      if (node.name === 'Visibility') {
        const forPeople = /\bhumans?\b/.test(textAttribute(node, 'for') ?? '');
        return [
          forPeople ? removal(text, node) : replacement(text, node, this.#inner(node.children ?? [], origin)),
        ];
      }
      const isOwn = isOwnName(node.name ?? '', origin.scope);
      if (isOwn) return [replacement(text, node, this.#ownNode(node, origin))];
      if (node.name === 'Snippet' && textAttribute(node, 'file') !== undefined)
        return [replacement(text, node, this.#legacySnippet(node, origin))];
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
    return [
      ...this.#attributes.openingTag(node, origin.document.text, origin.scope),
      ...this.#editsIn(node.children, origin),
    ];
  }

  #ownNode(node: Node, origin: Origin): string {
    const inner = this.#inner(node.children ?? [], origin);
    return this.#computed(node, origin, () => {
      const type = elementType(node.name ?? '', origin.scope);
      if (typeof type === 'string') throw new UnsupportedError('this is not a component');
      const isDocument = type instanceof Foreign;
      const words = wordsIn(node, inner);
      return this.#ownElement(
        type,
        this.#attributes.props(node, origin.scope, !isDocument),
        inner,
        origin.depth,
        words,
      );
    });
  }

  /** Computed without running code, or from results that the renderer already has. */
  #computed(node: Node, origin: Origin, compute: () => string): string {
    try {
      return compute();
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      const { file, document, scope, given, properties, depth } = origin;
      const frame = { file, document, scope, given, interpolations: properties, depth };
      const piece = this.#customCode.pieceOf(node, frame, error);
      if (!piece) throw error;
      return this.#valueText(this.#run(piece, origin), depth + 1).trim();
    }
  }

  #run(piece: CodePiece, origin: Origin): Value {
    const content = (first: number, last: number): Value => {
      const nodes = piece.program.slots.slice(first, last + 1).flatMap((slot) => slot.nodes);
      return new Foreign(nodes.map((node) => this.#inner([node], origin)).join('\n\n'));
    };
    try {
      return this.#customCode.run(piece, { as: 'content', content });
    } catch (error) {
      if (!(error instanceof CodeRefusedError) || !piece.piece.content?.hasCode) throw error;
      return this.#customCode.run(piece, { as: 'content', content, isWhole: true });
    }
  }

  #inner(children: readonly Node[], origin: Origin): string {
    const [first, last] = [children[0], children.at(-1)];
    if (!first || !last) return '';
    const edits = this.#editsIn(children, origin);
    const { text } = origin.document;
    return outdented(
      edited(text, edits, startOf(first), endOf(last)),
      first.position?.start.column ?? 1,
    ).trim();
  }

  #legacySnippet(node: Node, origin: Origin): string {
    const module = this.#modules.snippet(textAttribute(node, 'file') ?? '', origin.file);
    if (!module) return '';
    return this.#snippet(
      module,
      this.#attributes.props(node, origin.scope),
      this.#inner(node.children ?? [], origin),
      origin.depth + 1,
    );
  }

  #ownElement(
    type: FunctionValue | Foreign | null,
    props: ObjectValue,
    inner: string,
    depth: number,
    words?: string,
  ): string {
    if (type instanceof Foreign && isModule(type.content))
      return this.#snippet(type.content, props, inner, depth + 1);
    if (!(type instanceof FunctionValue)) throw new UnsupportedError('this is not a component');
    this.#spend(depth, 0);
    const given = new ObjectValue(props.entries);
    if (inner !== '') given.entries.set('children', words ?? new Foreign(inner));
    return this.#valueText(this.#evaluator.call(type, [given]), depth + 1).trim();
  }

  #snippet(module: Module, props: ObjectValue, inner: string, depth: number): string {
    const { document } = module;
    if (!document) return '';
    const given = new ObjectValue(props.entries);
    if (inner !== '') given.entries.set('children', new Foreign(inner));
    const properties = new Map(
      [...props.entries].flatMap(([name, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
      ),
    );
    const scope = new Scope(module.scope, [['children', undefined], ...given.entries, ['props', given]]);
    this.#spend(depth, document.text.length);
    const origin: Origin = { file: module.file, document, scope, given, properties, depth };
    const edits = this.#editsIn(document.tree.children, origin);
    return edited(document.text, edits, 0, document.text.length).trim();
  }

  #spend(depth: number, characters: number): void {
    this.#expansions += 1;
    this.#characters += characters;
    if (depth > maxSnippetDepth || this.#expansions > maxExpansions || this.#characters > maxCharacters)
      throw new UnsupportedError('snippets are nested too deeply');
  }

  #valueText(value: Value, depth: number): string {
    if (value === null || value === undefined || typeof value === 'boolean') return '';
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    if (Array.isArray(value)) return value.map((item) => this.#valueText(item, depth)).join('');
    if (value instanceof Foreign && typeof value.content === 'string') return value.content;
    if (!(value instanceof ElementValue)) throw new UnsupportedError('this kind of value has no text');
    const inner = value.children.map((item) => this.#valueText(item, depth)).join('');
    if (value.type === null) return inner;
    if (typeof value.type !== 'string') {
      const words = value.children.every((child) => typeof child === 'string') ? inner : undefined;
      return this.#ownElement(value.type, value.props, inner, depth, words);
    }
    const file = documentOfElement(value.type);
    const module = file === undefined ? undefined : this.#modules.document(file);
    if (module) return this.#snippet(module, value.props, inner, depth + 1);
    this.#characters += inner.length;
    const attributes = [...value.props.entries]
      .filter(([name]) => !/^(?:class|className|style|key|ref|children)$/.test(name))
      .map(([name, item]) => attributeText(name, item))
      .join('');
    if (inner === '') return `<${value.type}${attributes} />`;
    const isBlock = inner.includes('\n') || value.children.some((child) => child instanceof ElementValue);
    const line = isBlock ? '\n' : '';
    return `<${value.type}${attributes}>${line}${inner.trim()}${line}</${value.type}>${line}`;
  }
}

/** The text between an element's tags; undefined when its Markdown spelling differs from the text. */
function wordsIn({ children = [] }: Node, inner: string): string | undefined {
  if (children.some(({ type }) => type !== 'text')) return undefined;
  const words = children.map(({ value = '' }) => value).join('');
  return words.trim() === inner && inner !== '' ? words : undefined;
}

function isCopied({ type }: Node): boolean {
  return type === 'text' || type === 'inlineCode';
}

function isOwnName(name: string, scope: Scope): boolean {
  return /^[A-Z]/.test(name) && scope.has(name.split('.', 1)[0] ?? '');
}
