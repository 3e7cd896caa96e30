/**
 * Compiles what stands between the tags of an author's component into elements, as React would give them: text, elements
 * with their properties, and Markdown as the HTML elements it means. A part that holds nothing of the author's own is
 * content of the page: code may look at it, and the host shows it as it shows any Markdown.
 */
import { formulaOfCode } from '../math/marks.ts';
import type { Document } from '../document/document.ts';
import type { Node } from '../document/tree.ts';
import { keyText } from './rewrite.ts';

/** Content of the page that code may place, and the content around it. */
export interface ContentSlot {
  nodes: readonly Node[];
  /** The slot that it is part of. */
  inside: number | undefined;
}

/** What the compiler knows of nodes that are code. */
export interface CodeOfNodes {
  /** Elements of the author's own or with a handler, and expressions: the number of their piece. */
  pieceOf(node: Node): number | undefined;
  /** An element that must stay the author's, even when it cannot be compiled. */
  isOwn(node: Node): boolean;
  /** The properties of an element as an object literal, with the numbers of the pieces that compute them. */
  propsOf(node: Node): { text: string; pieces: readonly number[] };
}

export interface CompiledContent {
  /** Expressions, one for each child. */
  children: string[];
  /** Numbers of pieces that become part of the result when the content is placed as it is. */
  shown: number[];
  /** Numbers of pieces that run when code looks into the content. */
  used: number[];
}

/** Code may not be nested as deeply as Markdown. */
const maxDepth = 60;

export class ContentCompiler {
  readonly slots: ContentSlot[] = [];
  readonly #code: CodeOfNodes;
  readonly #document: Document;
  readonly #inert = new Map<Node, boolean>();
  #shown: number[] = [];
  #used: number[] = [];
  /** The slot that is being compiled. */
  #inside: number | undefined;
  #depth = 0;

  constructor(document: Document, code: CodeOfNodes) {
    this.#document = document;
    this.#code = code;
  }

  /** All of what stands between the tags, as one slot. */
  whole(nodes: readonly Node[]): number {
    return this.slots.push({ nodes, inside: undefined }) - 1;
  }

  compile(nodes: readonly Node[]): CompiledContent {
    [this.#shown, this.#used, this.#inside] = [[], [], undefined];
    return { children: this.#children(nodes), shown: this.#shown, used: this.#used };
  }

  #children(nodes: readonly Node[]): string[] {
    const shown = nodes.filter((node) => !isSilent(node));
    if (this.#depth >= maxDepth && shown.length)
      return [`$$content(${this.slots.push({ nodes: shown, inside: this.#inside }) - 1})`];
    this.#depth += 1;
    const children = this.#childList(shown);
    this.#depth -= 1;
    return children;
  }

  /** Neighbours get numbers in a row, so that the host can show them together. */
  #childList(shown: readonly Node[]): string[] {
    const inside = this.#inside;
    const slots = shown.map((node) =>
      node.type !== 'text' && !isHtml(node) && this.#isInert(node)
        ? this.slots.push({ nodes: [node], inside }) - 1
        : undefined,
    );
    return shown.map((node, index) => {
      const slot = slots[index];
      if (slot === undefined) return this.#element(node);
      this.#inside = slot;
      const element = this.#element(node);
      this.#inside = inside;
      return `$$content(${slot}, () => ${element})`;
    });
  }

  #isInert(node: Node): boolean {
    const known = this.#inert.get(node);
    if (known !== undefined) return known;
    const isExpression = node.type === 'mdxFlowExpression' || node.type === 'mdxTextExpression';
    const inert = isExpression
      ? this.#code.pieceOf(node) === undefined
      : !this.#code.isOwn(node) && (node.children ?? []).every((child) => this.#isQuiet(child));
    this.#inert.set(node, inert);
    return inert;
  }

