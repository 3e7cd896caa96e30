import type { JsonObject } from '../model/json.ts';
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** One text or a list of texts. */
export function asTexts(value: unknown): string[] {
  const single = asText(value);
  return single ? [single] : asList(value).flatMap((item) => asText(item) ?? []);
}

/**
 * Reads a nested value by key path. Only own properties count, so `__proto__` in a configuration reaches
 * nothing.
 */
export function at(value: unknown, ...keys: string[]): unknown {
  let current = value;
  for (const key of keys) {
    const object = asObject(current);
    if (!object || !Object.hasOwn(object, key)) return undefined;
    current = object[key];
  }
  return current;
}

export function textAt(value: unknown, ...keys: string[]): string | undefined {
  return asText(at(value, ...keys));
}
