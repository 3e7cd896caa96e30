/**
 * Writes llms.txt, an index of the default language and version for language models, the indexes of folders, and
 * llms-full.txt, the text of all pages.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodedPieces } from '../text/encoded-text.ts';
import { oneLine } from '../text/html.ts';
import { prefixToRoot, relativeHref } from '../navigation/addresses.ts';
import type { PublicAddresses } from '../navigation/public-addresses.ts';
import type { Branch, BranchStep, Division, NavEntry } from '../navigation/tree.ts';
import { plainTitle } from '../theme/titles.ts';
import { inLargePieces } from './full-text.ts';
import type { InPieces, OutputContext, OutputItem, OutputPage } from './contract.ts';
import { childFolders, folderIndexPath, type IndexedFolder, listedRoutes } from './llms-folders.ts';
import { markdownPath, markdownSection } from './page-markdown.ts';
import { specFiles } from './specs.ts';
import { isDefaultBranch, isListed } from '../site/visibility.ts';
import type { Site } from '../site/site.ts';

/** Programs that read documentation cut off longer files. */
const maxCharacters = 50_000;
/** Descriptions are shortened in these steps before pages are omitted. */
const descriptionLengths = [300, 200, 120, 60, 0];

export function* llmsIndex(context: OutputContext): Generator<OutputItem> {
  const own = [...specSections(context), ...folderSection('', listedRoutes(context))];
  const optional: IndexSection = ['Optional', outsideLinks(context)];
  const sections = [...pageSections(context), ...own, optional];
  const outside = withoutFolders(sections, childFolders('', listedRoutes(context)));
  for (const path of ['llms.txt', '.well-known/llms.txt'])
    yield {
      path,
      content: indexText(context, siteHead(context), [sections, outside], prefixToRoot(path)).text,
    };
}

export async function* llmsFull(context: OutputContext): AsyncGenerator<OutputItem> {
  const path = 'llms-full.txt';
  yield { path, ...fullText(context) };
}

/** An index of each folder, in all languages and versions. */
export function* folderIndexes(context: OutputContext): Generator<OutputItem> {
  const waiting = childFolders('', listedRoutes(context));
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    const path = folderIndexPath(at.folder);
    const folders = childFolders(at.folder, at.routes);
    const sections = pageSections(context, new Set(at.routes));
    const outside = [...withoutFolders(sections, folders), ...folderSection(at.folder, at.routes)];
    const { text, isWhole } = indexText(
      context,
      folderHead(context, at.folder),
      [sections, outside],
      prefixToRoot(path),
    );
    const { root, files } = context.site;
    yield { path, content: files.all.includes(path) ? readFileSync(join(root, path)) : text };
    if (!isWhole) waiting.push(...folders);
  }
}

interface IndexEntry {
  title: string;
  target: { path: string } | { href: string };
  description: string;
  inLine?: { label: string; text: string };
}

type IndexSection = [label: string, entries: IndexEntry[]];

function siteHead({ site: { settings } }: OutputContext): string[] {
  const { instructions } = settings.machineReaders;
  return [
    `# ${settings.name}`,
    `> ${oneLine(settings.description || `Documentation of ${settings.name}.`)}`,
    ...(instructions.length > 1 ? [instructions.map((line) => `- ${line}`).join('\n')] : instructions),
  ];
}

function folderHead(context: OutputContext, folder: string): string[] {
  const { settings } = context.site;
  const root = addressOf(context, 'llms.txt', prefixToRoot(folderIndexPath(folder)));
  return [
    `# ${settings.name}: ${folder}`,
    `> Pages below /${folder}. The whole documentation is listed in [llms.txt](${root}).`,
  ];
}

