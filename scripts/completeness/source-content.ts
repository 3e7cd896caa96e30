/** Reads the content of a source page with the parser of the renderer. */
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Document, readDocument } from '../../packages/render/src/document/document.ts';
import type { Node } from '../../packages/render/src/document/tree.ts';
import { type PageContent, emptyContent, keyOf, wordsOf } from './content.ts';
import {
  attributeText,
  fileName,
  hiddenBecause,
  isBuiltIn,
  isShownAttribute,
  showsPlainText,
  textOf,
  withoutCodeMarks,
} from './rules.ts';

export interface SourceContent {
  content: PageContent;
  /** How often each rule explained an omission. */
  explained: Map<string, number>;
  /** The page and the snippets it includes. */
  files: Set<string>;
  /** Link targets, by the text of the link. */
  addresses: Map<string, Set<string>>;
}

export interface SourceSite {
  root: string;
  variables: Record<string, string>;
  math: 'auto' | 'always' | 'never';
}

const maxSnippetDepth = 5;

export function sourceContent(site: SourceSite, file: string): SourceContent {
  const reader = new SourceReader(site);
  reader.readFile(file, 0);
  return reader;
}

export function contentOfMarkdown(source: string): SourceContent {
  const reader = new SourceReader({ root: '', variables: {}, math: 'auto' });
  reader.readText(Buffer.from(source), 'page.mdx', 0);
  return reader;
}

class SourceReader implements SourceContent {
  readonly content = emptyContent();
  readonly explained = new Map<string, number>();
  readonly files = new Set<string>();
  readonly addresses = new Map<string, Set<string>>();
  readonly #site: SourceSite;

  constructor(site: SourceSite) {
    this.#site = site;
  }

  readFile(file: string, depth: number): void {
    this.files.add(file);
    this.readText(readFileSync(join(this.#site.root, file)), file, depth);
  }

  readText(bytes: Uint8Array, file: string, depth: number): void {
    const { variables, math } = this.#site;
    const document = readDocument(bytes, { file, variables, math, parser: 'fast' });
    const snippets = this.#snippetsOf(document, file);
    const walk = (node: Node): void => {
      const reason = hiddenBecause(node);
      if (reason !== undefined) return this.#explain(reason);
      const snippet = node.name ? snippets.get(node.name) : undefined;
      if (snippet !== undefined && depth < maxSnippetDepth) this.readFile(snippet, depth + 1);
      const links = this.content.links.length;
      this.#note(node);
      for (const child of node.children ?? []) walk(child);
      if (showsPlainText(node) && this.content.links.length > links) {
        this.#explain('a prompt is plain text, without links');
        this.content.links.length = links;
      }
    };
    walk(document.tree);
  }

  #explain(reason: string): void {
    this.explained.set(reason, (this.explained.get(reason) ?? 0) + 1);
  }

  #note(node: Node): void {
    const { content } = this;
    const { type, name, value = '' } = node;
    if (type === 'text' || type === 'inlineCode') content.words.push(...wordsOf(value));
    else if (type === 'code') {
      const code = withoutCodeMarks(value);
      content.words.push(...wordsOf(code));
      content.codeBlocks.push(keyOf(code));
    } else if (type === 'heading' || /^h[1-6]$/.test(name ?? '')) {
      // Formulas and expressions are rendered in another form, so only the text before them is compared.
      const heading = keyOf(hasHiddenPart(node) ? firstText(node) : visibleText(node));
      if (heading !== '') content.headings.push(heading);
    } else if (type === 'image') content.images.push(fileName(node.url ?? ''));
    else if (name === 'img') content.images.push(fileName(textOf(node, 'src') ?? ''));
    else if (type === 'table' || name === 'table') content.tables.push(keyOf(firstText(node)));
    else if (type === 'link' || type === 'linkReference')
      this.#noteLink(keyOf(visibleText(node)), node.url ?? '');
    else if (name === 'a') this.#noteLink(keyOf(visibleText(node)), textOf(node, 'href'));
    if (name && isBuiltIn(name)) this.#noteComponent(node, name);
  }

  #noteComponent(node: Node, name: string): void {
    const { content } = this;
    const shown = (node.attributes ?? []).flatMap((attribute) =>
      isShownAttribute(name, attribute.name ?? '') ? (plainText(attributeText(attribute)) ?? []) : [],
    );
    content.words.push(...shown.flatMap(wordsOf));
    /** A component is identified by its first words. */
    const start = keyOf(shown[0] ?? firstText(node));
    if (start !== '') content.components.push(start);
    if (name === 'Card' || name === 'Tile') this.#noteLink(start, textOf(node, 'href'));
  }

  #noteLink(text: string, address: string | undefined): void {
    if (address === undefined) return;
    this.content.links.push(text);
    this.addresses.set(text, (this.addresses.get(text) ?? new Set()).add(address));
  }

  /** Included files, by the name under which the page imports them. */
  #snippetsOf({ modules }: Document, file: string): Map<string, string> {
    const found = new Map<string, string>();
    for (const { source } of modules)
      for (const [, name = '', path = ''] of source.matchAll(
        /import\s+([A-Z]\w*)\s+from\s+["']([^"'\n]+\.mdx?)["']/g,
      )) {
        const target = /^\.\.?\//.test(path)
          ? posix.join(posix.dirname(file), path)
          : path.replace(/^\/+/, '');
        if (existsSync(join(this.#site.root, target))) found.set(name, target);
      }
    return found;
  }
}

/** An attribute may contain Markdown; the addresses of its links are not shown. */
function plainText(text: string | undefined): string | undefined {
  return text?.replaceAll(/\]\([^()\s]*\)/g, ']').replaceAll(/<[^<>]*>/g, ' ');
}

function hasHiddenPart(node: Node): boolean {
  return hiddenBecause(node) !== undefined || (node.children ?? []).some(hasHiddenPart);
}

function visibleText(node: Node): string {
  if (hiddenBecause(node) !== undefined || node.type === 'image') return '';
  return `${node.value ?? ''} ${(node.children ?? []).map(visibleText).join(' ')}`;
}

/** The first piece of text that no markup divides. */
function firstText(node: Node): string {
  if (hiddenBecause(node) !== undefined) return '';
  if (node.value !== undefined && keyOf(node.value) !== '')
    return node.type === 'code' ? withoutCodeMarks(node.value) : node.value;
  for (const child of node.children ?? []) {
    const text = firstText(child);
    if (text !== '') return text;
  }
  return '';
}
