/** JSON values of a document as text. Values are untrusted: a copy with a bound on depth and size is what gets written. */
import { asObject } from '../config/json.ts';

const DEPTH_LIMIT = 40;
const VALUE_LIMIT = 20_000;
const TEXT_LIMIT = 200_000;
const SHORT_TEXT = 10_000;

/** As JSON writes it, indented by `spaces`; what is too deep or too much is shown as `"…"`. */
export function jsonText(value: unknown, spaces: number): string {
  // Nothing to bound: most values are such.
  if (typeof value === 'string' && value.length < SHORT_TEXT) return JSON.stringify(value);
  const text = JSON.stringify(boundedCopy(value), undefined, spaces) ?? 'null';
  return cutText(text);
}

/** Ends at a line where it can. */
export function cutText(text: string): string {
  if (text.length <= TEXT_LIMIT) return text;
  const end = text.lastIndexOf('\n', TEXT_LIMIT);
  return `${text.slice(0, end > TEXT_LIMIT / 2 ? end : TEXT_LIMIT)}\n…`;
}

export function boundedCopy(value: unknown): unknown {
  return copied(value, 0, { values: VALUE_LIMIT, characters: TEXT_LIMIT * 2 });
}

function copied(value: unknown, depth: number, left: { values: number; characters: number }): unknown {
  if (left.values-- <= 0) return '…';
  if (typeof value === 'string') {
    const text = left.characters >= value.length ? value : `${value.slice(0, Math.max(left.characters, 0))}…`;
    left.characters -= text.length;
    return text;
  }
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (depth >= DEPTH_LIMIT) return '…';
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value as unknown[]) {
      if (left.values <= 0) break;
      items.push(copied(item, depth + 1, left));
    }
    return items;
  }
  const copy = emptyObject();
  for (const [key, item] of Object.entries(asObject(value) ?? {})) {
    if (left.values <= 0) break;
    left.characters -= key.length;
    copy[key] = copied(item, depth + 1, left);
  }
  return copy;
}

/** Without a prototype, so that a key such as `__proto__` is a key like any other. */
export function emptyObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
