/**
 * Components that place exported parts of an island: slots with page content, and built-in components with
 * holes for their children. Nodes are moved, so that their event listeners stay.
 */
import {
  type ComponentChild,
  type ComponentChildren,
  Fragment,
  type Ref,
  type VNode,
  createContext,
  createPortal,
  h,
} from 'preact';
import { useContext, useMemo, useRef } from 'preact/hooks';
import { builtInNameOf, finishedElement } from './author-elements.ts';
import { type Pool, type Properties, type ShownPart, type SlotRange, slotText } from './pool.ts';

type Given = Record<string, unknown>;

export const PoolContext = createContext<Pool | undefined>(undefined);

/** Page content among other elements; rendered from elements when the page does not contain it. */
export function Slot({
  range,
  elements,
}: {
  range: SlotRange;
  elements: () => ComponentChildren;
}): ComponentChildren {
  const pool = useContext(PoolContext);
  if (!pool?.has(range.first)) return elements();
  return finishedElement('docyard-slot', { 'data-island-slot': slotText(range), ref: pool.fill(range) });
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
  if (!part)
    return finishedElement('docyard-part', {
      ...handlersOf(given),
      children: h(InsideBuiltIn, null, children),
    });
  return finishedElement('docyard-part', {
    ...handlersOf(given),
    ref: place,
    children: filledHoles(part, children),
  });
}

function propertiesOf(given: Given, children: ComponentChildren): Properties {
  const isData = (name: string): boolean => /^(?:string|number|boolean)$/.test(typeof given[name]);
  return {
    names: Object.keys(given).filter(isData),
    read: (name) => {
      const slash = name.lastIndexOf('/');
      if (slash < 0) return given[name];
      return builtInAt(children, name.slice(0, slash))?.props[name.slice(slash + 1)];
    },
  };
}

function filledHoles(part: ShownPart, children: ComponentChildren): ComponentChild[] {
  return [...part.holes].map(([path, hole]) => {
    const inside = h(InsideBuiltIn, null, childrenAt(children, path));
    return createPortal(inside as VNode, hole);
  });
}

export function InsideBuiltIn({ children }: { children?: ComponentChildren }): ComponentChildren {
  return children;
}

function childrenAt(children: ComponentChildren, path: string): ComponentChildren {
  return path === '' ? children : builtInAt(children, path)?.props['children'];
}

/** `1.0` is the first built-in component inside the second one. */
function builtInAt(children: unknown, path: string): VNode<Given> | undefined {
  let inside = children;
  let found: VNode<Given> | undefined;
  for (const step of path.split('.')) {
    found = builtInsIn(inside)[Number(step)];
    inside = found?.props['children'];
  }
  return found;
}

function builtInsIn(children: unknown): VNode<Given>[] {
  return [children].flat(Infinity).flatMap((child: unknown) => {
    if (builtInNameOf(child) !== undefined) return [child as VNode<Given>];
    const isFragment = typeof child === 'object' && child !== null && (child as VNode).type === Fragment;
    return isFragment ? builtInsIn((child as VNode<Given>).props['children']) : [];
  });
}

function handlersOf(given: Given): Given {
  return Object.fromEntries(
    Object.entries(given).filter(([key, value]) => /^on[A-Z]/.test(key) && typeof value === 'function'),
  );
}

/** Headings of the export: at least one level deep, with the id that links refer to. */
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
  const id = (given['id'] as string | undefined) ?? pool?.headings.get(textOf(children).trim());
  const { children: _children, noAnchor, ...rest } = given;
  const anchor =
    pool?.anchored.has(id ?? '') && !noAnchor
      ? finishedElement('a', {
          className: 'dy-anchor',
          href: `#${id}`,
          'aria-hidden': 'true',
          tabIndex: -1,
          children: '#',
        })
      : null;
  return finishedElement(`h${Math.max(2, level)}`, {
    ...rest,
    id,
    ref: innerRef,
    children: [h(Fragment, null, children), anchor],
  });
}

export function setRef(ref: Ref<Element> | undefined, value: Element | null): void {
  if (typeof ref === 'function') ref(value);
  else if (ref) ref.current = value;
}

function textOf(children: unknown): string {
  return [children]
    .flat(Infinity)
    .map((child: unknown) => {
      if (typeof child === 'string' || typeof child === 'number') return String(child);
      return typeof child === 'object' && child !== null
        ? textOf((child as Partial<VNode<Given>>).props?.['children'])
        : '';
    })
    .join('');
}
