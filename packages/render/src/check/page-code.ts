/**
 * Lists the active parts of a page: modules, code in expressions, elements, attributes, addresses, comments.
 * It lets callers review a change of a page without running it. A page that does not parse is an error.
 */
import { isEmptyExpression, parseExpression } from '../evaluate/parse.ts';
import { UnsupportedError } from '../evaluate/values.ts';
import { readDocument } from '../document/document.ts';
import type { ParserName } from '../document/parser.ts';
import { rewriteProse } from '../text/prose.ts';
import { decodeSource } from '../source/source.ts';
import { splitFrontMatter } from '../source/split-source.ts';
import type { JsxAttribute, Node } from '../document/tree.ts';

export interface PageCode {
  /** Raw text between the fences at the top; empty when there is none. */
  frontMatter: string;
  /** `import` and `export` blocks as written. */
  modules: string[];
  /** Operations of expressions beyond reading and combining values. */
  actions: PageAction[];
  elements: string[];
  attributes: PageAttribute[];
  addresses: PageAddress[];
  /** Comments of either kind, which readers of the page do not see. */
  comments: string[];
}

export interface PageAction {
  /** `fetch` of `fetch(a)`, or the kind of operation: `new`, `assignment`. */
  name: string;
  text: string;
}

export interface PageAttribute {
  element: string;
  /** `...` for spread attributes. */
  name: string;
  value: string;
  /** The value is an expression instead of a string. */
  isCode: boolean;
}

export interface PageAddress {
  url: string;
  /** `load` for addresses that a browser requests without a click. */
  use: 'link' | 'load';
}

/** The reader throws when the page does not parse. The slow parser serves pages that crash the fast one. */
export function pageCodeReader(parser: ParserName): (source: string) => PageCode {
  return (source) => readPageCode(source, parser);
}

function readPageCode(source: string, parser: ParserName): PageCode {
  const bytes = new TextEncoder().encode(source);
  const document = readDocument(bytes, { file: '', variables: {}, math: 'auto', parser });
  const split = splitFrontMatter(decodeSource(bytes));
  const code: PageCode = {
    frontMatter: split.matter ?? '',
    modules: document.modules.map((module) => module.source),
    actions: [],
    elements: [],
    attributes: [],
    addresses: [],
    comments: htmlComments(split.body),
  };
  readTree(document.tree, code);
  return code;
}

/** HTML comments are removed before parsing, so the tree does not contain them. */
function htmlComments(body: string): string[] {
  const found: string[] = [];
  rewriteProse(body, (prose) => {
    for (const [, comment = ''] of prose.matchAll(/<!--([\s\S]*?)(?:-->|$)/g)) found.push(comment);
    return prose;
  });
  return found;
}

function readTree(root: Node, code: PageCode): void {
  const pictures = new Set<string>();
  const definitions: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === 'imageReference' && node.identifier) pictures.add(node.identifier);
    if (node.type === 'definition') definitions.push(node);
    else if (node.url !== undefined)
      code.addresses.push({ url: node.url, use: node.type === 'image' ? 'load' : 'link' });
    if (/^mdx(?:Flow|Text)Expression$/.test(node.type)) readExpression(node.value ?? '', code);
    if (/^mdxJsx(?:Flow|Text)Element$/.test(node.type)) readElement(node, code);
    for (const child of node.children ?? []) open.push(child);
  }
  for (const { url = '', identifier = '' } of definitions)
    code.addresses.push({ url, use: pictures.has(identifier) ? 'load' : 'link' });
}

function readElement(node: Node, code: PageCode): void {
  const element = node.name ?? '';
  code.elements.push(element);
  for (const attribute of node.attributes ?? []) readAttribute(element, attribute, code);
}

function readAttribute(element: string, attribute: JsxAttribute, code: PageCode): void {
  const { name, value } = attribute;
  if (name === undefined) {
    const text = typeof value === 'string' ? value : '';
    code.attributes.push({ element, name: '...', value: text, isCode: true });
    readExpression(`{${text}}`, code);
  } else if (typeof value === 'object' && value !== null) {
    const plain = readExpression(value.value, code);
    keepAttribute({ element, name, value: plain ?? value.value, isCode: plain === undefined }, code);
  } else keepAttribute({ element, name, value: value ?? '', isCode: false }, code);
}

const loadingAttribute =
  /^(?:src|srcset|poster|data|background|img|image|logo|icon|src[A-Z]\w*|xlink:?href)$/i;
const listOfAddresses = /^(?:image)?srcset$/i;

