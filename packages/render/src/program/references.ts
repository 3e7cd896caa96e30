/** What is known of a name where it is used, and which name an element or a call begins with. */
import type { Identifier, JSXElement, JSXIdentifier, Node } from 'estree-jsx';

export interface ImportedName {
  specifier: string;
  /** `default`, `*` or the exported name. */
  name: string;
}

export interface Reference {
  node: Identifier | JSXIdentifier;
  name: string;
  use: 'read' | 'write' | 'typeof' | 'export' | 'element';
  /** Which statement of the top it is in. */
  statement: number;
  /** `{ name }`: whoever replaces the name must write the key as well. */
  shorthand: boolean;
  /** What `new` is called on begins with the name: a call in its place would be taken for the call of `new`. */
  afterNew: boolean;
}

export interface Scopes {
  /** The names that the text declares at its top, with where they come from when they are imported. */
  top: Map<string, ImportedName | undefined>;
  /** The names of the top by the statement that declares them. */
  declared: string[][];
  /** Uses of names of the top and of names that nobody declares. What is local to a function is not listed. */
  references: Reference[];
}

/** `a` of `a.b.c`, and of `` a`text` ``. */
export function beginningOf(node: Node): Node {
  if (node.type === 'MemberExpression') return beginningOf(node.object);
  return node.type === 'TaggedTemplateExpression' ? beginningOf(node.tag) : node;
}

/** The name that an element's tag begins with, where it is a name of the program: `<Card>`, `<card.title>`, not `<div>`. */
export function rootOfName({ openingElement: { name } }: JSXElement): JSXIdentifier | undefined {
  if (name.type === 'JSXNamespacedName') return undefined;
  if (name.type === 'JSXIdentifier') return isComponentName(name.name) ? name : undefined;
  let root: typeof name.object = name;
  while (root.type === 'JSXMemberExpression') root = root.object;
  return root.name === 'this' ? undefined : root;
}

export function isComponentName(name: string): boolean {
  return !/^[a-z]/.test(name) && !name.includes('-');
}
