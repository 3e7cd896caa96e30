/** Finds the parts of a source that are not on its page. */
import { type ContentKind, type PageContent, contentKinds } from './content.ts';
import type { RenderedContent } from './page-content.ts';

export interface Loss {
  kind: ContentKind;
  lost: number;
  of: number;
  examples: string[];
}

const maxExamples = 5;
/** Per kind of content on one page. */
const tolerance = 0.01;

/** Losses above the tolerance, without parts that `isExplained` accepts. */
export function lossesOf(
  source: PageContent,
  rendered: RenderedContent,
  isExplained: (kind: ContentKind, part: string) => boolean = () => false,
): Loss[] {
  return contentKinds.flatMap((kind) => {
    const wanted = source[kind];
    const missing = missingOf(kind, wanted, rendered).filter((part) => !isExplained(kind, part));
    if (missing.length <= wanted.length * tolerance) return [];
    return [
      {
        kind,
        lost: missing.length,
        of: wanted.length,
        examples: [...new Set(missing)].slice(0, maxExamples),
      },
    ];
  });
}

/** Words, pictures and links are counted; longer texts are searched in the page's content of the same kind. */
function missingOf(
  kind: ContentKind,
  wanted: readonly string[],
  { content, text }: RenderedContent,
): string[] {
  if (kind === 'components') return wanted.filter((part) => !text.includes(part));
  const found = content[kind];
  const left = new Map<string, number>();
  for (const part of found) left.set(part, (left.get(part) ?? 0) + 1);
  return wanted.filter((part) => {
    const count = left.get(part) ?? 0;
    left.set(part, count - 1);
    if (count > 0) return false;
    return kind === 'words' || kind === 'images' || !found.some((other) => other.includes(part));
  });
}
