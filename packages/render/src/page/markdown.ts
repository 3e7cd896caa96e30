/** The HTML of each kind of Markdown node except elements and expressions. */
import type { FilePlace } from '../model/diagnostic.ts';
import { calloutKind, calloutParts } from '../components/callouts.ts';
import { scrollingTable } from '../components/elements.ts';
import { pictureHtml } from '../components/images.ts';
import type { HeadingOptions, PageContext } from '../components/contract.ts';
import { withoutLinks } from '../components/remote.ts';
import { type Formula, formulaOfCode } from '../math/marks.ts';
import { attributes, element, escapeAttribute, escapeText } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { slugOf } from './headings.ts';
import type { Node } from '../document/tree.ts';
import { hooked } from '../model/style-hooks.ts';
import type { PictureSize } from '../model/site-plan.ts';

export interface MarkdownHost {
  content(nodes: readonly Node[] | undefined): string;
  heading(options: HeadingOptions): string;
  link(href: string, place: FilePlace | undefined): { href: string | undefined; outside: boolean };
  asset(address: string, place: FilePlace | undefined): string | undefined;
  pictureSize(address: string): PictureSize | undefined;
  isFirstPicture(): boolean;
  remoteAddress(address: string): string | undefined;
  place(node: Node): FilePlace | undefined;
  definition(identifier: string): { url: string; title: string | undefined } | undefined;
  footnoteNumber(identifier: string): { number: number; reference: number } | undefined;
  code(node: Node): string;
  math(formula: Formula, place: FilePlace | undefined): string;
  report: PageContext['report'];
}

