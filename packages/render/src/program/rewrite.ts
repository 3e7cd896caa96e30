/**
 * Rewrites JSX elements to calls, and names that the code does not declare to lookups. Everything else stays
 * as the author wrote it, on the same line.
 */
import type { JSXAttribute, JSXElement, JSXFragment, JSXMemberExpression, Node } from 'estree-jsx';
import { attributeName, jsxName, jsxText } from '../evaluate/jsx.ts';
import type { Edits } from './edits.ts';
import { type Reference, isComponentName } from './references.ts';
import { errorAt, forEachChild } from './syntax.ts';

/**
 * The text that reads a name: the name itself, a call that returns its value, or undefined when it is not
 * defined.
 */
export type NameText = (name: string, use: Reference['use']) => string | undefined;

export function rewriteCode(
  source: string,
  node: Node,
  references: readonly Reference[],
  textOf: NameText,
  edits: Edits,
): void {
  const tags = new Map<Node, string | undefined>();
  for (const reference of references) {
    const text = textOf(reference.name, reference.use);
    if (reference.use === 'element') tags.set(reference.node, text);
    else if (text !== undefined && text !== reference.name) rewriteReference(source, reference, text, edits);
  }
  new Rewriting(source, edits, (root, name) => (tags.has(root) ? tags.get(root) : name)).visit(node);
}

function rewriteReference(
  source: string,
  { node, name, use, shorthand, afterNew }: Reference,
  text: string,
  edits: Edits,
): void {
  if (use === 'write') throw errorAt(source, node, `"${name}" is imported and cannot be changed`);
  if (use === 'export') return;
  const value = afterNew ? `(${text})` : text;
  edits.replace(node.start, node.end, shorthand ? `${name}: ${value}` : value);
}

/** `root` is the first name of a tag; undefined means a built-in component. */
type TagText = (root: Node, name: string) => string | undefined;

class Rewriting {
  readonly #source: string;
  readonly #edits: Edits;
  readonly #tagText: TagText;

  constructor(source: string, edits: Edits, tagText: TagText) {
    this.#source = source;
    this.#edits = edits;
    this.#tagText = tagText;
  }

  visit(node: Node): void {
    if (node.type === 'JSXElement') return this.#element(node);
    if (node.type === 'JSXFragment') return this.#fragment(node);
    if (node.type === 'ImportExpression')
      throw errorAt(this.#source, node, 'import() is not available in pages');
    if (node.type === 'MetaProperty' && node.meta.name === 'import')
      throw errorAt(this.#source, node, 'import.meta is not available in pages');
    /** `a<!--b` is a comparison in a module, but a comment in the classic script that the code becomes. */
    if (node.type === 'BinaryExpression' && this.#source.startsWith('<!--', node.right.start - 1))
      this.#edits.insert(node.right.start, ' ');
    forEachChild(node, (child) => this.visit(child));
  }

  #element(node: JSXElement): void {
    const { openingElement: opening, closingElement: closing } = node;
    this.#edits.replace(node.start, opening.name.end, `${this.#gapBefore(node)}$$jsx(${this.#type(node)}, `);
    this.#attributes(opening.attributes, opening.name.end);
    const end = opening.selfClosing ? this.#source.lastIndexOf('/', opening.end - 2) : opening.end - 1;
    this.#edits.replace(end, opening.end, opening.attributes.length ? '}' : 'null');
    this.#children(node.children);
    if (closing) this.#edits.replace(closing.start, closing.end, ')');
    else this.#edits.insert(node.end, ')');
  }

  #fragment(node: JSXFragment): void {
    const { openingFragment: opening, closingFragment: closing } = node;
    this.#edits.replace(opening.start, opening.end, `${this.#gapBefore(node)}$$jsx($$fragment, null`);
    this.#children(node.children);
    this.#edits.replace(closing.start, closing.end, ')');
  }

  /** `return<a/>` would become one word. */
  #gapBefore(node: Node): string {
    return /[\w$\u0080-\uffff]/.test(this.#source[node.start - 1] ?? '') ? ' ' : '';
  }

  #type({ openingElement: { name } }: JSXElement): string {
    const written = jsxName(name);
    const isMember = name.type === 'JSXMemberExpression';
    if (name.type === 'JSXNamespacedName' || (!isMember && !isComponentName(written)))
      return JSON.stringify(written);
    let root: JSXMemberExpression['object'] = name;
    while (root.type === 'JSXMemberExpression') root = root.object;
    const text = this.#tagText(root, root.name);
    return text === undefined ? JSON.stringify(written) : text + written.slice(root.name.length);
  }

  #attributes(attributes: JSXElement['openingElement']['attributes'], at: number): void {
    if (attributes.length) this.#edits.insert(at, '{ ');
    for (const attribute of attributes) {
      if (attribute.type === 'JSXSpreadAttribute') {
        const { start, end } = attribute.argument;
        this.#edits.replace(attribute.start, start, '...(');
        this.visit(attribute.argument);
        this.#edits.replace(end, attribute.end, ')');
      } else this.#attribute(attribute);
      this.#edits.insert(attribute.end, ', ');
    }
  }

  #attribute(attribute: JSXAttribute): void {
    const { value } = attribute;
    const key = keyText(attributeName(attribute));
    if (!value) return this.#edits.replace(attribute.start, attribute.end, `${key}: true`);
    this.#edits.replace(attribute.start, value.start, `${key}: `);
    if (value.type === 'Literal')
      this.#edits.replace(value.start, value.end, JSON.stringify(String(value.value)));
    else if (value.type === 'JSXExpressionContainer') this.#container(value);
    else this.visit(value);
  }

  #children(children: JSXElement['children']): void {
    for (const child of children) {
      switch (child.type) {
        case 'JSXText': {
          const text = jsxText(child.value);
          this.#edits.replace(child.start, child.end, text === '' ? '' : `, ${JSON.stringify(text)}`);
          break;
        }
        case 'JSXExpressionContainer':
          if (child.expression.type !== 'JSXEmptyExpression') this.#edits.insert(child.start, ', ');
          this.#container(child);
          break;
        default:
          this.#edits.insert(child.start, ', ');
          this.visit(child as Node);
      }
    }
  }

  #container(node: Extract<Node, { type: 'JSXExpressionContainer' }>): void {
    if (node.expression.type === 'JSXEmptyExpression') return this.#edits.replace(node.start, node.end, '');
    this.#edits.replace(node.start, node.start + 1, '(');
    this.visit(node.expression);
    this.#edits.replace(node.end - 1, node.end, ')');
  }
}

/** A plain `__proto__` key would set the prototype. */
export function keyText(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}
