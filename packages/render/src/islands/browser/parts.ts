/**
 * What the export has rendered inside an island, for components to place: the content a page gave them (slots), and
 * built-in components with holes for what is inside them. Their nodes are moved, so that whatever listens on them
 * goes on listening.
 */
import {
  type ComponentChild,
  type ComponentChildren,
  type Ref,
  type VNode,
  createContext,
  createPortal,
  h,
  toChildArray,
} from 'preact';
import { useContext, useMemo, useRef } from 'preact/hooks';
import type { Pool, Properties, ShownPart } from './pool.ts';

type Given = Record<string, unknown>;

export const PoolContext = createContext<Pool | undefined>(undefined);

/** The content between the tags of an island's element, among other things. */
export function Slot({ fill }: { fill: Pool['fill'] }): ComponentChild {
  return h('docyard-slot', { 'data-island-slot': 0, ref: fill });
}

/** How an element is filled whose only child is that content; undefined for every other element. */
export function fillOf(children: unknown): Pool['fill'] | undefined {
  const isSlot = typeof children === 'object' && children !== null && (children as VNode).type === Slot;
  return isSlot ? (children as VNode<{ fill: Pool['fill'] }>).props.fill : undefined;
}

export function BuiltIn({
  name,
  given,
  children,
  innerRef,
}: {
  name: string;
  given: Given;
  children?: ComponentChildren;
  innerRef?: Ref<Element>;
}): ComponentChild {
  const pool = useContext(PoolContext);
  const shown = useRef<ShownPart>(undefined);
  const wanted = propertiesOf(given, children);
  const part = (shown.current = pool?.part(name, wanted, shown.current));
  part?.show(wanted);
  const place = useMemo(
    () => (element: Element | null) => {
      element?.replaceChildren(...(part?.nodes ?? []));
      setRef(innerRef, element?.firstElementChild ?? null);
    },
    [part],
  );
  if (!part) return h('docyard-part', handlersOf(given), children);
  return h('docyard-part', { ...handlersOf(given), ref: place }, filledHoles(part, children));
}

function propertiesOf(given: Given, children: ComponentChildren): Properties {
  const isData = (name: string): boolean => /^(?:string|number|boolean)$/.test(typeof given[name]);
  return {
    names: Object.keys(given).filter(isData),
    read: (name) => {
      const slash = name.lastIndexOf('/');
      if (slash < 0) return given[name];
      return builtInAt(children, name.slice(0, slash))?.props.given[name.slice(slash + 1)];
    },
  };
}

function filledHoles(part: ShownPart, children: ComponentChildren): ComponentChild[] {
  return [...part.holes].map(([path, hole]) => createPortal(childrenAt(children, path) as VNode, hole));
}

function childrenAt(children: ComponentChildren, path: string): ComponentChildren {
  return path === '' ? children : builtInAt(children, path)?.props.children;
}

type BuiltInNode = VNode<Parameters<typeof BuiltIn>[0]>;

/** `1.0` is the first built-in component inside of the second one. */
function builtInAt(children: ComponentChildren, path: string): BuiltInNode | undefined {
  let inside = children;
  let found: BuiltInNode | undefined;
  for (const step of path.split('.')) {
    const builtIns: unknown[] = toChildArray(inside).filter(isBuiltIn);
    found = builtIns[Number(step)] as BuiltInNode | undefined;
    inside = found?.props.children;
  }
  return found;
}

function isBuiltIn(child: unknown): child is BuiltInNode {
  return typeof child === 'object' && child !== null && (child as VNode).type === BuiltIn;
}

function handlersOf(given: Given): Given {
  return Object.fromEntries(
    Object.entries(given).filter(([key, value]) => /^on[A-Z]/.test(key) && typeof value === 'function'),
  );
}

/** Headings are the ones of the export: one level deep at least, with the id that links lead to. */
export function Heading({
  level,
  given,
  children,
  innerRef,
}: {
  level: number;
  given: Given;
  children?: ComponentChildren;
  innerRef?: Ref<Element>;
}): ComponentChild {
  const pool = useContext(PoolContext);
  const id = (given['id'] as string | undefined) ?? pool?.headings.get(textOf(children));
  const { children: _children, noAnchor, ...rest } = given;
  const anchor =
    pool?.anchored.has(id ?? '') && !noAnchor
      ? h('a', { className: 'anchor', href: `#${id}`, 'aria-hidden': 'true', tabIndex: -1 }, '#')
      : null;
  return h(`h${Math.max(2, level)}`, { ...rest, id, ref: innerRef, 'data-plain': true }, children, anchor);
}

export function setRef(ref: Ref<Element> | undefined, value: Element | null): void {
  if (typeof ref === 'function') ref(value);
  else if (ref) ref.current = value;
}

function textOf(children: ComponentChildren): string {
  return toChildArray(children)
    .map((child) =>
      typeof child === 'object'
        ? textOf((child as VNode<{ children?: ComponentChildren }>).props.children)
        : String(child),
    )
    .join('')
    .trim();
}
