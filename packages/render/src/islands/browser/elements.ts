/**
 * Applies the rules of the export to elements that components create in the browser: resolves addresses,
 * omits what the page's policy refuses, keeps heading ids, and renders built-in components from their
 * templates.
 */
import {
  type ComponentChild,
  type ComponentChildren,
  Fragment,
  type Ref,
  type VNode,
  h,
  options,
} from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { fileAddress, isOutside, linkAddress, styleValue } from './addresses.ts';
import {
  type PageContent,
  builtInNameOf,
  contentOf,
  createElement,
  finishedElement,
  isFinished,
  isValidElement,
  showBuiltInsWith,
} from './author-elements.ts';
import { BuiltIn, Heading, InsideBuiltIn, PoolContext, Slot, setRef } from './parts.ts';
import { type Fill, type Pool, type SlotRange, slotText } from './pool.ts';

type Given = Record<string, unknown>;

interface Rendering {
  render: (...given: unknown[]) => unknown;
  constructor: unknown;
  /** The contexts around it. */
  __n?: Record<string, { props: { value: unknown } } | undefined>;
}

/** They would load, run or restyle something that the page's policy does not allow. */
const neverMade = new Set(['script', 'link', 'meta', 'base', 'object', 'embed', 'frame', 'frameset']);
const loading = new Set(['img', 'image', 'video', 'audio', 'source', 'track', 'input', 'use']);
/**
 * Longer HTML is parsed unchanged: the console reports its styles and handlers, which are dropped all the
 * same.
 */
const maxRenamedCharacters = 100_000;
const contextId = (PoolContext as unknown as { __c: string })['__c'];

/** A rerendered element keeps its identity, so that Preact skips its subtree. */
const finalForms = new WeakMap<object, unknown>();
const wrapped = new WeakSet<object>();

export function followSiteRules(): void {
  showBuiltInsWith(
    (name, { children, ref, ...given }) =>
      h(BuiltIn, {
        name,
        given,
        innerRef: ref as Ref<Element>,
        children: children as ComponentChildren,
      } as Parameters<typeof BuiltIn>[0]) as unknown as VNode,
  );
  const hooks = options as { __r?: (vnode: { __c: Rendering }) => void };
  const next = hooks['__r'];
  hooks['__r'] = (vnode) => {
    wrapRender(vnode['__c']);
    next?.(vnode);
  };
}

function wrapRender(component: Rendering): void {
  if (wrapped.has(component)) return;
  wrapped.add(component);
  const { render } = component;
  component.render = function (this: Rendering, ...given: unknown[]) {
    const pool = this['__n']?.[contextId]?.props.value as Pool | undefined;
    return pool
      ? finalForm(render.apply(this, given), pool, this.constructor === InsideBuiltIn)
      : render.apply(this, given);
  };
}

function finalForm(value: unknown, pool: Pool, isInBuiltIn: boolean): unknown {
  if (Array.isArray(value)) return listForm(value, pool, isInBuiltIn);
  if (!isValidElement(value) || isFinished(value)) return value;
  const placed = contentOf(value);
  if (placed) {
    if (isInBuiltIn && builtInNameOf(value) !== undefined) return placed.element();
    return slotElement([placed]);
  }
  const known = finalForms.get(value);
  if (known !== undefined) return known;
  const made = elementForm(value, pool, isInBuiltIn);
  finalForms.set(value, made);
  return made;
}

function listForm(list: readonly unknown[], pool: Pool, isInBuiltIn: boolean): unknown[] {
  const forms: unknown[] = [];
  let run: PageContent[] = [];
  const endRun = (): void => {
    if (run.length) forms.push(slotElement(run));
    run = [];
  };
  for (const item of list) {
    const placed = isInBuiltIn && builtInNameOf(item) !== undefined ? undefined : contentOf(item);
    const last = run.at(-1);
    if (placed && placed.slot >= 0 && last && last.slot + 1 === placed.slot) run.push(placed);
    else {
      endRun();
      if (placed) run = [placed];
      else forms.push(finalForm(item, pool, isInBuiltIn));
    }
  }
  endRun();
  return forms;
}

function slotElement(run: readonly PageContent[]): VNode {
  const range = { first: run[0]?.slot ?? 0, last: run.at(-1)?.slot ?? 0 };
  const elements = (): VNode[] => run.map(({ element }) => element());
  return h(Slot, { range, elements }) as unknown as VNode;
}

