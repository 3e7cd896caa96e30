/**
 * Generates a deterministic documentation site from real text. Sections repeat on several pages; code blocks differ in one
 * name, so that no highlighter can cache them.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Chance } from '../test/torture/seeded-random.ts';
import { type Section, realSections } from './real-text.ts';
import { renameInCode } from './rename-in-code.ts';

export interface Corpus {
  folder: string;
  pages: number;
  sourceBytes: number;
  sourceFiles: number;
}

export interface CorpusShape {
  extension?: 'md' | 'mdx';
  seed?: number;
}

const pageCharacters = { min: 3000, max: 10_000 };
const pagesInGroup = 25;
const groupsInSection = 20;
const cache = fileURLToPath(new URL('../.cache/corpora', import.meta.url));

/** A read-only corpus, generated once and shared by measurements. */
export function sharedCorpus(pages: number, extension: 'md' | 'mdx' = 'md'): Corpus {
  const folder = join(cache, `${extension}-${pages}`);
  const mark = `${folder}.json`;
  const madeFrom = sourceDigest();
  if (existsSync(mark) && existsSync(folder)) {
    const { digest, ...corpus } = JSON.parse(readFileSync(mark, 'utf8')) as Corpus & { digest: string };
    if (digest === madeFrom) return { ...corpus, folder };
  }
  rmSync(folder, { recursive: true, force: true });
  const corpus = writeCorpus(folder, pages, { extension });
  writeFileSync(mark, `${JSON.stringify({ ...corpus, folder: '', digest: madeFrom })}\n`);
  return corpus;
}

export function writeCorpus(
  folder: string,
  pages: number,
  { extension = 'mdx', seed = 1 }: CorpusShape = {},
): Corpus {
  const sections = realSections();
  const entries = pageEntries(pages, seed, sections);
  let sourceBytes = 0;
  const made = new Set<string>();
  const write = (path: string, text: string): void => {
    const file = join(folder, path);
    if (!made.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
    made.add(dirname(file));
    writeFileSync(file, text);
    sourceBytes += Buffer.byteLength(text);
  };
  write('docs.json', `${JSON.stringify(configuration(entries), null, 2)}\n`);
  for (const [index, entry] of entries.entries()) {
    const chance = new Chance(seed * 1_000_003 + index);
    write(`${entry.name}.${extension}`, page(chance, { index, entry, entries, sections }));
  }
  return { folder, pages, sourceBytes, sourceFiles: entries.length + 1 };
}

function sourceDigest(): string {
  const hash = createHash('sha256');
  for (const file of ['corpus.ts', 'rename-in-code.ts', 'real-text.ts'])
    hash.update(readFileSync(new URL(file, import.meta.url)));
  for (const { heading, text } of realSections()) hash.update(heading).update(text);
  return hash.digest('hex');
}

interface Entry {
  /** The path of the page, without its extension. */
  name: string;
  title: string;
  group: string;
}

function configuration(entries: readonly Entry[]) {
  const groups = new Map<string, string[]>();
  for (const { name, group } of entries) {
    const members = groups.get(group) ?? [];
    members.push(name);
    groups.set(group, members);
  }
  const all = [...groups].map(([group, pages]) => ({ group, pages }));
  const sections = Array.from({ length: Math.ceil(all.length / groupsInSection) }, (_, index) => ({
    group: `Part ${index + 1}`,
    pages: all.slice(index * groupsInSection, (index + 1) * groupsInSection),
  }));
  return { theme: 'mint', name: 'Corpus', colors: { primary: '#0f766e' }, navigation: { groups: sections } };
}

/** Titles are headings of real manuals; a repeated one gets a number. */
function pageEntries(pages: number, seed: number, sections: readonly Section[]): Entry[] {
  const chance = new Chance(seed);
  const isReadable = (heading: string): boolean => /^[A-Z][a-z]+ /.test(heading) && !/[.\d]/.test(heading);
  const headings = [...new Set(sections.map(({ heading }) => heading).filter(isReadable))];
  const numbered = (taken: Map<string, number>): string => {
    const heading = chance.pick(headings) ?? 'Page';
    const times = (taken.get(slug(heading)) ?? 0) + 1;
    taken.set(slug(heading), times);
    return times === 1 ? heading : `${heading}, part ${times}`;
  };
  const entries: Entry[] = [{ name: 'index', title: 'Introduction', group: 'Start here' }];
  const groups = new Map<string, number>();
  while (entries.length < pages) {
    const group = numbered(groups);
    const titles = new Map<string, number>();
    for (let member = 0; member < pagesInGroup && entries.length < pages; member += 1) {
      const title = numbered(titles);
      entries.push({ name: `${slug(group)}/${slug(title)}`, title, group });
    }
  }
  return entries;
}

interface PageParts {
  index: number;
  entry: Entry;
  entries: readonly Entry[];
  sections: readonly Section[];
}

function page(chance: Chance, { index, entry, entries, sections }: PageParts): string {
  const size = chance.between(pageCharacters.min, pageCharacters.max);
  const chosen = new Set<Section>();
  for (let length = 0; length < size;) {
    const section = chance.pick(sections);
    if (section === undefined || chosen.has(section)) continue;
    chosen.add(section);
    length += section.text.length;
  }
  const parts = [...chosen].map(
    ({ heading, text }) => `## ${heading}\n\n${ownText(chance, text, { index, entries })}`,
  );
  const other = chance.pick(entries) ?? entry;
  return `---
title: "${entry.title}"
description: "${descriptionOf(chosen) ?? `About ${entry.title}.`}"
---

${parts.join('\n\n')}

See also [${other.title}](/${other.name}).
`;
}

function descriptionOf(sections: Iterable<Section>): string | undefined {
  for (const { text } of sections) {
    const prose = text.replaceAll(/^```[^]*?^``` *$/gm, '');
    const [sentence] = /^[A-Z][\w ,'()-]{40,150}\.(?=\s|$)/m.exec(prose) ?? [];
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}

/** Rewrites links to pages of the corpus, and makes code blocks unique. */
function ownText(
  chance: Chance,
  text: string,
  { index, entries }: Pick<PageParts, 'index' | 'entries'>,
): string {
  return text
    .split(/^(```[^]*?^``` *$)/m)
    .map((part, place) => {
      if (place % 2 === 1) return renameInCode(part, index);
      const link = (): string => `](/${chance.pick(entries)?.name ?? 'index'})`;
      return part.replaceAll(/\]\((?!https?:)[^()\s]*\)/g, link);
    })
    .join('');
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}
