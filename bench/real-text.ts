/**
 * Real text for the corpus: sections of the manuals that the installed packages bring along, prose and code as their
 * authors wrote them. Only what every generator reads alike is taken: no HTML, no expressions, no reference links.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Section {
  heading: string;
  /** Markdown, without the heading. */
  text: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
/** Lists and legal texts, the same in many packages, are not what manuals are made of. */
const unlikeManuals = /licen[sc]e|changelog|history|security|contributing|code_of_conduct|notice|releases/i;
const knownLanguage =
  /^(?:|bash|console|css|html|javascript|js|json|jsx|markdown|mjs|sh|shell|text|ts|tsx|typescript|yaml)(?: [^{}<>]*)?$/;
const fewestCharacters = 300;
const mostCharacters = 6000;
let kept: Section[] | undefined;

/** In the order of the files, so that the same installation gives the same corpus. */
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

/** Code may hold anything; prose may hold nothing that one generator takes for markup and another does not. */
function isReadByAll(text: string): boolean {
  if (text.length < fewestCharacters || text.length > mostCharacters || !hasPlainFences(text)) return false;
  const withoutBlocks = text.replaceAll(/^```[^]*?^``` *$/gm, '');
  // VitePress looks for expressions even in code within a line.
  if (withoutBlocks.includes('{{')) return false;
  const prose = withoutBlocks.replaceAll(/`[^`\n]*`/g, '');
  return !/[<{}$\\]|^ *\[[^\]]+\]:|!\[|\]\[|&[a-z]+;|^[=-]{3,} *$|^(?:export|import) |^(?: {4}|\t)|::/m.test(
    prose,
  );
}

/** Every second fence opens a block, in a language that all highlighters know: one of them ends the build otherwise. */
function hasPlainFences(text: string): boolean {
  const fences = [...text.matchAll(/^ *(?:`{3,}|~{3,})(.*)$/gm)];
  return (
    fences.length % 2 === 0 &&
    fences.every(([fence, words = ''], index) =>
      index % 2 === 0 ? /^```(?!`)/.test(fence) && knownLanguage.test(words) : /^``` *$/.test(fence),
    )
  );
}
