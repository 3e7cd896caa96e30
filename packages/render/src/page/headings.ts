/** The ids of headings, made from their text by the rules of the format, and kept unique on a page. */
const droppedFromIds = /[?,;:!'"()[\]{}]|\p{Extended_Pictographic}|\u{fe0f}/gu;

/** Text without a character that needs more than the first step: nearly every title, and every name of a field. */
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

/** A lone surrogate cannot be encoded; such text keeps its other characters. */
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

/** Hands out each id once: the second `setup` on a page is `setup-2`. */
export class UniqueIds {
  /** Two ids of the frame that the page needs for itself. */
  readonly #used = new Map([
    ['content-area', 1],
    ['page-title', 1],
  ]);

  /** Takes an id as it is; false when it is taken. */
  claim(id: string): boolean {
    if (this.#used.has(id)) return false;
    this.#used.set(id, 1);
    return true;
  }

  take(wanted: string): string {
    const base = wanted || 'section';
    let count = (this.#used.get(base) ?? 0) + 1;
    let id = count === 1 ? base : `${base}-${count}`;
    while (count > 1 && this.#used.has(id)) id = `${base}-${++count}`;
    this.#used.set(base, count);
    if (id !== base) this.#used.set(id, 1);
    return id;
  }
}
