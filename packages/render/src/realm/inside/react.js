/**
 * Runs inside QuickJS: React's API for a first render. Components are called once, state has its initial
 * value, effects never run, and the result is a tree of HTML and built-in elements by name. Security: the
 * host trusts nothing in here, because authors' code can change anything it reaches.
 */
export function reactForFirstRender() {
  'use strict';

  const mark = Symbol.for('react.element');
  const Fragment = Symbol.for('react.fragment');
  const Suspense = Symbol.for('react.suspense');
  /** Elements that only show their children. */
  const transparent = new Set(
    ['fragment', 'strict_mode', 'profiler'].map((name) => Symbol.for(`react.${name}`)),
  );
  const Slot = Symbol('slot');
  const maximumDepth = 200;
  const maximumNodes = 200_000;
  const maximumRendersAgain = 25;

  /** The slot number of each element that stands for page content. */
  const slots = new WeakMap();
  const builtins = new Map();
  const isBuiltInName = /^(?:[A-Z]|document:)/;

  /** A component of the format: code may compare it, read its name and use it as a type. */
  function builtIn(name) {
    const known = builtins.get(name);
    if (known) return known;
    const component = () => null;
    Object.defineProperty(component, 'name', { value: name });
    component.displayName = name;
    component.kind = 'builtIn';
    const made = new Proxy(component, {
      get: (target, key) =>
        typeof key === 'string' && /^[A-Z]/.test(key) ? builtIn(`${name}.${key}`) : target[key],
    });
    builtins.set(name, made);
    return made;
  }

  const typeOf = (type) => (typeof type === 'string' && isBuiltInName.test(type) ? builtIn(type) : type);

  /** An element that stands for page content; `make` creates the element that code sees. */
  function content(slot, make) {
    let made;
    const read = (name) => () => (made ??= make ? make() : createElement(Fragment, null))[name];
    const placed = Object.defineProperties(
      { $$typeof: mark },
      Object.fromEntries(
        ['type', 'key', 'ref', 'props'].map((name) => [name, { enumerable: true, get: read(name) }]),
      ),
    );
    slots.set(placed, slot);
    return placed;
  }

  const isElement = (value) => typeof value === 'object' && value !== null && value.$$typeof === mark;
  const element = (type, key, ref, props) => ({ $$typeof: mark, type, key, ref, props });

  function createElement(type, config, ...children) {
    const props = {};
    for (const name in config) if (name !== 'key' && name !== 'ref') props[name] = config[name];
    if (config?.ref !== undefined && config.ref !== null) props.ref = config.ref;
    if (children.length === 1) props.children = children[0];
    else if (children.length > 1) props.children = children;
    const defaults = type?.defaultProps;
    for (const name in defaults) if (props[name] === undefined) props[name] = defaults[name];
    return element(
      typeOf(type),
      config?.key === undefined ? null : `${config.key}`,
      config?.ref ?? null,
      props,
    );
  }

  function cloneElement(source, config, ...children) {
    const given = children.length > 0 ? children : [source.props.children].flat();
    const merged = { ...source.props, key: source.key, ref: source.ref, ...config };
    delete merged.children;
    if (children.length === 0 && config?.children !== undefined)
      return createElement(source.type, merged, config.children);
    return source.props.children === undefined && children.length === 0
      ? createElement(source.type, merged)
      : createElement(source.type, merged, ...given);
  }

  // Hooks: the cells of the component that is being rendered.

  let owner;
  let ids = 0;
  let idSpace = 0;

  function cell(make) {
    if (!owner) throw new Error('Hooks can only be used while a component is rendered');
    const at = owner.at++;
    return (owner.cells[at] ??= make());
  }

  function useReducer(reducer, initial, init) {
    const state = cell(() => {
      const own = { value: init ? init(initial) : initial, owner, reducer };
      own.dispatch = (action) => {
        const next = own.reducer(own.value, action);
        if (Object.is(next, own.value)) return;
        own.value = next;
        if (own.owner === owner) own.owner.changed = true;
      };
      return own;
    });
    state.reducer = reducer;
    return [state.value, state.dispatch];
  }

  const nextState = (value, action) => (typeof action === 'function' ? action(value) : action);
  const useState = (initial) =>
    useReducer(nextState, undefined, () => (typeof initial === 'function' ? initial() : initial));
  const useMemo = (make) => cell(() => ({ value: make() })).value;
  const useRef = (initial) => cell(() => ({ current: initial }));
  const useContext = (context) => context.current;
  const useNothing = () => void cell(() => true);
  const hooks = {
    useState,
    useReducer,
    useMemo,
    useRef,
    useContext,
    useCallback: (callback) => callback,
    useEffect: useNothing,
    useLayoutEffect: useNothing,
    useInsertionEffect: useNothing,
    useImperativeHandle: useNothing,
    useDebugValue: () => undefined,
    useId: () => cell(() => ({ id: `_r${idSpace}_${ids++}_` })).id,
    useTransition: () => [false, (work) => void work],
    useDeferredValue: (value) => value,
    useSyncExternalStore: (_subscribe, now, first) => (first ?? now)(),
    useOptimistic: (value) => [value, () => undefined],
  };

  // Component types other than functions.

  class Component {
    constructor(props, context) {
      this.props = props;
      this.context = context;
      this.refs = {};
    }
    setState(change) {
      const part = typeof change === 'function' ? change(this.state, this.props) : change;
      this.state = { ...this.state, ...part };
    }
    forceUpdate() {}
    render() {
      return null;
    }
  }
  Component.prototype.isReactComponent = {};
  class PureComponent extends Component {}

  function createContext(initial) {
    const context = { kind: 'context', current: initial };
    context.Provider = { kind: 'provider', context };
    context.Consumer = { kind: 'consumer', context };
    return context;
  }

  const memo = (type) => ({ kind: 'memo', type });
  const forwardRef = (render) => ({ kind: 'forwardRef', render });
  /** Thrown by a component that is not ready; the nearest `Suspense` shows its fallback. */
  const waiting = { message: 'A component that waits for something is not inside of <Suspense>' };
  const lazy = (load) => ({ kind: 'lazy', load });

  function resolved(type) {
    type.loading ??= type.load();
    let found;
    if (typeof type.loading?.then !== 'function') found = type.loading;
    if (found === undefined) throw waiting;
    return found.default ?? found;
  }

  function renderClass(Type, props) {
    const instance = new Type(props, Type.contextType?.current);
    instance.props = props;
    instance.state ??= null;
    const derived = Type.getDerivedStateFromProps?.(props, instance.state);
    if (derived) instance.state = { ...instance.state, ...derived };
    else {
      instance.componentWillMount?.();
      instance.UNSAFE_componentWillMount?.();
    }
    return instance.render();
  }

  /** A component that sets its own state while rendering is rendered again, as in React. */
  function renderFunction(render, props, second) {
    const around = owner;
    const own = { cells: [], at: 0, changed: false };
    try {
      for (let count = 0; count <= maximumRendersAgain; count++) {
        own.at = 0;
        own.changed = false;
        owner = own;
        const result = render(props, second);
        if (!own.changed) return result;
      }
    } finally {
      owner = around;
    }
    throw new Error('Too many re-renders: the component changes its state each time it is rendered');
  }

  /** Undefined for a type that is not a component. */
  function rendered(type, props, ref) {
    if (type?.kind === 'lazy') return element(resolved(type), null, ref, props);
    if (typeof type === 'function')
      return type.prototype?.isReactComponent || typeof type.prototype?.render === 'function'
        ? renderClass(type, props)
        : renderFunction(type, props);
    switch (type?.kind) {
      case 'memo':
        return element(type.type, null, ref, props);
      case 'forwardRef':
        return renderFunction(type.render, props, ref);
      case 'consumer':
        return props.children(type.context.current);
      default:
        throw new TypeError(`An element has a type that is no component: ${nameOf(type)}`);
    }
  }

  function nameOf(type) {
    if (type === undefined) return 'undefined. Is it exported where it is imported from?';
    return typeof type === 'object' ? 'an object' : String(type);
  }

  // Converts values to the tree that leaves this realm: plain data, everything else by name.

  let nodes = 0;

  function enter(depth) {
    if (depth > maximumDepth) throw new RangeError('The result is nested too deeply');
    if (++nodes > maximumNodes) throw new RangeError('The result has too many parts');
  }

  function contentOf(value, depth, isInBuiltIn) {
    enter(depth);
    switch (typeof value) {
      case 'string':
        return value;
      case 'number':
      case 'bigint':
        return String(value);
      case 'object':
        break;
      default:
        return null;
    }
    if (value === null) return null;
    if (Array.isArray(value)) return contentsOf(value, depth, isInBuiltIn);
    if (isElement(value)) return treeOf(value, depth, isInBuiltIn);
    if (typeof value.then === 'function')
      throw new TypeError('A component that waits for something (async) cannot be shown');
    if (typeof value[Symbol.iterator] === 'function') return contentsOf([...value], depth, isInBuiltIn);
    throw new TypeError(`An object cannot be shown (keys: ${Object.keys(value).slice(0, 8).join(', ')})`);
  }

  /** A loop, because `map` takes more stack per level. Adjacent slots of one content are merged. */
  function contentsOf(list, depth, isInBuiltIn) {
    const contents = [];
    for (const item of list) {
      const tree = contentOf(item, depth + 1, isInBuiltIn);
      const last = contents.at(-1);
      if (tree?.slot >= 0 && last?.slot >= 0 && (last.to ?? last.slot) + 1 === tree.slot) last.to = tree.slot;
      else contents.push(tree);
    }
    return contents;
  }

  function treeOf(source, depth, isInBuiltIn) {
    const slot = slots.get(source);
    if (slot !== undefined && !(isInBuiltIn && source.type?.kind === 'builtIn')) return { slot };
    const { type, props, ref } = source;
    if (type === Slot) return { slot: props.slot };
    if (typeof type === 'string' || type?.kind === 'builtIn') {
      const { children, ...own } = props;
      const isBuiltIn = typeof type !== 'string';
      return {
        type: isBuiltIn ? type.displayName : type,
        props: entriesOf(own, depth),
        children: listOf(children, depth, isBuiltIn),
      };
    }
    if (transparent.has(type))
      return { type: null, props: [], children: listOf(props.children, depth, isInBuiltIn) };
    if (type === Suspense) return suspenseOf(props, depth, isInBuiltIn);
    if (type?.kind === 'portal') return null;
    if (type?.kind === 'provider' || type?.kind === 'context')
      return providerOf(type.context ?? type, props, depth, isInBuiltIn);
    return contentOf(rendered(type, props, ref), depth + 1, isInBuiltIn);
  }

  function suspenseOf(props, depth, isInBuiltIn) {
    try {
      return { type: null, props: [], children: listOf(props.children, depth, isInBuiltIn) };
    } catch (error) {
      if (error !== waiting) throw error;
      return { type: null, props: [], children: listOf(props.fallback, depth, isInBuiltIn) };
    }
  }

  function providerOf(context, props, depth, isInBuiltIn) {
    const around = context.current;
    context.current = props.value;
    try {
      return { type: null, props: [], children: listOf(props.children, depth, isInBuiltIn) };
    } finally {
      context.current = around;
    }
  }

  function listOf(children, depth, isInBuiltIn) {
    if (children === undefined || children === null) return [];
    const shown = contentOf(children, depth + 1, isInBuiltIn);
    return Array.isArray(shown) ? shown : [shown];
  }

  function entriesOf(object, depth) {
    return Object.keys(object)
      .filter((name) => name !== 'ref' && name !== 'key' && object[name] !== undefined)
      .map((name) => [name, dataOf(object[name], depth + 1)]);
  }

  /** A property value: data, elements, and a placeholder for functions. */
  function dataOf(value, depth) {
    enter(depth);
    switch (typeof value) {
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'bigint':
        return String(value);
      case 'function':
        return { function: true };
      case 'string':
      case 'boolean':
        return value;
      case 'object':
        break;
      default:
        return null;
    }
    if (value === null) return null;
    if (isElement(value)) return treeOf(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (Array.isArray(value)) return Array.from(value, (item) => dataOf(item, depth + 1));
    if (typeof value[Symbol.iterator] === 'function')
      return Array.from(value, (item) => dataOf(item, depth + 1));
    return { object: entriesOf(value, depth) };
  }

  /** The reverse: properties that the host passes to a document. */
  function valueOf(tree) {
    if (typeof tree !== 'object' || tree === null) return tree;
    if (Array.isArray(tree)) return tree.map(valueOf);
    if (tree.slot !== undefined) return element(Slot, null, null, { slot: tree.slot });
    if (tree.object) return objectOf(tree.object);
    if (tree.function)
      return () => {
        throw new Error('A function that was given to a Markdown file cannot be called there');
      };
    return createElement(tree.type ?? Fragment, objectOf(tree.props), ...tree.children.map(valueOf));
  }

  function objectOf(entries) {
    const object = {};
    for (const [name, value] of entries)
      Object.defineProperty(object, name, {
        value: valueOf(value),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return object;
  }

  function childList(children) {
    if (children === undefined || children === null) return [];
    return (Array.isArray(children) ? children.flat(Infinity) : [children]).map((child) =>
      typeof child === 'boolean' || child === undefined ? null : child,
    );
  }

  const isShown = (item) => item !== null && item !== undefined && typeof item !== 'boolean';
  const Children = {
    map: (children, work, self) =>
      children === undefined || children === null
        ? children
        : childList(children)
            .map((child, index) => work.call(self, child, index))
            .flat(Infinity)
            .filter(isShown),
    forEach: (children, work, self) =>
      childList(children).forEach((child, index) => void work.call(self, child, index)),
    count: (children) => childList(children).length,
    toArray: (children) => childList(children).filter(isShown),
    only: (child) => {
      if (!isElement(child)) throw new Error('React.Children.only expects one element');
      return child;
    },
  };

  /** Portals render nothing here and appear in the browser. */
  const ReactDOM = {
    createPortal: () => element({ kind: 'portal' }, null, null, {}),
    flushSync: (work) => work(),
    unstable_batchedUpdates: (work) => work(),
    version: '19.0.0',
  };

  const React = {
    ...hooks,
    Children,
    Component,
    Fragment,
    Profiler: Symbol.for('react.profiler'),
    PureComponent,
    StrictMode: Symbol.for('react.strict_mode'),
    Suspense,
    cloneElement,
    createContext,
    createElement,
    createRef: () => ({ current: null }),
    useActionState: (_action, initial) => [initial, () => undefined, false],
    useEffectEvent: (callback) => callback,
    forwardRef,
    isValidElement: isElement,
    lazy,
    memo,
    startTransition: () => undefined,
    use: (source) => {
      if (source?.kind === 'context') return source.current;
      throw new Error('React.use can read a context, but cannot wait for a promise');
    },
    version: '19.0.0',
  };

  /** Runs `make` as a component and returns its result as children (`content`) or as a property (`value`). */
  function show(make, as, space) {
    nodes = 0;
    ids = 0;
    idSpace = space;
    owner = undefined;
    const value = renderFunction(make);
    return as === 'content' ? contentOf(value, 0) : dataOf(value, 0);
  }

  return { React, ReactDOM, builtIn, content, show, valueOf };
}
