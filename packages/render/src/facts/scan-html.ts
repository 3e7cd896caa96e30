/**
 * Reads the tags of an HTML text that a check of the output needs, with the attributes that matter to it. They are found by the program
 * in `assembly/tags`.
 */
import { readableText } from '../text/encoded-text.ts';
import { tagProgram } from '../text/tag-program.ts';

export interface ScannedTag {
  name: string;
  id: string | undefined;
  href: string | undefined;
  src: string | undefined;
  srcset: string | undefined;
  poster: string | undefined;
  alt: string | undefined;
  rel: string | undefined;
  content: string | undefined;
  httpEquiv: string | undefined;
  anchorName: string | undefined;
}

/** As the program numbers them, from 1 on. */
const kinds = [
  'id',
  'href',
  'src',
  'srcset',
  'poster',
  'alt',
  'rel',
  'content',
  'httpEquiv',
  'anchorName',
] as const satisfies (keyof ScannedTag)[];

/**
 * Tells every tag with an id or an address, and every picture. The same object is handed out for all of them: what is to be kept must be
 * copied out of it.
 */
export function scanTags(html: Uint8Array, visit: (tag: ScannedTag) => void): void {
  const program = tagProgram();
  program.take([html]);
  const count = program.run.scan();
  const numbers = program.numbers(program.run.tagsPlace(), count);
  const next = (at: number): string => program.byteText(numbers[at] as number, numbers[at + 1] as number);
  const tag = {} as ScannedTag;
  for (let at = 0; at < count;) {
    tag.id = tag.href = tag.src = tag.srcset = tag.poster = tag.alt = undefined;
    tag.rel = tag.content = tag.httpEquiv = tag.anchorName = undefined;
    tag.name = next(at).toLowerCase();
    let attributes = numbers[at + 2] as number;
    for (at += 3; attributes > 0; attributes--, at += 3) {
      const kind = kinds[(numbers[at] as number) - 1] ?? 'id';
      const value = next(at + 1);
      tag[kind] = kind === 'httpEquiv' ? value.toLowerCase() : unescape(value);
    }
    visit(tag);
  }
}

const entities: Record<string, string> = {
  '&quot;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

function unescape(value: string): string {
  const text = readableText(value);
  return text.includes('&')
    ? text.replaceAll(/&(?:quot|#39|lt|gt|amp);/g, (entity) => entities[entity] ?? entity)
    : text;
}
