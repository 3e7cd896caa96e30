/** Following `$ref` inside of one document. It never leaves the document and never goes around in circles. */
import { asList, asObject, at } from '../config/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const CHAIN_LIMIT = 10;

/** The value itself, or what its `$ref` leads to; undefined when that is missing or the chain is longer than 10. */
export function resolve(document: SpecDocument, value: unknown): unknown {
  let current = value;
  for (let step = 0; step <= CHAIN_LIMIT; step++) {
    const reference = referenceOf(current);
    if (reference === undefined) return current;
    current = valueAtPointer(document, reference);
  }
  return undefined;
}

/** The text of `$ref`, if the value is a reference. */
export function referenceOf(value: unknown): string | undefined {
  const reference = at(value, '$ref');
  return typeof reference === 'string' ? reference : undefined;
}

/**
 * One step: what `#/a/b` names, also when `#/a` is itself a reference, as AsyncAPI documents have it. References to
 * elsewhere name nothing.
 */
export function valueAtPointer(document: SpecDocument, reference: string): unknown {
  return valueAt(document, reference, { detours: CHAIN_LIMIT });
}

function valueAt(document: SpecDocument, reference: string, left: { detours: number }): unknown {
  const keys = pointerKeys(reference);
  if (!keys) return undefined;
  let current: unknown = document;
  for (const key of keys) {
    let detour = referenceOf(current);
    while (detour !== undefined && memberOf(current, key) === undefined && left.detours > 0) {
      left.detours -= 1;
      current = valueAt(document, detour, left);
      detour = referenceOf(current);
    }
    current = memberOf(current, key);
    if (current === undefined) return undefined;
  }
  return current;
}

function memberOf(value: unknown, key: string): unknown {
  return Array.isArray(value) ? asList(value)[indexOf(key)] : at(value, key);
}

/** The keys of `#/a/b`; undefined when it does not point into this document. */
export function pointerKeys(reference: string): string[] | undefined {
  if (reference === '#') return [];
  if (!reference.startsWith('#/')) return undefined;
  const parts = reference.slice(2).split('/');
  if (!/[%~]/.test(reference)) return parts;
  return parts.map((part) => unescaped(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** How readers know a schema: the last part of where it stands. */
export function nameOfReference(reference: string): string {
  return pointerKeys(reference)?.at(-1) ?? '';
}

/** The entries of an object with every value resolved; what leads nowhere is left out. */
export function resolvedEntries(document: SpecDocument, value: unknown): [string, unknown][] {
  return Object.entries(asObject(resolve(document, value)) ?? {}).flatMap(([key, item]) => {
    const resolved = resolve(document, item);
    return resolved === undefined ? [] : [[key, resolved] as [string, unknown]];
  });
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function indexOf(key: string): number {
  return /^\d{1,9}$/.test(key) ? Number(key) : -1;
}
