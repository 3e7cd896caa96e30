/**
 * Runs inside QuickJS: inert stubs of browser globals for components that use them while rendering. Enabled
 * only after code has failed without them, so that `typeof window` checks first see no window.
 */
export function standIn(platform) {
  'use strict';

  const nothing = () => undefined;
  const address = new URL(platform.address());
  const pending = () => new Promise(nothing);

  function storage() {
    return {
      length: 0,
      getItem: () => null,
      setItem: nothing,
      removeItem: nothing,
      clear: nothing,
      key: () => null,
    };
  }

  function inertElement(name) {
    return {
      nodeType: 1,
      tagName: name.toUpperCase(),
      nodeName: name.toUpperCase(),
      id: '',
      className: '',
      textContent: '',
      innerHTML: '',
      value: '',
      scrollTop: 0,
      scrollHeight: 0,
      clientWidth: 0,
      clientHeight: 0,
      offsetWidth: 0,
      offsetHeight: 0,
      style: { setProperty: nothing, removeProperty: nothing, getPropertyValue: () => '' },
      dataset: {},
      children: [],
      childNodes: [],
      parentNode: null,
      parentElement: null,
      firstChild: null,
      nextSibling: null,
      classList: {
        add: nothing,
        remove: nothing,
        toggle: () => false,
        replace: () => false,
        contains: () => false,
      },
      getAttribute: () => null,
      setAttribute: nothing,
      hasAttribute: () => false,
      removeAttribute: nothing,
      appendChild: (child) => child,
      append: nothing,
      remove: nothing,
      removeChild: (child) => child,
      insertBefore: (child) => child,
      contains: () => false,
      closest: () => null,
      matches: () => false,
      querySelector: () => null,
      querySelectorAll: () => [],
      getBoundingClientRect: () => ({
        x: 0,
        y: 0,
        top: 0,
        left: 0,
        right: 0,
        bottom: 0,
        width: 0,
        height: 0,
      }),
      addEventListener: nothing,
      removeEventListener: nothing,
      dispatchEvent: () => true,
      focus: nothing,
      blur: nothing,
      click: nothing,
      scrollIntoView: nothing,
    };
  }

  /** Also stands for node classes, which have no instances. */
  class Observer {
    observe() {}
    unobserve() {}
    disconnect() {}
    takeRecords() {
      return [];
    }
  }

  class Event {
    constructor(type, init) {
      this.type = type;
      this.detail = init?.detail ?? null;
    }
    preventDefault() {}
    stopPropagation() {}
  }

  const document = {
    ...inertElement('#document'),
    nodeType: 9,
    documentElement: inertElement('html'),
    body: inertElement('body'),
    head: inertElement('head'),
    activeElement: null,
    title: '',
    cookie: '',
    referrer: '',
    readyState: 'complete',
    visibilityState: 'visible',
    hidden: false,
    getElementById: () => null,
    getElementsByClassName: () => [],
    getElementsByTagName: () => [],
    createElement: (name) => inertElement(`${name}`),
    createElementNS: (_space, name) => inertElement(`${name}`),
    createTextNode: (text) => ({ nodeType: 3, textContent: `${text}` }),
  };

  const location = {
    href: address.href,
    protocol: address.protocol,
    host: address.host,
    hostname: address.hostname,
    port: address.port,
    pathname: address.pathname,
    search: address.search,
    hash: address.hash,
    origin: address.origin,
    assign: nothing,
    replace: nothing,
    reload: nothing,
    toString: () => address.href,
  };

  const navigator = {
    userAgent: '',
    platform: '',
    language: 'en-US',
    languages: ['en-US'],
    onLine: true,
    maxTouchPoints: 0,
    hardwareConcurrency: 1,
    clipboard: { writeText: pending, readText: pending },
    share: pending,
    sendBeacon: () => false,
  };

  const values = {
    document,
    location,
    navigator,
    localStorage: storage(),
    sessionStorage: storage(),
    history: {
      length: 1,
      state: null,
      pushState: nothing,
      replaceState: nothing,
      back: nothing,
      go: nothing,
    },
    screen: { width: 1280, height: 800 },
    innerWidth: 1280,
    innerHeight: 800,
    devicePixelRatio: 1,
    scrollX: 0,
    scrollY: 0,
    pageXOffset: 0,
    pageYOffset: 0,
    fetch: pending,
    matchMedia: (media) => ({
      media: `${media}`,
      matches: false,
      addEventListener: nothing,
      removeEventListener: nothing,
      addListener: nothing,
      removeListener: nothing,
    }),
    getComputedStyle: () => inertElement('style').style,
    getSelection: () => null,
    requestAnimationFrame: platform.never,
    cancelAnimationFrame: nothing,
    requestIdleCallback: platform.never,
    cancelIdleCallback: nothing,
    addEventListener: nothing,
    removeEventListener: nothing,
    dispatchEvent: () => true,
    scrollTo: nothing,
    scrollBy: nothing,
    open: () => null,
    alert: nothing,
    confirm: () => false,
    prompt: () => null,
    postMessage: nothing,
    Event,
    CustomEvent: Event,
    KeyboardEvent: Event,
    MouseEvent: Event,
    HTMLElement: Observer,
    Element: Observer,
    Node: Observer,
    MutationObserver: Observer,
    ResizeObserver: Observer,
    IntersectionObserver: Observer,
  };
  for (const name of Object.keys(values))
    Object.defineProperty(globalThis, name, { value: values[name], writable: true, configurable: true });
  for (const name of ['window', 'self', 'top', 'parent', 'frames'])
    Object.defineProperty(globalThis, name, { value: globalThis, writable: true, configurable: true });
}
