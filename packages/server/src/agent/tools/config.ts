/** Edits `docs.json` or `mint.json` and the files it includes with `$ref` without changing their formatting. */
import { posix } from 'node:path';
import { applyEdits, type JSONPath, modify, type Node, type ParseError, parseTree } from 'jsonc-parser';
import type { ToolContext } from '../contract.ts';
import { textIfAny } from './files.ts';
import { findLinks, type WrittenLink } from './links.ts';
import { ToolError } from './tool.ts';

export interface ConfigFile {
  path: string;
  text: string;
  root: Node | undefined;
  /** The key that includes this file; empty for the main file. */
  key: string;
}

export interface ConfigReference {
  file: string;
  start: number;
  end: number;
  text: string;
  kind: 'navigation' | 'link' | 'redirect-source' | 'redirect-destination';
}

const maxFiles = 200;
const maxDepth = 100;

export async function readConfig(context: ToolContext): Promise<ConfigFile[]> {
  const files: ConfigFile[] = [];
  for (const path of ['docs.json', 'mint.json']) {
    const text = await textIfAny(context, path);
    if (text === undefined) continue;
    await readInto(files, context, { path, text, key: '' });
    break;
  }
  return files;
}

async function readInto(
  files: ConfigFile[],
  context: ToolContext,
  file: Omit<ConfigFile, 'root'>,
): Promise<void> {
  const root = parseNode(file.text);
  files.push({ ...file, root });
  for (const { key, node } of root ? stringsOf(root, file.key) : []) {
    const target = String(node.value);
    if (key.name !== '$ref' || files.length >= maxFiles || !target.endsWith('.json')) continue;
    const path = posix.normalize(posix.join(posix.dirname(file.path), target));
    if (path.startsWith('..') || files.some((known) => known.path === path)) continue;
    const text = await textIfAny(context, path);
    if (text !== undefined) await readInto(files, context, { path, text, key: key.around });
  }
}

/** The parser is recursive, so deeply nested brackets can exhaust the stack. */
function parseNode(text: string): Node | undefined {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true });
    return errors.length === 0 ? root : undefined;
  } catch {
    return undefined;
  }
}

interface Key {
  name: string;
  /** The parent key, ignoring lists. */
  around: string;
}

/** Every string with its key; items of a list have the key of the list. */
function stringsOf(root: Node, key: string): { key: Key; node: Node }[] {
  const found: { key: Key; node: Node }[] = [];
  const walk = (node: Node, at: Key, depth: number): void => {
    if (depth > maxDepth) return;
    if (node.type === 'string') found.push({ key: at, node });
    else if (node.type === 'array') for (const item of node.children ?? []) walk(item, at, depth + 1);
    else if (node.type === 'object') {
      for (const property of node.children ?? []) {
        const [name, value] = property.children ?? [];
        if (name && value) walk(value, { name: String(name.value), around: at.name }, depth + 1);
      }
    }
  };
  walk(root, { name: key, around: '' }, 0);
  return found;
}

export function referencesOf(files: readonly ConfigFile[]): ConfigReference[] {
  return files.flatMap(({ path, text, root, key }) =>
    (root ? stringsOf(root, key) : []).flatMap(({ key: at, node }): ConfigReference[] => {
      const start = node.offset + 1;
      const end = node.offset + node.length - 1;
      const place = { file: path, start, end, text: String(node.value) };
      // Addresses with escape sequences are rare and left unchanged.
      if (text.slice(start, end) !== place.text) return [];
      const kind = kindOf(at);
      if (kind !== undefined) return [{ ...place, kind }];
      return findLinks(place.text).map((link) => ({ ...placeWithin(place, link), kind: 'link' }));
    }),
  );
}

function kindOf({ name, around }: Key): ConfigReference['kind'] | undefined {
  if (name === 'pages' || (name === 'root' && around !== '')) return 'navigation';
  if (around === 'redirects' && name === 'source') return 'redirect-source';
  if (around === 'redirects' && name === 'destination') return 'redirect-destination';
  return name === 'href' || name === 'url' ? 'link' : undefined;
}

function placeWithin(place: Omit<ConfigReference, 'kind'>, link: WrittenLink): Omit<ConfigReference, 'kind'> {
  return { ...place, text: link.href, start: place.start + link.start, end: place.start + link.end };
}

/** Redirects may be in a separate file. */
function redirectList(files: readonly ConfigFile[]): { file: ConfigFile; path: JSONPath } | undefined {
  const own = files.find(({ key, root }) => key === 'redirects' && root?.type === 'array');
  if (own) return { file: own, path: [] };
  const [first] = files;
  return first && { file: first, path: ['redirects'] };
}

