/** Names that code may use without declaring them. */
import { catalogue } from '../components/catalogue.ts';

/**
 * Globals of JavaScript and browsers that code may use. Common words that browsers also define (`name`,
 * `status`, `length`) are excluded: in a snippet they are properties.
 */
export const ambientNames: ReadonlySet<string> = new Set(
  `undefined NaN Infinity globalThis Object Function Array String Number Boolean Symbol BigInt Math JSON Date RegExp Map
  Set WeakMap WeakSet WeakRef Promise Proxy Reflect Intl Error TypeError RangeError SyntaxError ReferenceError URIError
  EvalError AggregateError ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array
  Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array parseInt parseFloat isNaN isFinite encodeURI
  encodeURIComponent decodeURI decodeURIComponent structuredClone queueMicrotask arguments window document navigator
  console fetch localStorage sessionStorage setTimeout clearTimeout setInterval clearInterval requestAnimationFrame
  cancelAnimationFrame requestIdleCallback cancelIdleCallback matchMedia getComputedStyle alert confirm prompt URL
  URLSearchParams Headers Request Response FormData Blob File FileReader AbortController AbortSignal TextEncoder
  TextDecoder Event CustomEvent EventTarget Element HTMLElement Node Image Audio XMLHttpRequest WebSocket EventSource
  MutationObserver ResizeObserver IntersectionObserver DOMParser performance crypto atob btoa`.split(/\s+/),
);

const builtInPrefix = 'MintlifyComponents[';

/** A component of the format that code may use as a value: `child.type === Card`. */
export function isBuiltInName(name: string): boolean {
  return catalogue.has(name) && !ambientNames.has(name);
}

export function builtInText(name: string): string {
  return `${builtInPrefix}${JSON.stringify(name)}]`;
}

export function isBuiltInText(text: string): boolean {
  return text.startsWith(builtInPrefix);
}
