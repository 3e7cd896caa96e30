/**
 * Compiles the children of an author's component into React elements: text, elements with their properties,
 * and Markdown as the HTML elements it stands for. Parts without author code stay page content, which code
 * may inspect and the host renders like other Markdown.
 */
import { formulaOfCode } from '../math/marks.ts';
import type { Document } from '../document/document.ts';
import type { Node } from '../document/tree.ts';
import { keyText } from './rewrite.ts';

/** Page content that code may place. */
export interface ContentSlot {
  nodes: readonly Node[];
  /** The slot that contains it. */
  inside: number | undefined;
}

export interface CodeOfNodes {
  /** The piece index of the author's own elements, elements with handlers, and expressions. */
  pieceOf(node: Node): number | undefined;
  /** An element that stays the author's even when it cannot be compiled. */
  isOwn(node: Node): boolean;
  /** The element's properties as an object literal, with the indexes of the pieces that compute them. */
  propsOf(node: Node): { text: string; pieces: readonly number[] };
}

export interface CompiledContent {
  /** One expression per child. */
  children: string[];
  /** Pieces that become part of the result when the content is placed unchanged. */
  shown: number[];
  /** Pieces that run when code inspects the content. */
  used: number[];
}

/** Code supports less nesting than Markdown. */
const maxDepth = 60;

export class ContentCompiler {
  readonly slots: ContentSlot[] = [];
  readonly #code: CodeOfNodes;
  readonly #document: Document;
  readonly #inert = new Map<Node, boolean>();
  #shown: number[] = [];
  #used: number[] = [];
  #inside: number | undefined;
  #depth = 0;

  constructor(document: Document, code: CodeOfNodes) {
    this.#document = document;
    this.#code = code;
  }

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

  /** Adjacent nodes get consecutive numbers, so that the host can render them together. */
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

/** Document text, which is not a string of the author's code. */
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

/** HTML elements mean the same to code and to the host; some are valid only inside certain others. */
function isHtml({ type, name }: Node): boolean {
  return type.startsWith('mdxJsx') && /^[a-z]/.test(name ?? '');
}

function isSilent({ type, value }: Node): boolean {
  if (/^(?:definition|footnoteDefinition|html|mdxjsEsm)$/.test(type)) return true;
  return type === 'text' && (value ?? '') === '';
}