/** Adds a redirect and removes those that lead away from the page's new address. */
export function withRedirect(
  files: readonly ConfigFile[],
  redirect: { source: string; destination: string } | undefined,
  isObsolete: (source: string) => boolean,
): { file: string; text: string; removed: string[]; added: boolean } | undefined {
  const list = redirectList(files);
  if (list === undefined) return undefined;
  let { text } = list.file;
  const known = sourcesOf(nodeAt(parseNode(text), list.path));
  const obsolete = known.filter(isObsolete);
  for (const [index, source] of [...known.entries()].toReversed()) {
    // Without options the parser keeps the surrounding lines.
    if (isObsolete(source)) text = applyEdits(text, modify(text, [...list.path, index], undefined, {}));
  }
  const added = redirect !== undefined && !known.includes(redirect.source);
  if (added) text = insertRedirect(text, list.path, redirect);
  return { file: list.file.path, text, removed: obsolete, added };
}

function nodeAt(root: Node | undefined, path: JSONPath): Node | undefined {
  return path.reduce<Node | undefined>((node, key) => property(node, String(key)), root);
}

export function property(node: Node | undefined, name: string): Node | undefined {
  return node?.children?.find((child) => child.children?.[0]?.value === name)?.children?.[1];
}

function sourcesOf(list: Node | undefined): string[] {
  if (list?.type !== 'array') return [];
  return (list.children ?? []).map((entry) => String(property(entry, 'source')?.value ?? ''));
}

/** The parser's own formatting also reformats the previous line. */
function insertRedirect(
  text: string,
  path: JSONPath,
  redirect: { source: string; destination: string },
): string {
  const root = parseNode(text);
  const list = nodeAt(root, path);
  const style = styleOf(text);
  const oneLine = `{ "source": ${JSON.stringify(redirect.source)}, "destination": ${JSON.stringify(redirect.destination)} }`;
  const manyLines = (indent: string): string =>
    indentLines(JSON.stringify(redirect, null, style.unit), indent, style.eol);
  const listText = (indent: string): string =>
    indentLines(JSON.stringify([redirect], null, style.unit), indent, style.eol);
  if (list?.type === 'array') {
    const last = list.children?.at(-1);
    if (last === undefined) {
      const whole = listText(indentAt(text, list.offset));
      return text.slice(0, list.offset) + whole + text.slice(list.offset + list.length);
    }
    const isOneLine = !text.slice(last.offset, last.offset + last.length).includes('\n');
    return appendItem(text, list, style.eol, isOneLine ? () => oneLine : manyLines);
  }
  return root === undefined
    ? text
    : appendItem(
        text,
        root,
        style.eol,
        (indent, isOneLine) => `"redirects": ${isOneLine ? `[${oneLine}]` : listText(indent)}`,
      );
}

/** Appends to a list or object, on a separate line if the first item has one. */
function appendItem(
  text: string,
  container: Node,
  eol: string,
  write: (indent: string, isOneLine: boolean) => string,
): string {
  const [first] = container.children ?? [];
  const last = container.children?.at(-1);
  if (first === undefined || last === undefined) return text;
  const isOneLine = !text.slice(container.offset, first.offset).includes('\n');
  const indent = indentAt(text, first.offset);
  const end = last.offset + last.length;
  return `${text.slice(0, end)},${isOneLine ? ' ' : eol + indent}${write(indent, isOneLine)}${text.slice(end)}`;
}

function indentLines(json: string, indent: string, eol: string): string {
  return json.split('\n').join(eol + indent);
}

function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function styleOf(text: string): { unit: string; eol: string } {
  const [, unit = '  '] = /\n([ \t]{1,8})\S/.exec(text) ?? [];
  return { unit, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** Replaces addresses from last to first, so that offsets stay valid. */
export function withReferences(
  file: ConfigFile,
  changes: readonly { reference: ConfigReference; text: string }[],
): ConfigFile {
  let { text } = file;
  for (const { reference, text: now } of changes.toSorted((a, b) => b.reference.start - a.reference.start)) {
    text = text.slice(0, reference.start) + JSON.stringify(now).slice(1, -1) + text.slice(reference.end);
  }
  return { ...file, text, root: parseNode(text) };
}

export function requireUsable(files: readonly ConfigFile[]): void {
  const broken = files.find(({ root }) => root?.type !== 'object' && root?.type !== 'array');
  if (broken)
    throw new ToolError(`${broken.path} is not valid JSON. Fix it first; validate shows the position.`);
}
