/**
 * Runs inside QuickJS: platform APIs that it lacks, as in Node. The host provides time and the random seed,
 * so that the same site gives the same bytes. Intl and URL call the host through `ask`, which passes data
 * only.
 */
export function platformOf(ask) {
  'use strict';

  let clockMs = 0;
  let address = 'http://localhost/';
  let randomState = 1;

  const define = (object, values) => {
    for (const name of Object.keys(values))
      Object.defineProperty(object, name, {
        value: values[name],
        writable: true,
        configurable: true,
        enumerable: false,
      });
  };

  // Time and randomness

  const RealDate = Date;
  function SiteDate(...args) {
    if (!new.target) return new RealDate(clockMs).toString();
    return Reflect.construct(RealDate, args.length === 0 ? [clockMs] : args, new.target);
  }
  Object.defineProperty(SiteDate, 'name', { value: 'Date' });
  SiteDate.prototype = RealDate.prototype;
  define(SiteDate, { now: () => clockMs, parse: RealDate.parse, UTC: RealDate.UTC });
  define(RealDate.prototype, { constructor: SiteDate });

  /** mulberry32: not cryptographically secure. */
  function random() {
    randomState = (randomState + 0x6d2b79f5) | 0;
    let mixed = Math.imul(randomState ^ (randomState >>> 15), 1 | randomState);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
  define(Math, { random });

  const crypto = {
    getRandomValues(array) {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256);
      return array;
    },
    randomUUID() {
      const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
      hex[12] = '4';
      hex[16] = (8 + Math.floor(random() * 4)).toString(16);
      return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };

  // Intl

  function formatter(kind, methods) {
    const Formatter = function (locales, options) {
      if (!new.target) return new Formatter(locales, options);
      const given = [locales ?? null, plain(options)];
      ask(`${kind}.check`, given);
      for (const [name, valueOf] of methods) {
        Object.defineProperty(this, name, {
          value: (...args) => ask(`${kind}.${name}`, [...given, ...valueOf(args)]),
          configurable: true,
        });
      }
      define(this, { resolvedOptions: () => ask(`${kind}.resolvedOptions`, given) });
    };
    Object.defineProperty(Formatter, 'name', { value: kind });
    define(Formatter, { supportedLocalesOf: (locales) => [locales ?? []].flat() });
    return Formatter;
  }

  /** Only serializable options; getters have run by then. */
  const plain = (options) => (options === undefined ? {} : JSON.parse(JSON.stringify(options)));
  const numberText = ([value]) => [typeof value === 'bigint' ? `${value}` : `${Number(value)}`];
  const time = ([value]) => [value === undefined ? clockMs : Number(value)];

  const Intl = {
    NumberFormat: formatter('NumberFormat', [
      ['format', numberText],
      ['formatToParts', numberText],
    ]),
    DateTimeFormat: formatter('DateTimeFormat', [
      ['format', time],
      ['formatToParts', time],
    ]),
    PluralRules: formatter('PluralRules', [['select', ([value]) => [Number(value)]]]),
    ListFormat: formatter('ListFormat', [['format', ([list]) => [Array.from(list, String)]]]),
    RelativeTimeFormat: formatter('RelativeTimeFormat', [
      ['format', ([value, unit]) => [Number(value), `${unit}`]],
    ]),
    Collator: formatter('Collator', [['compare', ([a, b]) => [`${a}`, `${b}`]]]),
  };

  const localDate = (defaults) =>
    function (locales, options) {
      const given = plain(options);
      const chosen = Object.keys(given).some(
        (name) => !/^(?:timeZone|hour12|hourCycle|calendar)$/.test(name),
      );
      return ask('DateTimeFormat.format', [
        locales ?? null,
        chosen ? given : { ...defaults, ...given },
        RealDate.prototype.getTime.call(this),
      ]);
    };
  const day = { year: 'numeric', month: 'numeric', day: 'numeric' };
  const hour = { hour: 'numeric', minute: 'numeric', second: 'numeric' };
  define(RealDate.prototype, {
    toLocaleString: localDate({ ...day, ...hour }),
    toLocaleDateString: localDate(day),
    toLocaleTimeString: localDate(hour),
  });
  const localNumber = function (locales, options) {
    return ask('NumberFormat.format', [locales ?? null, plain(options), `${this}`]);
  };
  define(Number.prototype, { toLocaleString: localNumber });
  define(BigInt.prototype, { toLocaleString: localNumber });
  define(String.prototype, {
    localeCompare(other, locales, options) {
      return ask('Collator.compare', [locales ?? null, plain(options), `${this}`, `${other}`]);
    },
  });

  // Addresses

  class URLSearchParams {
    #pairs = [];
    #changed = () => undefined;
    constructor(source, changed) {
      if (changed) this.#changed = changed;
      if (typeof source !== 'object' || source === null)
        this.#pairs = ask('query.parse', [`${source ?? ''}`]);
      else if (typeof source[Symbol.iterator] === 'function')
        this.#pairs = Array.from(source, ([name, value]) => [`${name}`, `${value}`]);
      else this.#pairs = Object.entries(source).map(([name, value]) => [name, `${value}`]);
    }
    get size() {
      return this.#pairs.length;
    }
    get(name) {
      return this.#pairs.find((pair) => pair[0] === `${name}`)?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter((pair) => pair[0] === `${name}`).map((pair) => pair[1]);
    }
    has(name, value) {
      return this.#pairs.some(
        (pair) => pair[0] === `${name}` && (value === undefined || pair[1] === `${value}`),
      );
    }
    append(name, value) {
      this.#pairs.push([`${name}`, `${value}`]);
      this.#changed(this);
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(
        (pair) => pair[0] !== `${name}` || (value !== undefined && pair[1] !== `${value}`),
      );
      this.#changed(this);
    }
    set(name, value) {
      const at = this.#pairs.findIndex((pair) => pair[0] === `${name}`);
      if (at < 0) return this.append(name, value);
      this.#pairs = this.#pairs.filter((pair, index) => index === at || pair[0] !== `${name}`);
      this.#pairs[at] = [`${name}`, `${value}`];
      this.#changed(this);
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed(this);
    }
    forEach(work) {
      for (const [name, value] of this.#pairs) work(value, name, this);
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return ask('query.text', [this.#pairs]);
    }
  }

  class URL {
    #parts;
    #query;
    constructor(text, base) {
      const parts = ask('url.parse', base === undefined ? [`${text}`] : [`${text}`, `${base}`]);
      if (parts === null) throw new TypeError('Invalid URL');
      this.#parts = parts;
    }
    static canParse(text, base) {
      return ask('url.parse', base === undefined ? [`${text}`] : [`${text}`, `${base}`]) !== null;
    }
    static parse(text, base) {
      return URL.canParse(text, base) ? new URL(text, base) : null;
    }
    get searchParams() {
      return (this.#query ??= new URLSearchParams(this.#parts.search, (query) => {
        this.#parts = ask('url.change', [this.#parts.href, 'search', query.toString()]);
      }));
    }
    static part(name) {
      return {
        configurable: true,
        get() {
          return this.#parts[name];
        },
        set(value) {
          this.#parts = ask('url.change', [this.#parts.href, name, `${value}`]);
          if (name === 'search' || name === 'href') this.#query = undefined;
        },
      };
    }
    toString() {
      return this.#parts.href;
    }
    toJSON() {
      return this.#parts.href;
    }
  }
  for (const name of [
    'href',
    'protocol',
    'username',
    'password',
    'host',
    'hostname',
    'port',
    'pathname',
    'search',
    'hash',
    'origin',
  ])
    Object.defineProperty(URL.prototype, name, URL.part(name));
  delete URL.part;

  // Text and bytes

  class TextEncoder {
    encoding = 'utf-8';
    encode(text) {
      const bytes = unescape(encodeURIComponent(`${text ?? ''}`.toWellFormed()));
      return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
    }
  }

  class TextDecoder {
    constructor(label = 'utf-8') {
      if (!/^(?:utf-?8|unicode-1-1-utf-8)$/i.test(label)) throw new RangeError(`${label} is not supported`);
      this.encoding = 'utf-8';
    }
    decode(source = new Uint8Array()) {
      const bytes = ArrayBuffer.isView(source)
        ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
        : new Uint8Array(source);
      return ask('text.decode', [Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')]);
    }
  }

  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const invalid = (text) => Object.assign(new Error(text), { name: 'InvalidCharacterError' });

  function btoa(source) {
    const text = `${source}`;
    let result = '';
    for (let at = 0; at < text.length; at += 3) {
      const codes = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
      if (codes.some((code) => code > 255)) throw invalid('btoa takes characters up to 255 only');
      const bits = (codes[0] << 16) | ((codes[1] || 0) << 8) | (codes[2] || 0);
      result += digits[bits >> 18] + digits[(bits >> 12) & 63];
      result += at + 1 < text.length ? digits[(bits >> 6) & 63] : '=';
      result += at + 2 < text.length ? digits[bits & 63] : '=';
    }
    return result;
  }

  function atob(source) {
    let text = `${source}`.replaceAll(/[\t\n\f\r ]/g, '');
    if (text.length % 4 === 0) text = text.replace(/==?$/, '');
    if (text.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(text)) throw invalid('atob: this is not base64');
    let [result, bits, count] = ['', 0, 0];
    for (const digit of text) {
      bits = ((bits << 6) | digits.indexOf(digit)) & 0xffffff;
      count += 6;
      if (count < 8) continue;
      count -= 8;
      result += String.fromCharCode((bits >> count) & 255);
    }
    return result;
  }

  function structuredClone(value, seen = new Map()) {
    if (typeof value === 'function' || typeof value === 'symbol')
      throw Object.assign(new Error('A function cannot be cloned'), { name: 'DataCloneError' });
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => (seen.set(value, copy), copy);
    if (value instanceof RealDate) return keep(new RealDate(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) return keep(new value.constructor(value));
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, item] of value) copy.set(structuredClone(key, seen), structuredClone(item, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const item of value) copy.add(structuredClone(item, seen));
      return copy;
    }
    const copy = keep(Array.isArray(value) ? [] : {});
    for (const key of Object.keys(value)) copy[key] = structuredClone(value[key], seen);
    return copy;
  }

  // Timers never fire: the page is written after the first render.

  let handles = 0;
  const never = () => ++handles;
  const silent = () => undefined;
  const console = Object.fromEntries(
    'assert count debug dir error group groupCollapsed groupEnd info log table time timeEnd trace warn'
      .split(' ')
      .map((name) => [name, silent]),
  );

  delete globalThis.SharedArrayBuffer;
  define(globalThis, {
    Date: SiteDate,
    Intl,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    atob,
    btoa,
    clearInterval: silent,
    clearTimeout: silent,
    console,
    crypto,
    performance: { now: () => 0, timeOrigin: 0, mark: silent, measure: silent },
    queueMicrotask: silent,
    setInterval: never,
    setTimeout: never,
    structuredClone: (value) => structuredClone(value),
  });

  return {
    never,
    begin: (page) => {
      clockMs = page.clockMs;
      address = page.address;
      randomState = page.seed | 0;
    },
    address: () => address,
  };
}