  /** Inside of content an expression shows what it shows. */
  #isQuiet(node: Node): boolean {
    return node.type.endsWith('Expression') || this.#isInert(node);
  }

  #element(node: Node): string {
    if (node.type === 'text') return words(node.value ?? '');
    if (node.type.startsWith('mdx')) return this.#codeOf(node);
    const children = node.children ?? [];
    switch (node.type) {
      case 'paragraph':
        return made('p', {}, this.#children(children));
      case 'heading':
        return made(`h${node.depth ?? 2}`, {}, this.#children(children));
      case 'emphasis':
        return made('em', {}, this.#children(children));
      case 'delete':
        return made('del', {}, this.#children(children));
      case 'strong':
      case 'blockquote':
        return made(node.type, {}, this.#children(children));
      case 'inlineCode':
        return made('code', {}, [words(formulaOfCode(node.value ?? '')?.tex ?? node.value ?? '')]);
      case 'break':
        return made('br', {}, []);
      case 'thematicBreak':
        return made('hr', {}, []);
      case 'list':
        return this.#list(node);
      case 'code':
        return codeBlock(node);
      case 'link':
      case 'linkReference':
        return made('a', this.#target(node, 'href'), this.#children(children));
      case 'image':
      case 'imageReference':
        return made('img', { ...this.#target(node, 'src'), alt: node.alt ?? '' }, []);
      case 'table':
        return this.#table(node);
      default:
        return `$$jsx(${['$$fragment', 'null', ...this.#children(children)].join(', ')})`;
    }
  }

  #codeOf(node: Node): string {
    const piece = this.#code.pieceOf(node);
    if (piece !== undefined) {
      this.#note(piece);
      return node.type.endsWith('Expression')
        ? `$$pieces[${piece}]($$given)`
        : `$$pieces[${piece}]($$given, $$content)`;
    }
    if (node.type.endsWith('Expression') || this.#code.isOwn(node)) return 'null';
    const type = node.name ? JSON.stringify(node.name) : '$$fragment';
    const { text, pieces } = this.#code.propsOf(node);
    for (const each of pieces) this.#note(each);
    return `$$jsx(${[type, text, ...this.#children(node.children ?? [])].join(', ')})`;
  }

  #note(piece: number): void {
    this.#used.push(piece);
    if (this.#inside === undefined) this.#shown.push(piece);
  }

  #list(node: Node): string {
    const items = node.children ?? [];
    const isTight = !node.spread && !items.some((item) => item.spread);
    const start = node.ordered && node.start && node.start !== 1 ? { start: node.start } : {};
    return made(
      node.ordered ? 'ol' : 'ul',
      start,
      items.map((item) =>
        made('li', {}, this.#children(isTight ? withoutParagraphs(item) : (item.children ?? []))),
      ),
    );
  }

  #table({ children: rows = [] }: Node): string {
    const row = (node: Node, cell: string): string =>
      made(
        'tr',
        {},
        (node.children ?? []).map(({ children = [] }) =>
          made(children.length === 0 ? 'td' : cell, {}, this.#children(children)),
        ),
      );
    const [head, ...body] = rows;
    return made('table', {}, [
      ...(head ? [made('thead', {}, [row(head, 'th')])] : []),
      ...(body.length
        ? [
            made(
              'tbody',
              {},
              body.map((each) => row(each, 'td')),
            ),
          ]
        : []),
    ]);
  }

  #target(node: Node, attribute: 'href' | 'src'): Record<string, string> {
    const defined = this.#document.definitions.get(node.identifier ?? '');
    const url = node.url ?? defined?.url ?? '';
    const title = node.title ?? defined?.title;
    return title ? { [attribute]: url, title } : { [attribute]: url };
  }
}

function withoutParagraphs({ children = [] }: Node): readonly Node[] {
  return children.flatMap((node) => (node.type === 'paragraph' ? (node.children ?? []) : [node]));
}

function codeBlock({ lang, meta, value }: Node): string {
  const className = lang ? { className: `language-${lang}` } : {};
  const code = made('code', meta ? { ...className, metastring: meta } : className, [words(value ?? '')]);
  return made('pre', {}, [code]);
}

/** Text of the document, which is no text of its code. */
function words(text: string): string {
  return `$$words(${JSON.stringify(text)})`;
}

function made(type: string, props: Record<string, string | number>, children: readonly string[]): string {
  const entries = Object.entries(props).map(
    ([name, value]) => `${keyText(name)}: ${typeof value === 'string' ? words(value) : value}`,
  );
  const object = entries.length ? `{ ${entries.join(', ')} }` : 'null';
  return `$$jsx(${[JSON.stringify(type), object, ...children].join(', ')})`;
}

/** Written as HTML, an element is the same to code and to the host; some may stand nowhere but in certain others. */
function isHtml({ type, name }: Node): boolean {
  return type.startsWith('mdxJsx') && /^[a-z]/.test(name ?? '');
}

function isSilent({ type, value }: Node): boolean {
  if (/^(?:definition|footnoteDefinition|html|mdxjsEsm)$/.test(type)) return true;
  return type === 'text' && (value ?? '') === '';
}
