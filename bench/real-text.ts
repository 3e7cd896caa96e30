/**
 * Reads real text for the corpus from the READMEs of installed packages. It takes only what every generator parses alike: no
 * HTML, expressions or reference links.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Section {
  heading: string;
  /** Markdown, without the heading. */
  text: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
/** Lists and legal texts are the same in many packages. */
const unlikeManuals = /licen[sc]e|changelog|history|security|contributing|code_of_conduct|notice|releases/i;
const knownLanguage =
  /^(?:|bash|console|css|html|javascript|js|json|jsx|markdown|mjs|sh|shell|text|ts|tsx|typescript|yaml)(?: [^{}<>]*)?$/;
const minCharacters = 300;
const maxCharacters = 6000;
let kept: Section[] | undefined;

/** Sorted by file, so that the same installation gives the same corpus. */
export function realSections(): readonly Section[] {
  kept ??= readSections();
  return kept;
}

function readSections(): Section[] {
  const files = globSync('node_modules/**/*.md', { cwd: root }).toSorted();
  const seen = new Set<string>();
  return files
    .filter((file) => !unlikeManuals.test(file.split('/').at(-1) ?? ''))
    .flatMap((file) => sectionsOf(readFileSync(`${root}${file}`, 'utf8').replaceAll('\r\n', '\n')))
    .filter(({ text }) => isReadByAll(text) && !seen.has(text) && seen.add(text));
}

function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = [];
  let fence: string | undefined;
  let heading = '';
  let lines: string[] = [];
  const end = (): void => void sections.push({ heading, text: lines.join('\n').trim() });
  for (const line of markdown.split('\n')) {
    const [, marker] = /^ *(`{3,}|~{3,})/.exec(line) ?? [];
    if (marker !== undefined && fence === undefined) fence = marker;
    else if (marker !== undefined && marker === fence) fence = undefined;
    const [, words] = fence === undefined ? (/^#{1,4} +(.+?)[ #]*$/.exec(line) ?? []) : [];
    if (words === undefined) lines.push(line);
    else {
      end();
      heading = words.replaceAll(/[`*_[\]]|\(.*?\)/g, '').trim();
      lines = [];
    }
  }
  end();
  return sections.filter(({ heading }) => /^[A-Za-z][\w ,.'-]{2,60}$/.test(heading));
}

/** Prose must not contain anything that only some generators treat as markup. */
function isReadByAll(text: string): boolean {
  if (text.length < minCharacters || text.length > maxCharacters || !hasPlainFences(text)) return false;
  const withoutBlocks = text.replaceAll(/^```[^]*?^``` *$/gm, '');
  // VitePress evaluates expressions in inline code too.
  if (withoutBlocks.includes('{{')) return false;
  const prose = withoutBlocks.replaceAll(/`[^`\n]*`/g, '');
  return !/[<{}$\\]|^ *\[[^\]]+\]:|!\[|\]\[|&[a-z]+;|^[=-]{3,} *$|^(?:export|import) |^(?: {4}|\t)|::/m.test(
    prose,
  );
}

/** Some highlighters fail the build for a language they do not know. */
function hasPlainFences(text: string): boolean {
  const fences = [...text.matchAll(/^ *(?:`{3,}|~{3,})(.*)$/gm)];
  return (
    fences.length % 2 === 0 &&
    fences.every(([fence, words = ''], index) =>
      index % 2 === 0 ? /^```(?!`)/.test(fence) && knownLanguage.test(words) : /^``` *$/.test(fence),
    )
  );
}
