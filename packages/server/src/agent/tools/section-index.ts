/** The sections of all pages, searched by words. A run keeps one index, and only changed pages are read anew. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IndexedText, SectionSearch } from '@docyard/render/section-search';
import type { FoundSection, SectionIndex, ToolContext } from '../contract.ts';
import { linesOf, textIfAny } from './files.ts';
import { pageSections } from './page-sections.ts';
import { titleOf } from './site.ts';

const maxPageBytes = 1_000_000;
const maxReadsAtOnce = 32;
const maxSectionsPerPage = 2;
/** Loaded when a run searches for the first time, because few processes of the service need it. */
const loadSearch = () => import('@docyard/render/section-search');
type SearchModule = Awaited<ReturnType<typeof loadSearch>>;
/** The service answers other requests in between. */
const maxSliceMilliseconds = 10;

interface IndexedFile {
  /** Undefined if the file must be read every time. */
  version: string | undefined;
  /** A page with many headings has several. */
  parts: IndexedText[];
}

export function createSectionIndex(): SectionIndex {
  let files = new Map<string, IndexedFile>();
  let search: SectionSearch | undefined;
  return {
    async find(context, query, maxPages) {
      const pause = pauser(context.signal);
      const renderer = await loadSearch();
      const current = await indexedFiles(context, files, { renderer, pause });
      const isSame =
        current.size === files.size && [...current].every(([path, file]) => files.get(path) === file);
      if (search === undefined || !isSame) search = await renderer.openSectionSearch(partsOf(current), pause);
      files = current;
      const { results, corrected, terms } = await search.find(query, { limit: maxPages });
      const sections: FoundSection[] = [];
      for (const { href, title, sections: found } of results) {
        const [path = ''] = href.split('\0', 1);
        const source = (await textIfAny(context, path)) ?? '';
        for (const { id } of found.slice(0, maxSectionsPerPage))
          sections.push(
            sectionAt(source, Number(id), { path, title }, (line) => search?.countMatches(line, terms) ?? 0),
          );
      }
      return { sections, corrected };
    },
  };
}

async function indexedFiles(
  context: ToolContext,
  known: ReadonlyMap<string, IndexedFile>,
  { renderer, pause }: { renderer: SearchModule; pause: () => Promise<void> },
): Promise<Map<string, IndexedFile>> {
  const pages = (await context.tree.list())
    .map((file) => ({
      ...file,
      version: file.modifiedMs === undefined ? undefined : `${file.sizeBytes} ${file.modifiedMs}`,
    }))
    .filter(({ path, sizeBytes }) => /\.mdx?$/i.test(path) && sizeBytes <= maxPageBytes);
  const files = new Map<string, IndexedFile>();
  for (let at = 0; at < pages.length; at += maxReadsAtOnce) {
    const read = pages.slice(at, at + maxReadsAtOnce).map(async ({ path, version }) => {
      const file = known.get(path);
      if (file && version !== undefined && file.version === version) return { path, file };
      const text = await textIfAny(context, path).catch(() => undefined);
      await pause();
      return {
        path,
        file: text === undefined ? undefined : { version, parts: indexPage(renderer, path, text) },
      };
    });
    for (const { path, file } of await Promise.all(read)) if (file) files.set(path, file);
  }
  return files;
}

function indexPage({ indexText, maxSections }: SearchModule, path: string, text: string): IndexedText[] {
  const { frontMatter, sections } = pageSections(text);
  const page = {
    title: titleOf(text) ?? '',
    description: frontMatter.filter((line) => !line.startsWith('title:')).join('\n'),
    hints: path.replace(/\.mdx?$/i, ''),
  };
  const count = Math.ceil(sections.length / maxSections);
  return Array.from({ length: count }, (_, part) =>
    indexText({
      ...page,
      sections: sections
        .slice(part * maxSections, (part + 1) * maxSections)
        .map(({ line, title, text: words }) => ({ id: String(line), title, text: words, code: '' })),
    }),
  );
}

/** The key of a part is the path and its number. */
function partsOf(files: ReadonlyMap<string, IndexedFile>): Map<string, IndexedText> {
  return new Map(
    [...files].flatMap(([path, { parts }]) =>
      parts.map((part, number): [string, IndexedText] => [`${path}\0${number}`, part]),
    ),
  );
}

/** The line of the section that has the most words of the query. */
function sectionAt(
  source: string,
  line: number,
  page: Pick<FoundSection, 'path' | 'title'>,
  countMatches: (line: string) => number,
): FoundSection {
  const { sections } = pageSections(source);
  const index = sections.findIndex((section) => section.line === line);
  const heading = sections[index]?.title ?? '';
  const lines = linesOf(source);
  const from = heading === '' ? line : line + 1;
  const candidates = lines
    .slice(from - 1, (sections[index + 1]?.line ?? lines.length + 1) - 1)
    .map((text, at) => ({ text: text.trim(), line: from + at, matches: countMatches(text) }))
    .filter(({ text }) => text !== '');
  const [excerpt] = candidates.toSorted((a, b) => b.matches - a.matches);
  return { ...page, line, heading, excerpt: excerpt && { line: excerpt.line, text: excerpt.text } };
}

function pauser(signal: AbortSignal): () => Promise<void> {
  let sliceEnd = performance.now() + maxSliceMilliseconds;
  return async () => {
    signal.throwIfAborted();
    if (performance.now() < sliceEnd) return;
    await nextTurn();
    signal.throwIfAborted();
    sliceEnd = performance.now() + maxSliceMilliseconds;
  };
}