/** The first list of sections that fits without omitting pages, otherwise as much as possible of the last. */
function indexText(
  context: OutputContext,
  head: readonly string[],
  choices: readonly (readonly IndexSection[])[],
  prefix: string,
): { text: string; isWhole: boolean } {
  const line: EntryLine = (entry, length) => entryLine(context, entry, { length, prefix });
  const shown = choices.map((sections) => sections.filter(([, entries]) => entries.length > 0));
  for (const [at, sections] of shown.entries())
    for (const length of descriptionLengths)
      if (fits(head, sections, (entry) => line(entry, length)))
        return { text: formatIndex(head, sections, (entry) => line(entry, length)), isWhole: at === 0 };
  return { text: truncateIndex(head, shown.at(-1) ?? [], (entry) => line(entry, 0)), isWhole: false };
}

function folderSection(folder: string, routes: readonly string[]): IndexSection[] {
  const entries = childFolders(folder, routes).map((child) => ({
    title: child.folder,
    target: { path: folderIndexPath(child.folder) },
    description: `${child.routes.length} pages`,
  }));
  return [['Indexes of folders', entries]];
}

function withoutFolders(
  sections: readonly IndexSection[],
  folders: readonly IndexedFolder[],
): IndexSection[] {
  const inside = new Set(folders.flatMap(({ routes }) => routes.map(markdownPath)));
  return sections.map(([label, entries]) => [
    label,
    entries.filter(({ target }) => !('path' in target && inside.has(target.path))),
  ]);
}

type EntryLine = (entry: IndexEntry, length: number) => string;
type FormatEntry = (entry: IndexEntry) => string;

function fits(head: readonly string[], sections: readonly IndexSection[], line: FormatEntry): boolean {
  let characters = head.join('\n\n').length + 1;
  for (const [label, entries] of sections) {
    characters += label.length + 6;
    for (const entry of entries) {
      characters += line(entry).length + 1;
      if (characters > maxCharacters) return false;
    }
  }
  return true;
}

function formatIndex(head: readonly string[], sections: readonly IndexSection[], line: FormatEntry): string {
  const blocks = sections.map(([label, entries]) => `## ${label}\n\n${entries.map(line).join('\n')}`);
  return `${[...head, ...blocks].join('\n\n')}\n`;
}

/** Omits the last pages and says so, when the index is too long even without descriptions. */
function truncateIndex(
  head: readonly string[],
  sections: readonly IndexSection[],
  line: FormatEntry,
): string {
  const room = maxCharacters - 500;
  let length = head.join('\n\n').length;
  let left = 0;
  const kept = sections.map(([label, entries]): IndexSection => {
    const fitting = entries.filter((entry) => {
      if (length > room) return false;
      length += line(entry).length + 1;
      return length + label.length <= room;
    });
    left += entries.length - fitting.length;
    return [label, fitting];
  });
  const note = `${left} more entries are omitted; llms-full.txt and sitemap.xml contain more.`;
  const shown = kept.filter(([, entries]) => entries.length > 0);
  return formatIndex([...head.map((part) => part.slice(0, room / 4)), note], shown, line);
}

function entryLine(
  context: OutputContext,
  entry: IndexEntry,
  { length, prefix }: { length: number; prefix: string },
): string {
  const { target, title, description } = entry;
  entry.inLine ??= {
    label: oneLine(plainTitle(title)).replaceAll(/[[\]\\]/g, String.raw`\$&`),
    text: oneLine(description),
  };
  const { label } = entry.inLine;
  const text = cut(entry.inLine.text, length);
  const address = 'href' in target ? target.href : addressOf(context, target.path, prefix);
  return `- [${label}](${address})${text ? `: ${text}` : ''}`;
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length === 0) return '';
  return `${text.slice(0, length - 1).replace(/\s+\S*$/, '')}…`;
}