export function markdownHtml(node: Node, host: MarkdownHost): string {
  switch (node.type) {
    case 'text':
      return escapeText(node.value ?? '');
    case 'paragraph':
      return paragraphHtml(node, host);
    case 'heading':
      return headingHtml(node, host);
    case 'emphasis':
      return `<em>${host.content(node.children)}</em>`;
    case 'strong':
      return `<strong>${host.content(node.children)}</strong>`;
    case 'delete':
      return `<del>${host.content(node.children)}</del>`;
    case 'inlineCode':
      return inlineCodeHtml(node, host);
    case 'break':
      return '<br>';
    case 'thematicBreak':
      return '<hr>';
    case 'blockquote':
      return blockquoteHtml(node, host);
    case 'list':
      return listHtml(node, host);
    case 'listItem':
      return listItemHtml(node, host);
    case 'code':
      return host.code(node);
    case 'link':
      return linkHtml(node, { url: node.url ?? '', title: node.title ?? undefined }, host);
    case 'linkReference':
      return linkHtml(node, host.definition(node.identifier ?? ''), host);
    case 'image':
      return imageHtml(node, { url: node.url ?? '', title: node.title ?? undefined }, host);
    case 'imageReference':
      return imageHtml(node, host.definition(node.identifier ?? ''), host);
    case 'table':
      return tableHtml(node, host);
    case 'footnoteReference':
      return footnoteReferenceHtml(node, host);
    default:
      return host.content(node.children);
  }
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Text with right-to-left letters gets `dir="auto"`. */
function directionOf(html: string): string {
  return rightToLeft.test(html) ? ' dir="auto"' : '';
}

function paragraphHtml(node: Node, host: MarkdownHost): string {
  const html = host.content(node.children);
  return `<p${directionOf(html)}>${html}</p>`;
}

/** Key symbols that the monospace font draws too small. */
const keySymbols = /[⌘⌥⌃⇧⌫⌦↩⏎⇥⎋⇪␣]/u;

function inlineCodeHtml(node: Node, host: MarkdownHost): string {
  const value = node.value ?? '';
  const formula = formulaOfCode(value);
  if (formula) return host.math(formula, host.place(node));
  return `<code${keySymbols.test(value) ? ' class="dy-keys"' : ''}>${escapeText(value)}</code>`;
}

/** A heading may end in a comment with its id, which the source preparation inserts. */
function headingHtml(node: Node, host: MarkdownHost): string {
  const written = node.children ?? [];
  const at = written.findLastIndex((child) => isIdComment(child.value));
  const children = at < 0 ? written : written.toSpliced(at, 1);
  const id = at < 0 ? undefined : written[at]?.value?.slice(3, -2).trim();
  const html = host.content(children).trim();
  if (html === '') return '';
  return host.heading({
    level: node.depth ?? 2,
    html,
    ...(id === undefined ? idsBesideComponents(children) : { id: id.replaceAll(/\s+/g, '-') }),
  });
}

function isIdComment(value: string | undefined): boolean {
  return value !== undefined && value.startsWith('/*#') && /^\/\*#.+\*\/$/.test(value);
}

/**
 * A component's children are part of the heading id, text that the component adds is not. Links to "`theme`
 * <Badge>required</Badge>" are written `#theme-required` or `#theme`.
 */
function idsBesideComponents(children: readonly Node[]): { id?: string; shortId?: string } {
  if (children.every(isTextOrCode)) return {};
  let hasComponent = false;
  const textOf = (node: Node, isShort: boolean): string => {
    const isComponent = node.type.startsWith('mdxJsx') && /^[A-Z]/.test(node.name ?? '');
    if (isComponent) hasComponent = true;
    if ((isComponent && isShort) || node.type.endsWith('Expression')) return '';
    return node.value ?? (node.children ?? []).map((child) => textOf(child, isShort)).join('');
  };
  const [id, shortId] = [false, true].map((isShort) =>
    slugOf(children.map((child) => textOf(child, isShort)).join('')),
  );
  return hasComponent && id ? { id, ...(shortId && shortId !== id ? { shortId } : {}) } : {};
}

function isTextOrCode({ type }: Node): boolean {
  return type === 'text' || type === 'inlineCode';
}

/** `> [!NOTE]` on the first line turns a quote into a callout, as on GitHub. */
function blockquoteHtml(node: Node, host: MarkdownHost): string {
  const first = node.children?.[0];
  const text = first?.type === 'paragraph' ? first.children?.[0] : undefined;
  const alert = /^\[!(\w+)\]\s*/.exec(text?.value ?? '');
  if (!alert || !first || !text) return `<blockquote>${host.content(node.children)}</blockquote>`;
  const kind = calloutKind(alert[1] ?? 'note');
  const shortened = { ...text, value: (text.value ?? '').slice(alert[0].length) };
  const paragraph = { ...first, children: [shortened, ...(first.children ?? []).slice(1)] };
  const body = host.content([paragraph, ...(node.children ?? []).slice(1)]);
  return element(
    'aside',
    {
      class: `${hooked('dy-callout', 'callout')} dy-callout-${kind.className}`,
      role: 'note',
      'aria-label': kind.label,
      'data-callout-type': kind.className,
    },
    calloutParts(interfaceIcon(kind.icon), body),
  );
}

function listHtml(node: Node, host: MarkdownHost): string {
  const items = node.children ?? [];
  const tight = !node.spread && !items.some((item) => item.spread);
  const tasks = items.some((item) => typeof item.checked === 'boolean');
  const start = node.start ?? 1;
  const values = {
    start: node.ordered && start !== 1 ? start : undefined,
    class: tasks ? 'dy-tasks' : undefined,
  };
  const name = node.ordered ? 'ol' : 'ul';
  let html = '';
  for (const item of items) html += `${listItemHtml(item, host, tight)}\n`;
  return `<${name}${attributes(values)}>\n${html || '\n'}</${name}>`;
}

function listItemHtml(node: Node, host: MarkdownHost, tight = false): string {
  const box =
    typeof node.checked === 'boolean'
      ? `<input${attributes({ type: 'checkbox', disabled: true, checked: node.checked, 'aria-label': node.checked ? 'Done' : 'Not done' })}> `
      : '';
  const html = host.content(tight ? withoutParagraphs(node.children ?? []) : node.children);
  return `<li${directionOf(html)}>${box}${html}</li>`;
}

function withoutParagraphs(nodes: readonly Node[]): readonly Node[] {
  const first = nodes[0];
  if (nodes.length === 1 && first?.type === 'paragraph') return first.children ?? [];
  return nodes.flatMap((node) => (node.type === 'paragraph' ? (node.children ?? []) : [node]));
}

interface Target {
  url: string;
  title: string | undefined;
}

const linkClass = hooked('', 'link');

function linkHtml(node: Node, target: Target | undefined, host: MarkdownHost): string {
  const content = withoutLinks(host.content(node.children));
  if (!target) return node.label ? `[${content}]` : content;
  const { href } = host.link(target.url, host.place(node));
  const title = target.title === undefined ? '' : ` title="${escapeAttribute(target.title)}"`;
  if (href === undefined) return `<a${title} class="dy-dead-link">${content}</a>`;
  return `<a class="${linkClass}" href="${escapeAttribute(href)}"${title}>${content}</a>`;
}

function imageHtml(node: Node, target: Target | undefined, host: MarkdownHost): string {
  const values = { alt: node.alt || undefined, title: target?.title };
  return pictureHtml({ address: target?.url ?? '', values, place: host.place(node) }, host);
}

function tableHtml(node: Node, host: MarkdownHost): string {
  const rows = node.children ?? [];
  const columns = (node.align ?? []).map((align) => (align && align !== 'left' ? `dy-align-${align}` : ''));
  const width = rows[0]?.children?.length ?? 0;
  const headers = columns.map((column, index) => {
    const isWide = rows.some(({ children }) => hasProse(children?.[index]));
    return isWide ? `${column} dy-wide-column`.trim() : column;
  });
  let html = '<table><thead><tr>';
  rows.forEach((row, index) => {
    if (index > 0) html += index === 1 ? '</tr></thead><tbody><tr>' : '</tr>\n<tr>';
    html += cellsHtml(row, index === 0 ? 'th' : 'td', index === 0 ? headers : columns, width, host);
  });
  return scrollingTable(`${html}</tr></${rows.length > 1 ? 'tbody' : 'thead'}></table>`);
}

/** Cells with more characters are prose, which needs a minimum width. */
const maxShortCell = 60;

function hasProse(cell: Node | undefined): boolean {
  let length = 0;
  const count = ({ value, children }: Node): void => {
    length += value?.length ?? 0;
    children?.forEach(count);
  };
  if (cell) count(cell);
  return length > maxShortCell;
}

/** A row has no more cells than the first. A header cell without content becomes a data cell. */
function cellsHtml(
  row: Node,
  name: 'th' | 'td',
  columns: readonly string[],
  width: number,
  host: MarkdownHost,
): string {
  let cells = '';
  row.children?.slice(0, width).forEach((cell, index) => {
    const html = host.content(cell.children);
    const tag = html === '' ? 'td' : name;
    const className = columns[index] ? ` class="${columns[index]}"` : '';
    cells += `<${tag}${className}${tag === 'td' ? directionOf(html) : ''}>${html}</${tag}>`;
  });
  return cells;
}

function footnoteReferenceHtml(node: Node, host: MarkdownHost): string {
  const found = host.footnoteNumber(node.identifier ?? '');
  if (!found) return `[^${escapeText(node.label ?? node.identifier ?? '')}]`;
  const { number, reference } = found;
  const id = `footnote-ref-${number}${reference > 1 ? `-${reference}` : ''}`;
  return `<sup><a href="#footnote-${number}" id="${id}" aria-label="Footnote ${number}">${number}</a></sup>`;
}
