/** Derives heading ids from their text by the rules of the format. */
const droppedFromIds = /[?,;:!'"()[\]{}]|\p{Extended_Pictographic}|\u{fe0f}/gu;

/** Text that needs only the first step of the conversion. */
const ordinary = /^[\w\s.~*!'()-]*$/;

export function slugOf(text: string): string {
  if (ordinary.test(text)) return trimmed(text.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '-'));
  const joined = text.toLowerCase().trim().replaceAll(/\s+/g, '-');
  const encoded = encode(joined);
  const slug = trimmed(encoded.replaceAll(/[^\w%]+/g, '-'));
  return trimmed(decode(slug).replaceAll(droppedFromIds, '').replaceAll(/-{2,}/g, '-'));
}

function trimmed(slug: string): string {
  return slug.startsWith('-') || slug.endsWith('-') ? slug.replaceAll(/^-+|-+$/g, '') : slug;
}

/** `encodeURIComponent` throws on a lone surrogate. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll('%', '');
  }
}

export class UniqueIds {
  /** Ids of the page frame. */
  readonly #used = new Map([
    ['content-area', 1],
    ['page-title', 1],
  ]);

  /** Returns false when the id is taken. */
  claim(id: string): boolean {
    if (this.#used.has(id)) return false;
    this.#used.set(id, 1);
    return true;
  }

  take(requested: string): string {
    const base = requested || 'section';
    let count = (this.#used.get(base) ?? 0) + 1;
    let id = count === 1 ? base : `${base}-${count}`;
    while (count > 1 && this.#used.has(id)) id = `${base}-${++count}`;
    this.#used.set(base, count);
    if (id !== base) this.#used.set(id, 1);
    return id;
  }
}
