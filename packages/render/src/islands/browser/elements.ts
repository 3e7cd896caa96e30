/**
 * Elements that components make in the browser follow the rules of the export: addresses are resolved, what the
 * page's policy would refuse is not made, headings keep their ids, and built-in components come from their templates.
 */
import { type ComponentChild, type Ref, h, options } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { fileAddress, isOutside, linkAddress, styleValue } from './addresses.ts';
import { BuiltIn, Heading, fillOf, setRef } from './parts.ts';
import type { Pool } from './pool.ts';

type Given = Record<string, unknown>;
/** A node whose type and properties are still to be decided. */
interface Undecided {
  type: unknown;
  props: Given;
  ref?: Ref<Element> | undefined;
}

/** They would load, run or restyle something that the page's policy does not allow. */
const neverMade = new Set(['script', 'link', 'meta', 'base', 'object', 'embed', 'frame', 'frameset']);
/** Components of the catalogue, and imported documents. */
const isBuiltInName = /^[A-Z]|^document:/;
const loading = new Set(['img', 'image', 'video', 'audio', 'source', 'track', 'input', 'use']);

export function followSiteRules(): void {
  const next = options.vnode;
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string') treat(vnode, vnode.type);
    next?.(vnode);
  };
}

function treat(vnode: Undecided, name: string): void {
  const given = vnode.props;
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (isBuiltInName.test(name)) become(vnode, BuiltIn, { name, given, children: given['children'] });
  else if (level !== undefined && !given['data-plain'])
    become(vnode, Heading, { level: Number(level), given, children: given['children'] });
  else if (neverMade.has(name)) become(vnode, Nothing, {});
  else if (name === 'style') become(vnode, Rules, { css: rulesOf(given) });
  else if (name === 'iframe' || isElsewhere(name, given)) become(vnode, Elsewhere, { name, given });
  else {
    vnode.props = ruled(name, given);
    const fill = fillOf(given['children']);
    if (fill) fillFrom(vnode, fill);
  }
}

/** The content of the island goes right into an element that holds nothing else. */
function fillFrom(vnode: Undecided, fill: Pool['fill']): void {
  vnode.props = { ...vnode.props, children: undefined, 'data-island-slot': 0 };
  const { ref } = vnode;
  if (!ref) {
    vnode.ref = fill as Ref<Element>;
    return;
  }
  const known =
    joinedRefs.get(ref) ??
    ((element: Element | null) => {
      setRef(ref, element);
      return fill(element);
    });
  joinedRefs.set(ref, known);
  vnode.ref = known as Ref<Element>;
}

/** The same reference must give the same function, or elements would be emptied and filled at every change. */
const joinedRefs = new WeakMap<object, (element: Element | null) => unknown>();

function become(vnode: Undecided, type: unknown, props: Given): void {
  vnode.type = type;
  vnode.props = { ...props, innerRef: vnode.ref };
  vnode.ref = undefined;
}

const Nothing = (): null => null;

/** The policy of the page refuses rules in an element; those of the first state are in a file, and later ones count after them. */
function Rules({ css }: { css: string }): null {
  useLayoutEffect(() => {
    const { adoptedStyleSheets: sheets } = document;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    sheets.push(sheet);
    return () => void sheets.splice(sheets.indexOf(sheet), 1);
  }, [css]);
  return null;
}

function rulesOf({ children, dangerouslySetInnerHTML: html }: Given): unknown {
  return styleValue((html as Given | undefined)?.['__html'] ?? [children].flat(9).filter(Boolean).join(''));
}

/** A picture or frame of another host is a link to it, as everywhere in an exported site. */
function Elsewhere({ name, given }: { name: string; given: Given }): ComponentChild {
  const address = text(given['src']) ?? '';
  const href = isOutside(address) ? linkAddress(address) : undefined;
  if (href === undefined) return null;
  const className = ['remote-image', given['className'] ?? given['class']].filter(Boolean).join(' ');
  const label = text(given['alt']) ?? text(given['title']) ?? new URL(href, location.href).hostname;
  return h('a', { href, rel: 'noopener', className: name === 'iframe' ? 'remote-image' : className }, label);
}

function isElsewhere(name: string, given: Given): boolean {
  const address = text(given['src']) ?? '';
  return /^(?:img|video|audio)$/.test(name) && isOutside(address) && fileAddress(address) === undefined;
}

function ruled(name: string, given: Given): Given {
  const props: Given = name === 'img' ? { loading: 'lazy', decoding: 'async' } : {};
  for (const [key, value] of Object.entries(given)) {
    const address = text(value);
    if (/^(?:href|xlinkHref|xlink:href|action|formAction)$/.test(key) && address !== undefined)
      props[key] = loading.has(name) ? fileAddress(address) : linkAddress(address);
    else if (/^(?:src|poster)$/.test(key) && address !== undefined) props[key] = fileAddress(address);
    else if (key === 'srcSet' || key === 'srcset') props[key] = sources(address ?? '');
    else if (key === 'style') props[key] = style(value);
    else if (key === 'dangerouslySetInnerHTML') props['children'] = childrenOfHtml(value);
    else if (key !== 'data-plain') props[key] = value;
  }
  return props;
}

function sources(written: string): string | undefined {
  const parts = written.split(',').map((part) => {
    const [address = '', ...descriptor] = part.trim().split(/\s+/);
    return [fileAddress(address), ...descriptor];
  });
  return parts.every(([address]) => address) ? parts.map((part) => part.join(' ')).join(', ') : undefined;
}

function style(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return styleValue(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, styleValue(item)]));
}

/** HTML as text is read without running any of it, and made by the same rules as the rest. */
function childrenOfHtml(value: unknown): ComponentChild[] {
  const html = text((value as Given | null)?.['__html']) ?? '';
  // Even a document that is only read complains of styles and handlers, so they get another name before.
  const quiet = html.replaceAll(/<[a-z][^>]*>/gi, (tag) =>
    tag.replaceAll(/([\s"'/])(style|on\w+)(?=\s*=)/gi, '$1data-ruled-$2'),
  );
  return childrenOf(new DOMParser().parseFromString(quiet, 'text/html').body);
}

function childrenOf(parent: Node): ComponentChild[] {
  return [...parent.childNodes].map((node) => {
    if (!(node instanceof Element)) return node.nodeType === Node.TEXT_NODE ? node.textContent : null;
    const props: Given = {};
    for (const { name, value } of node.attributes)
      if (name === 'data-ruled-style') props['style'] = value;
      else if (!/^(?:on|data-ruled-)/i.test(name)) props[name] = value;
    return h(node.localName, props, childrenOf(node));
  });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