/** Of the default language and version, or the given pages of any. */
function pageSections(context: OutputContext, routes?: ReadonlySet<string>): IndexSection[] {
  const { site, pages } = context;
  const listed = new Set(listedRoutes(context));
  const known = new Map(pages.filter(({ route }) => listed.has(route)).map((page) => [page.route, page]));
  const sections = new Map<string, IndexEntry[]>();
  const add = (label: string, route: string): void => {
    const page = known.get(route);
    if (page === undefined || routes?.has(route) === false) return;
    known.delete(route);
    const entries = sections.get(label) ?? [];
    const description = page.description || page.summary;
    entries.push({ title: page.title, target: { path: markdownPath(route) }, description });
    sections.set(label, entries);
  };
  for (const branch of site.navigation.branches.filter(
    (one) => routes !== undefined || isDefaultBranch(one),
  )) {
    for (const route of branch.pages) {
      const place = site.navigation.places.get(route);
      if (place?.branch === branch) add(sectionLabel(branch, place.trail[0], routes !== undefined), route);
    }
  }
  for (const { route } of pages) if (!site.navigation.places.has(route)) add('Other pages', route);
  return [...sections];
}

function sectionLabel({ steps }: Branch, group: string | undefined, isOfAny: boolean): string {
  const isPart = ({ switcher }: BranchStep): boolean =>
    isOfAny || (switcher.kind !== 'language' && switcher.kind !== 'version');
  const labels = [...steps.filter(isPart).map(({ division }) => division.label), ...(group ? [group] : [])];
  return oneLine(labels.join(' / ')) || 'Pages';
}

function specSections(context: OutputContext): IndexSection[] {
  const specs = specFiles(context);
  const entries = (kind: 'openapi' | 'asyncapi'): IndexEntry[] =>
    specs
      .filter((spec) => spec.kind === kind)
      .map(({ source, isRemote }) => ({
        title: source.split('/').at(-1) ?? source,
        target: isRemote ? { href: source } : { path: source },
        description: '',
      }));
  return [
    ['OpenAPI specs', entries('openapi')],
    ['AsyncAPI specs', entries('asyncapi')],
  ];
}

function outsideLinks({ site }: OutputContext): IndexEntry[] {
  const found = new Map<string, IndexEntry>();
  const add = (title: string, href: string | undefined): void => {
    if (href !== undefined && /^https?:\/\//i.test(href) && !found.has(href) && found.size < 200)
      found.set(href, { title, target: { href }, description: '' });
  };
  const addEntries = (entries: readonly NavEntry[]): void => {
    for (const entry of entries) {
      if (entry.kind === 'link') add(entry.label, entry.href);
      else if (entry.kind === 'group') addEntries(entry.entries);
    }
  };
  for (const branch of site.navigation.branches.filter(isDefaultBranch)) {
    const divisions: Division[] = [
      ...branch.globals,
      ...[...branch.steps.map(({ switcher }) => switcher), ...branch.asides].flatMap(
        (switcher) => switcher.divisions,
      ),
    ];
    for (const { label, href } of divisions) add(label, href);
    addEntries(branch.entries);
  }
  return [...found.values()];
}

function addressOf({ publicAddresses }: OutputContext, path: string, prefix: string): string {
  return publicAddresses.ofFile(path) ?? relativeHref(prefix, path);
}

export function fullTextSection(
  site: Site,
  publicAddresses: PublicAddresses,
  page: OutputPage,
  content: Uint8Array,
): Uint8Array | undefined {
  if (page.failed || !isListed(site, site.metas.get(page.route))) return undefined;
  const source = publicAddresses.ofPage(page.route) ?? relativeHref('', markdownPath(page.route));
  return encodedPieces(markdownSection(page, content, source));
}

function fullText({ site, fullText: text }: OutputContext): { content: Uint8Array } | InPieces {
  const parts = function* (): Generator<Uint8Array> {
    yield fullTextHead(site);
    for (const section of text.sections()) {
      yield betweenSections;
      yield section;
    }
  };
  return text.bytes < bytesInPieces
    ? { content: Buffer.concat([...parts()]) }
    : { pieces: inLargePieces(parts()) };
}

/** Larger files are written in pieces. */
const bytesInPieces = 1_000_000;

const betweenSections = Buffer.from('\n---\n\n');

function fullTextHead({ settings: { name, description } }: Site): Buffer {
  return Buffer.from(`# ${name}\n${description ? `\n> ${oneLine(description)}\n` : ''}`);
}
