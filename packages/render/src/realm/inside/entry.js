/**
 * Runs inside QuickJS: holds the modules of a page and handles the host's requests. Requests and responses
 * are JSON.
 */
export function entry(react, platform, standIn) {
  'use strict';

  const { stringify, parse } = JSON;
  const factories = new Map();
  const loaded = new Map();
  const { React, ReactDOM } = react;
  const MintlifyComponents = new Proxy(
    {},
    { get: (_, name) => (typeof name === 'string' ? react.builtIn(name) : undefined) },
  );
  const globals = { ...React, React, ReactDOM, MintlifyComponents };
  for (const [name, value] of Object.entries({ React, ReactDOM }))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

  function load(id) {
    const known = loaded.get(id);
    if (known) return known;
    const factory = factories.get(id);
    if (!factory) throw new Error(`There is no module "${id}"`);
    const exports = Object.create(null);
    loaded.set(id, exports);
    factory(require, exports);
    return exports;
  }

  /** `react` is built in; other packages do not exist. */
  const require = (id) => (id === 'react' ? { ...React, default: React } : load(id));

  function run({ module, piece, props, isWhole, as, idSpace }) {
    const code = load(module).$pieces[piece];
    const given = react.valueOf(props);
    return react.show(() => code(given, react.content, isWhole), as, idSpace);
  }

  /** A thrown value may be anything, and reading it may throw again. */
  function failureOf(error) {
    const read = (value) => {
      try {
        return String(value() ?? '').slice(0, 4000);
      } catch {
        return '';
      }
    };
    const isError = typeof error === 'object' && error !== null;
    return {
      name: isError ? read(() => error.name) : '',
      message: isError ? read(() => error.message) : read(() => error),
      stack: isError ? read(() => error.stack) : '',
    };
  }

  return {
    begin: (page) => platform.begin(parse(page)),
    standIn: () => standIn(platform),
    /** `names` is the order of the factory's parameters. */
    define: (id, factory, names) => {
      factories.set(id, factory(...parse(names).map((name) => globals[name])));
    },
    run: (request) => {
      try {
        return stringify({ tree: run(parse(request)) });
      } catch (error) {
        return stringify({ failure: failureOf(error) });
      }
    },
  };
}
