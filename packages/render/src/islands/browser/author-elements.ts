/**
 * Elements as authors' code creates and reads them, with unchanged types and properties. `elements.ts`
 * transforms them when they are rendered.
 */
import { Fragment, type VNode, h, options } from 'preact';

type Given = Record<string, unknown>;

/** Page content as an element: code may inspect it, and it is shown as exported. */
export interface PageContent {
  slot: number;
  /** The element that code sees. */
  element: () => VNode;
}

const elementMark = Symbol.for('react.element');
const contents = new WeakMap<object, PageContent>();
const builtIns = new Map<string, BuiltInType>();
const builtInNames = new WeakMap<object, string>();
const isBuiltInName = /^[A-Z]|^document:/;
let isAuthors = false;

type BuiltInType = (props: Given) => VNode | null;

/** Properties of an author's HTML elements are normalized later. */
const normalize = options.vnode;
options.vnode = (vnode) => {
  if (isAuthors && typeof vnode.type === 'string') Object.assign(vnode, { $$typeof: elementMark });
  else normalize?.(vnode);
};

/** Elements that already follow the rules of the page. */
const finished = new WeakSet<object>();

export function finishedElement(type: unknown, props: Given): VNode {
  const made = h(type as string, props);
  finished.add(made);
  return made;
}

export function isFinished(element: object): boolean {
  return finished.has(element);
}

let showBuiltIn: (name: string, props: Given) => VNode | null = () => null;

export function showBuiltInsWith(show: typeof showBuiltIn): void {
  showBuiltIn = show;
}

/** A component of the format: code may compare it, read its name and use it as a type. */
export function builtIn(name: string): BuiltInType {
  const known = builtIns.get(name);
  if (known) return known;
  const component = (props: Given): VNode | null => showBuiltIn(name, props);
  Object.defineProperty(component, 'name', { value: name });
  Object.assign(component, { displayName: name });
  const made = new Proxy(component, {
    get: (target, key) =>
      typeof key === 'string' && /^[A-Z]/.test(key)
        ? builtIn(`${name}.${key}`)
        : (target as unknown as Record<string | symbol, unknown>)[key],
  });
  builtIns.set(name, made);
  builtInNames.set(made, name);
  return made;
}

export function builtInNameOf(element: unknown): string | undefined {
  if (!isValidElement(element)) return undefined;
  const type: unknown = element.type;
  return typeof type === 'function' ? builtInNames.get(type) : undefined;
}

export function createElement(type: unknown, config?: Given | null, ...children: unknown[]): VNode {
  const before = isAuthors;
  isAuthors = true;
  try {
    const shown = typeof type === 'string' && isBuiltInName.test(type) ? builtIn(type) : type;
    return h(shown as string, config ?? null, ...(children as string[]));
  } finally {
    isAuthors = before;
  }
}

export function cloneElement(source: unknown, config?: Given | null, ...children: unknown[]): unknown {
  if (!isValidElement(source)) return source;
  const { type, props, key, ref } = source;
  return createElement(type, { ...props, key, ...(ref ? { ref } : {}), ...config }, ...children);
}

export function isValidElement(value: unknown): value is VNode<Given> {
  return typeof value === 'object' && value !== null && (value as Given)['$$typeof'] === elementMark;
}

/** An element that stands for page content; `make` creates the element that code sees. */
export function content(slot: number, make?: () => VNode): VNode {
  let made: VNode | undefined;
  const element = (): VNode => (made ??= make ? make() : createElement(Fragment));
  const placed = { $$typeof: elementMark, constructor: undefined };
  for (const name of ['type', 'props', 'key', 'ref'] as const)
    Object.defineProperty(placed, name, { enumerable: true, get: () => element()[name] });
  contents.set(placed, { slot, element });
  return placed as unknown as VNode;
}

export function contentOf(value: unknown): PageContent | undefined {
  return typeof value === 'object' && value !== null ? contents.get(value) : undefined;
}

function childList(children: unknown): unknown[] {
  if (children === undefined || children === null) return [];
  return [children]
    .flat(Infinity)
    .map((child: unknown) => (typeof child === 'boolean' || child === undefined ? null : child));
}

const isShown = (item: unknown): boolean => item !== null && item !== undefined && typeof item !== 'boolean';

type Work = (child: unknown, index: number) => unknown;

export const Children = {
  map: (children: unknown, work: Work, self?: unknown): unknown =>
    children === undefined || children === null
      ? children
      : childList(children)
          .map((child, index) => work.call(self, child, index))
          .flat(Infinity)
          .filter(isShown),
  forEach: (children: unknown, work: Work, self?: unknown): void =>
    childList(children).forEach((child, index) => void work.call(self, child, index)),
  count: (children: unknown): number => childList(children).length,
  toArray: (children: unknown): unknown[] => childList(children).filter(isShown),
  only: (child: unknown): unknown => {
    if (!isValidElement(child)) throw new Error('React.Children.only expects one element');
    return child;
  },
};