function keepAttribute(attribute: PageAttribute, code: PageCode): void {
  code.attributes.push(attribute);
  const { element, name, value, isCode } = attribute;
  if (isCode) return;
  const use = loadingAttribute.test(name) || /^(?:link|base|use|image)$/i.test(element) ? 'load' : 'link';
  if (listOfAddresses.test(name)) for (const url of value.split(/[\s,]+/)) code.addresses.push({ url, use });
  else if (use === 'load' || /^(?:href|to|url|action|formaction|cite|ping)$/i.test(name) || isAbsolute(value))
    code.addresses.push({ url: value, use });
  for (const url of stylesheetAddresses(value)) code.addresses.push({ url, use: 'load' });
}

/** `scheme:` or `//host`, also with the white space and control characters that browsers ignore. */
function isAbsolute(value: string): boolean {
  return /^[\s\p{Cc}]*(?:[a-z][a-z0-9+.\s\p{Cc}-]{0,40}:\S|[\\/][\s\p{Cc}]*[\\/])/iu.test(value);
}

function stylesheetAddresses(value: string): string[] {
  return [...value.matchAll(/\burl\(\s{0,20}["']?([^"')]{1,2000})/gi)].map(([, url = '']) => url);
}

/** Returns the text when the expression is a string literal. */
function readExpression(source: string, code: PageCode): string | undefined {
  if (isEmptyExpression(source)) {
    if (source.trim() !== '') code.comments.push(source.trim());
    return undefined;
  }
  const expression = parsed(source);
  if (expression === undefined) code.actions.push({ name: 'unreadable', text: source });
  // `parseExpression` prepends a parenthesis.
  else readProgram(expression, `(${source}`, code);
  return expression && plainText(expression);
}

/** Undefined for an expression that does not parse, because the renderer shows it as text. */
function parsed(source: string): Syntax | undefined {
  try {
    return parseExpression(source) as unknown as Syntax;
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

/** A node of a JavaScript syntax tree with unknown fields. */
type Syntax = { type: string; start: number; end: number } & Record<string, unknown>;

function readProgram(root: Syntax, source: string, code: PageCode): void {
  const text = (node: unknown) => (isSyntax(node) ? source.slice(node.start, node.end) : '');
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) for (const item of value) open.push(item);
    if (!isSyntax(value)) continue;
    const action = actionName(value, text);
    if (action !== undefined) code.actions.push({ name: action, text: text(value) });
    if (value.type === 'JSXOpeningElement') readWrittenElement(value, text, code);
    const words = plainText(value);
    if (words !== undefined && isAbsolute(words)) code.addresses.push({ url: words, use: 'load' });
    for (const part of Object.values(value)) open.push(part);
  }
}

function readWrittenElement(opening: Syntax, text: (node: unknown) => string, code: PageCode): void {
  const element = text(opening['name']);
  code.elements.push(element);
  for (const attribute of (opening['attributes'] as Syntax[] | undefined) ?? []) {
    if (attribute.type !== 'JSXAttribute') {
      code.attributes.push({ element, name: '...', value: text(attribute), isCode: true });
      continue;
    }
    const value = attribute['value'];
    const inner = isSyntax(value) && value.type === 'JSXExpressionContainer' ? value['expression'] : value;
    const plain = isSyntax(inner) ? plainText(inner) : '';
    const name = text(attribute['name']);
    keepAttribute({ element, name, value: plain ?? text(inner), isCode: plain === undefined }, code);
  }
}

const plainActions: Readonly<Record<string, string>> = {
  NewExpression: 'new',
  ImportExpression: 'import',
  AssignmentExpression: 'assignment',
  UpdateExpression: 'assignment',
  AwaitExpression: 'await',
  YieldExpression: 'yield',
  ClassExpression: 'class',
  ClassDeclaration: 'class',
  MetaProperty: 'import.meta',
  ThisExpression: 'this',
  BlockStatement: 'statements',
};
const reachingOut =
  /^(?:window|document|globalThis|self|top|parent|frames|process|require|eval|Function|navigator|location|localStorage|sessionStorage|constructor|__proto__|prototype)$/;

function actionName(node: Syntax, text: (node: unknown) => string): string | undefined {
  if (node.type === 'CallExpression') return text(node['callee']);
  if (node.type === 'TaggedTemplateExpression') return text(node['tag']);
  if (node.type === 'UnaryExpression' && node['operator'] === 'delete') return 'delete';
  if (node.type === 'Identifier' && reachingOut.test(text(node))) return text(node);
  return Object.hasOwn(plainActions, node.type) ? plainActions[node.type] : undefined;
}

function plainText(node: Syntax): string | undefined {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateLiteral') return undefined;
  const quasis = node['quasis'] as { value: { cooked?: string | null } }[];
  return quasis.length === 1 ? (quasis[0]?.value.cooked ?? undefined) : undefined;
}

function isSyntax(value: unknown): value is Syntax {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
