/** The HTML of each kind of Markdown node. Elements and expressions are the renderer's business, not this file's. */
import type { FilePlace } from '../check/diagnostic.ts';
import type { PictureSize } from '../assets/picture-size.ts';
import { calloutKind } from '../components/callouts.ts';
import { pictureHtml } from '../components/images.ts';
import type { HeadingOptions, PageContext } from '../components/contract.ts';
import { withoutLinks } from '../components/remote.ts';
import { type Formula, formulaOfCode } from '../math/marks.ts';
import { type Attributes, attributes, element, escapeText } from '../html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { slugOf } from './headings.ts';
import type { Node } from './tree.ts';

/** What this file needs from the renderer while it walks. */
export interface MarkdownHost {
  children(node: Node): string;
  heading(options: HeadingOptions): string;
  link(href: string, place: FilePlace | undefined): { href: string | undefined; outside: boolean };
  asset(address: string, place: FilePlace | undefined): string | undefined;
  pictureSize(address: string): PictureSize | undefined;
  isFirstPicture(): boolean;
  elsewhere(address: string): string | undefined;
  place(node: Node): FilePlace | undefined;
  definition(identifier: string): { url: string; title: string | undefined } | undefined;
  footnoteNumber(identifier: string): { number: number; reference: number } | undefined;
  code(node: Node): string;
  math(formula: Formula, place: FilePlace | undefined): string;
  report: PageContext['report'];
}

