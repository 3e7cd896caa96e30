/** Formats untrusted JSON values with bounded depth and size. */
import { asObject } from '../config/json.ts';

const maxDepth = 40;
const maxValues = 20_000;
const maxTextLength = 200_000;
const SHORT_TEXT = 10_000;

/** Truncated parts are shown as `"…"`. */
export function jsonText(value: unknown, spaces: number): string {
  if (typeof value === 'string' && value.length < SHORT_TEXT) return JSON.stringify(value);
  const text = JSON.stringify(boundedCopy(value), undefined, spaces) ?? 'null';
  return cutText(text);
}

/** Cuts at a line end when possible. */
export function cutText(text: string): string {
  if (text.length <= maxTextLength) return text;
  const end = text.lastIndexOf('\n', maxTextLength);
  return `${text.slice(0, end > maxTextLength / 2 ? end : maxTextLength)}\n…`;
}

export function boundedCopy(value: unknown): unknown {
  return copied(value, 0, { values: maxValues, characters: maxTextLength * 2 });
}

function copied(value: unknown, depth: number, left: { values: number; characters: number }): unknown {
  if (left.values-- <= 0) return '…';
  if (typeof value === 'string') {
    const text = left.characters >= value.length ? value : `${value.slice(0, Math.max(left.characters, 0))}…`;
    left.characters -= text.length;
    return text;
  }
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value;
  if (depth >= maxDepth) return '…';
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

/** Without a prototype, so that `__proto__` is an ordinary key. */
export function emptyObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