function elementForm(vnode: VNode<Given>, pool: Pool, isInBuiltIn: boolean): unknown {
  const { type, props: given, key, ref } = vnode;
  if (type === Fragment) {
    const children = finalForm(given['children'], pool, isInBuiltIn) as ComponentChildren;
    return finishedElement(Fragment, { key, children });
  }
  if (typeof type !== 'string') return vnode;
  const level = /^h([1-6])$/.exec(type)?.[1];
  const { children, ...attributes } = given;
  if (level !== undefined)
    return h(Heading, {
      key,
      level: Number(level),
      given: attributes,
      innerRef: ref as Ref<Element>,
      children,
    });
  if (neverMade.has(type)) return null;
  if (type === 'style') return h(Rules, { key, css: String(rulesOf(given)) });
  if (type === 'iframe' || isRemote(type, given)) return h(RemoteMedia, { key, name: type, given });
  const props = ruled(type, given);
  const range = fillRange(props['children'], pool);
  if (range)
    return finishedElement(type, { ...props, key, children: undefined, ...filledBy(range, ref, pool) });
  const inner = finalForm(props['children'], pool, false);
  return finishedElement(type, { ...props, key, ref, children: inner });
}

/** Page content that is the only child of an element is placed directly in it. */
function fillRange(children: unknown, pool: Pool): SlotRange | undefined {
  const placed = (Array.isArray(children) ? children : [children]).map(contentOf);
  const [first] = placed;
  if (!first || !pool.has(first.slot)) return undefined;
  const isRun = placed.every(
    (each, index) => each?.slot === first.slot + index && (index === 0 || each.slot > 0),
  );
  return isRun ? { first: first.slot, last: first.slot + placed.length - 1 } : undefined;
}

function filledBy(range: SlotRange, ref: unknown, pool: Pool): Given {
  const fill = pool.fill(range);
  return { 'data-island-slot': slotText(range), ref: ref ? joinedRef(ref, fill) : fill };
}

/**
 * The same reference must return the same function; otherwise Preact would empty and refill elements at every
 * change.
 */
const joinedRefs = new WeakMap<object, WeakMap<Fill, Fill>>();

function joinedRef(ref: object, fill: Fill): Fill {
  const known = joinedRefs.get(ref) ?? new WeakMap<Fill, Fill>();
  joinedRefs.set(ref, known);
  const joined =
    known.get(fill) ??
    ((element) => {
      setRef(ref as Ref<Element>, element);
      return fill(element);
    });
  known.set(fill, joined);
  return joined;
}

/**
 * The page's policy refuses inline rules. Rules of the first state are in a file; later ones are applied
 * after them.
 */
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

function RemoteMedia({ name, given }: { name: string; given: Given }): ComponentChild {
  const address = text(given['src']) ?? '';
  const href = isOutside(address) ? linkAddress(address) : undefined;
  if (href === undefined) return null;
  const className = ['dy-remote-image', given['className'] ?? given['class']].filter(Boolean).join(' ');
  const label = text(given['alt']) ?? text(given['title']) ?? new URL(href, location.href).hostname;
  return finishedElement('a', {
    href,
    rel: 'noopener',
    className: name === 'iframe' ? 'dy-remote-image' : className,
    children: label,
  }) as ComponentChild;
}

function isRemote(name: string, given: Given): boolean {
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
    else props[key] = value;
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

/** Parses HTML without running it and applies the same rules. */
function childrenOfHtml(value: unknown): ComponentChild[] {
  const html = text((value as Given | null)?.['__html']) ?? '';
  const quiet = html.length > maxRenamedCharacters ? html : withRenamedAttributes(html);
  return childrenOf(new DOMParser().parseFromString(quiet, 'text/html').body);
}

/** The page's policy reports styles and handlers even in a document that is only parsed. */
function withRenamedAttributes(html: string): string {
  return html.replaceAll(/<[a-z][^>]*>/gi, (tag) =>
    tag.replaceAll(/([\s"'/])(style|on\w+)(?=\s*=)/gi, '$1data-ruled-$2'),
  );
}

function childrenOf(parent: Node): ComponentChild[] {
  return [...parent.childNodes].map((node) => {
    if (!(node instanceof Element)) return node.nodeType === Node.TEXT_NODE ? node.textContent : null;
    const props: Given = {};
    for (const { name, value } of node.attributes)
      if (name === 'data-ruled-style') props['style'] = value;
      else if (!/^(?:on|data-ruled-)/i.test(name)) props[name] = value;
    return createElement(node.localName, props, ...childrenOf(node)) as ComponentChild;
  });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
