/** Reads the content of a rendered page with an HTML parser that the renderer does not use. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { type PageContent, emptyContent, keyOf, wordsOf } from './content.ts';
import { fileName } from './rules.ts';

type HtmlNode = DefaultTreeAdapterTypes.Node;
type HtmlElement = DefaultTreeAdapterTypes.Element;

export interface RenderedContent {
  content: PageContent;
  /** All text of the page without spaces. */
  text: string;
}

export function pageContent(html: string): RenderedContent {
  const main = find(parse(html), 'main');
  const content = emptyContent();
  if (!main) return { content, text: '' };
  walk(main, content);
  return { content, text: keyOf(textOf(main)) };
}

function walk(node: HtmlNode, content: PageContent): void {
  if (node.nodeName === '#text')
    content.words.push(...wordsOf((node as DefaultTreeAdapterTypes.TextNode).value));
  if (!('tagName' in node)) {
    if ('childNodes' in node) for (const child of node.childNodes) walk(child, content);
    return;
  }
  if (node.tagName === 'template' || node.tagName === 'style' || node.tagName === 'script') return;
  note(node, content);
  for (const child of node.childNodes) walk(child, content);
}

function note(element: HtmlElement, content: PageContent): void {
  const { tagName } = element;
  if (/^h[1-6]$/.test(tagName)) content.headings.push(keyOf(textOf(element)));
  else if (tagName === 'img') {
    content.images.push(fileName(attribute(element, 'src') ?? ''));
    content.words.push(...wordsOf(attribute(element, 'alt') ?? ''));
  } else if (tagName === 'pre') content.codeBlocks.push(keyOf(textOf(element)));
  else if (tagName === 'table') content.tables.push(keyOf(textOf(element)));
  else if (tagName === 'a') content.links.push(keyOf(textOf(element)));
}

function textOf(node: HtmlNode): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value;
  if ('tagName' in node && /^(?:template|style|script|svg)$/.test(node.tagName)) return '';
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

function find(node: HtmlNode, name: string): HtmlElement | undefined {
  if ('tagName' in node && node.tagName === name) return node;
  if (!('childNodes' in node)) return undefined;
  for (const child of node.childNodes) {
    const found = find(child, name);
    if (found) return found;
  }
  return undefined;
}

function attribute(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((each) => each.name === name)?.value;
}