export function markdownHtml(node: Node, host: MarkdownHost): string {
  switch (node.type) {
    case 'root':
      return host.children(node);
    case 'text':
      return escapeText(node.value ?? '');
    case 'paragraph':
      return block('p', host.children(node));
    case 'heading':
      return headingHtml(node, host);
    case 'emphasis':
      return `<em>${host.children(node)}</em>`;
    case 'strong':
      return `<strong>${host.children(node)}</strong>`;
    case 'delete':
      return `<del>${host.children(node)}</del>`;
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
      return node.children ? host.children(node) : '';
  }
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Text that holds letters of a script written from right to left finds its own direction. */
function block(name: 'p' | 'td', html: string, values: Attributes = {}): string {
  return element(name, { ...values, dir: rightToLeft.test(html) ? 'auto' : undefined }, html);
}

/** Signs on the keys of a keyboard, which the font for code draws too small. */
const keySymbols = /[⌘⌥⌃⇧⌫⌦↩⏎⇥⎋⇪␣]/u;

function inlineCodeHtml(node: Node, host: MarkdownHost): string {
  const value = node.value ?? '';
  const formula = formulaOfCode(value);
  if (formula) return host.math(formula, host.place(node));
  return `<code${keySymbols.test(value) ? ' class="keys"' : ''}>${escapeText(value)}</code>`;
}

/** A heading may end in a comment that carries its id, left there by the preparation of the source. */
function headingHtml(node: Node, host: MarkdownHost): string {
  const children = [...(node.children ?? [])];
  const at = children.findLastIndex((child) => /^\/\*#.+\*\/$/.test(child.value ?? ''));
  const id = at < 0 ? undefined : /^\/\*#(.+)\*\/$/.exec(children[at]?.value ?? '')?.[1]?.trim();
  if (at >= 0) children.splice(at, 1);
  const html = host.children({ ...node, children }).trim();
  if (html === '') return '';
  return host.heading({
    level: node.depth ?? 2,
    html,
    id: id?.replaceAll(/\s+/g, '-') ?? idBesideComponents(children),
  });
}

/** A badge in a heading is no part of its id: links to "`theme` <Badge>required</Badge>" say `#theme`. */
function idBesideComponents(children: readonly Node[]): string | undefined {
  let hasComponent = false;
  const textOf = (node: Node): string => {
    const isComponent = node.type.startsWith('mdxJsx') && /^[A-Z]/.test(node.name ?? '');
    if (isComponent) hasComponent = true;
    if (isComponent || node.type.endsWith('Expression')) return '';
    return node.value ?? (node.children ?? []).map(textOf).join('');
  };
  const text = children.map(textOf).join('');
  return hasComponent ? slugOf(text) || undefined : undefined;
}

/** `> [!NOTE]` on the first line makes a quote a callout, as on code forges. */
function blockquoteHtml(node: Node, host: MarkdownHost): string {
  const first = node.children?.[0];
  const text = first?.type === 'paragraph' ? first.children?.[0] : undefined;
  const alert = /^\[!(\w+)\]\s*/.exec(text?.value ?? '');
  if (!alert || !first || !text) return `<blockquote>${host.children(node)}</blockquote>`;
  const kind = calloutKind(alert[1] ?? 'note');
  const shortened = { ...text, value: (text.value ?? '').slice(alert[0].length) };
  const paragraph = { ...first, children: [shortened, ...(first.children ?? []).slice(1)] };
  const body = host.children({ ...node, children: [paragraph, ...(node.children ?? []).slice(1)] });
  return element(
    'aside',
    { class: `callout callout-${kind.className}`, role: 'note', 'aria-label': kind.label },
    element('span', { class: 'callout-icon' }, interfaceIcon(kind.icon)) +
      element('div', { class: 'callout-body' }, body),
  );
}

function listHtml(node: Node, host: MarkdownHost): string {
  const tight = !node.spread && !(node.children ?? []).some((item) => item.spread);
  const items = (node.children ?? []).map((item) => listItemHtml(item, host, tight)).join('\n');
  const tasks = node.children?.some((item) => typeof item.checked === 'boolean');
  const start = node.start ?? 1;
  const values = {
    start: node.ordered && start !== 1 ? start : undefined,
    class: tasks ? 'tasks' : undefined,
  };
  const name = node.ordered ? 'ol' : 'ul';
  return `<${name}${attributes(values)}>\n${items}\n</${name}>`;
}

function listItemHtml(node: Node, host: MarkdownHost, tight = false): string {
  const children = tight
    ? (node.children ?? []).flatMap((child) =>
        child.type === 'paragraph' ? (child.children ?? []) : [child],
      )
    : node.children;
  const box =
    typeof node.checked === 'boolean'
      ? `<input${attributes({ type: 'checkbox', disabled: true, checked: node.checked, 'aria-label': node.checked ? 'Done' : 'Not done' })}> `
      : '';
  const html = host.children({ ...node, children: children ?? [] });
  return `<li${rightToLeft.test(html) ? ' dir="auto"' : ''}>${box}${html}</li>`;
}

interface Target {
  url: string;
  title: string | undefined;
}

function linkHtml(node: Node, target: Target | undefined, host: MarkdownHost): string {
  const content = withoutLinks(host.children(node));
  if (!target) return node.label ? `[${content}]` : content;
  const { href } = host.link(target.url, host.place(node));
  return element(
    'a',
    { href, title: target.title, class: href === undefined ? 'dead-link' : undefined },
    content,
  );
}

function imageHtml(node: Node, target: Target | undefined, host: MarkdownHost): string {
  const values = { alt: node.alt || undefined, title: target?.title };
  return pictureHtml({ address: target?.url ?? '', values, place: host.place(node) }, host);
}

function tableHtml(node: Node, host: MarkdownHost): string {
  const [head, ...rows] = node.children ?? [];
  const cells = (row: Node, name: 'th' | 'td'): string =>
    (row.children ?? [])
      .slice(0, head?.children?.length)
      .map((cell, index) => {
        const align = node.align?.[index];
        const values = { class: align && align !== 'left' ? `align-${align}` : undefined };
        return name === 'td'
          ? block('td', host.children(cell), values)
          : element(name, values, host.children(cell));
      })
      .join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
  return (
    '<div class="table" role="group" aria-label="Table" tabindex="0"><table>' +
    `<thead><tr>${head ? cells(head, 'th') : ''}</tr></thead>` +
    `${body ? `<tbody>${body}</tbody>` : ''}</table></div>`
  );
}

function footnoteReferenceHtml(node: Node, host: MarkdownHost): string {
  const found = host.footnoteNumber(node.identifier ?? '');
  if (!found) return `[^${escapeText(node.label ?? node.identifier ?? '')}]`;
  const { number, reference } = found;
  const id = `footnote-ref-${number}${reference > 1 ? `-${reference}` : ''}`;
  return `<sup><a href="#footnote-${number}" id="${id}" aria-label="Footnote ${number}">${number}</a></sup>`;
}
