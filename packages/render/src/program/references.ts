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
  /** The index of the top-level statement that contains it. */
  statement: number;
  /** `{ name }`: a replacement must also write the key. */
  shorthand: boolean;
  /** The name begins the callee of `new`: a call in its place would become the callee. */
  afterNew: boolean;
}

export interface Scopes {
  /** The names of the module scope, with their origin when they are imported. */
  top: Map<string, ImportedName | undefined>;
  /** Names of the module scope by declaring statement. */
  declared: string[][];
  /** Uses of module-scope names and undeclared names, not of names local to a function. */
  references: Reference[];
}

/** `a` of `a.b.c`, and of `` a`text` ``. */
export function beginningOf(node: Node): Node {
  if (node.type === 'MemberExpression') return beginningOf(node.object);
  return node.type === 'TaggedTemplateExpression' ? beginningOf(node.tag) : node;
}

/** The first name of an element's tag when it is a variable: `<Card>`, `<card.title>`, not `<div>`. */
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
