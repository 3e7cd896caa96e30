/** Resolves `$ref` within one document, with protection against cycles. */
import { asList, asObject, at } from '../config/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';
import { percentDecode } from '../text/percent-decode.ts';

const maxReferenceChain = 10;

/**
 * Returns non-references unchanged. Undefined when the target is missing or the chain exceeds ten references.
 */
export function resolve(document: SpecDocument, value: unknown): unknown {
  let current = value;
  for (let step = 0; step <= maxReferenceChain; step++) {
    const reference = referenceOf(current);
    if (reference === undefined) return current;
    current = valueAtPointer(document, reference);
  }
  return undefined;
}

export function referenceOf(value: unknown): string | undefined {
  const reference = at(value, '$ref');
  return typeof reference === 'string' ? reference : undefined;
}

/**
 * Resolves one reference; intermediate references are followed, as AsyncAPI requires. External references are
 * undefined.
 */
export function valueAtPointer(document: SpecDocument, reference: string): unknown {
  return valueAt(document, reference, { detours: maxReferenceChain });
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

/** Undefined for external references. */
export function pointerKeys(reference: string): string[] | undefined {
  if (reference === '#') return [];
  if (!reference.startsWith('#/')) return undefined;
  const parts = reference.slice(2).split('/');
  if (!/[%~]/.test(reference)) return parts;
  return parts.map((part) => percentDecode(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function nameOfReference(reference: string): string {
  return pointerKeys(reference)?.at(-1) ?? '';
}

/** Entries whose reference cannot be resolved are omitted. */
export function resolvedEntries(document: SpecDocument, value: unknown): [string, unknown][] {
  return Object.entries(asObject(resolve(document, value)) ?? {}).flatMap(([key, item]) => {
    const resolved = resolve(document, item);
    return resolved === undefined ? [] : [[key, resolved] as [string, unknown]];
  });
}

function indexOf(key: string): number {
  return /^\d{1,9}$/.test(key) ? Number(key) : -1;
}
