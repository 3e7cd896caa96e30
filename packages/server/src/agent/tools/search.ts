/** `search`: finds text in the files of the site with `git grep`. */
import { z } from 'zod';
import type { ToolContext } from '../contract.ts';
import { findSections, sectionLines } from './find-pages.ts';
import { countMatches, findLines, maxLineBytes, type FoundLine, type GrepOptions } from './grep.ts';
import { existingFolder } from './existing-path.ts';
import { folderOf, folderPath, globMatcher, globPattern } from './inputs.ts';
import { clipLine } from './line-format.ts';
import { pluralize, defineTool, listItems, ToolError, withinLimits } from './tool.ts';

const maxMatches = 100;
const maxMatchesPerFile = 30;
const maxClosestPages = 3;
const maxLineCharacters = 300;
/** Shown before a match in a long line. */
const charactersBeforeMatch = 100;

export const searchInput = z.object({
  pattern: z.string().min(1).max(500).describe('Text of one line, for example: npm install.'),
  path: folderPath.default('').describe('Only in this folder or file, for example guides.'),
  glob: globPattern.optional(),
  mode: z
    .enum(['content', 'files', 'count'])
    .default('content')
    .describe('content shows lines, files the names of files, count the number of lines per file.'),
  regex: z.boolean().default(false).describe('true if the pattern is a regular expression.'),
  ignore_case: z.boolean().default(false).describe('true to find upper and lower case.'),
  context: z.int().min(0).max(5).default(0).describe('Lines to show around each match, for example 2.'),
});

export const search = defineTool({
  name: 'search',
  description:
    'Finds lines that contain a text, with file and line number. The pattern is literal unless regex is true; lookaround ' +
    'is not supported. Use find_pages to search for a topic. Example: {"pattern": "apiKey", "glob": "*.mdx"}.',
  input: searchInput,
  run: async (context, input) => {
    const found = await searchFiles(context, input);
    return { text: found ?? (await noMatchText(context, input.pattern)) };
  },
});

/** Undefined if nothing matches. */
export async function searchFiles(
  context: ToolContext,
  { pattern, mode, ...input }: z.output<typeof searchInput>,
): Promise<string | undefined> {
  if (/[\n\r\0]/.test(pattern)) {
    throw new ToolError('The pattern has several lines. Search for one line, then read the file.');
  }
  if (input.regex && isCostly(pattern))
    throw new ToolError('The pattern has too many counted repeats. Use at most two, up to 100.');
  const paths = (await context.tree.list()).map(({ path }) => path);
  const folder = existingFolder(paths, folderOf(input.path));
  const matches = globMatcher(input.glob);
  const searched = paths.filter((path) => isBelow(path, folder) && matches(path));
  if (searched.length === 0) return 'No file has this path and glob. List the files to find them.';
  const literal = { pattern, regex: false, ignoreCase: input.ignore_case };
  const expression = { ...literal, pattern: posixPattern(pattern), regex: true };
  const find = (wanted: typeof literal) =>
    matchedFiles(context, searched, { ...wanted, paths: [folder === '' ? '.' : folder] });
  let options = input.regex ? expression : literal;
  let files = await find(options);
  if (files.length === 0 && !input.regex && isLikeRegex(pattern) && !isCostly(pattern)) {
    options = expression;
    files = await find(options).catch(noFiles);
  }
  if (files.length === 0) return undefined;
  if (mode !== 'content') {
    const items = files.map(({ path, count }) => (mode === 'files' ? path : `${path}: ${count}`));
    return listItems(items, narrower).join('\n');
  }
  const lines = await findLines(context, {
    ...options,
    paths: firstFiles(files).map(({ path }) => path),
    around: input.context,
    maxPerFile: maxMatchesPerFile,
  });
  return contentText(files, lines, input.context);
}

const narrower = 'Narrow the search with path or glob.';

interface MatchedFile {
  path: string;
  /** Matching lines. */
  count: number;
}

/** As many files as the matches that can be shown are in. */
function firstFiles(files: readonly MatchedFile[]): readonly MatchedFile[] {
  let shown = 0;
  const end = files.findIndex(({ count }) => (shown += Math.min(count, maxMatchesPerFile)) >= maxMatches);
  return end < 0 ? files : files.slice(0, end + 1);
}

function contentText(files: readonly MatchedFile[], found: readonly FoundLine[], around: number): string {
  const byPath = Map.groupBy(found, ({ path }) => path);
  const maxLines = maxMatches * (1 + 2 * around);
  const lines: string[] = [];
  let shownLines = 0;
  let shownMatches = 0;
  for (const { path } of files) {
    const taken = (byPath.get(path) ?? []).slice(0, maxLines - shownLines);
    if (taken.length === 0) continue;
    shownLines += taken.length;
    shownMatches += taken.filter(({ column }) => column !== undefined).length;
    lines.push(path, ...taken.map((line) => `${String(line.line).padStart(5)}\t${textOf(line)}`));
  }
  const total = files.reduce((sum, { count }) => sum + count, 0);
  const within = withinLimits(lines);
  const isCut = within.length < lines.length || shownMatches < total;
  const head = `${pluralize(total, 'line')} in ${pluralize(files.length, 'file')}${isCut ? `, not all shown. ${narrower}` : ''}`;
  return [head, ...within].join('\n');
}

/** The part of a long line around its match. */
function textOf({ text, column = 1 }: FoundLine): string {
  if (column <= maxLineCharacters) return clipLine(text.toString(), maxLineCharacters);
  if (column > text.length) return `(a line of more than ${maxLineBytes} bytes, match at byte ${column})`;
  const part = text.subarray(column - 1 - charactersBeforeMatch).toString();
  return `… ${clipLine(part, maxLineCharacters)}`;
}

async function matchedFiles(
  context: ToolContext,
  searched: readonly string[],
  options: GrepOptions,
): Promise<MatchedFile[]> {
  const counts = await countMatches(context, options);
  return searched
    .map((path) => ({ path, count: counts.get(path) ?? 0 }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Other agents search with regular expressions by default, so models leave the option out. */
function isLikeRegex(pattern: string): boolean {
  return /\\[a-z.()[\]{}|*+?]|[|*+?^$]/i.test(pattern);
}

/** A literal pattern need not be a valid expression. */
function noFiles(error: unknown): MatchedFile[] {
  if (error instanceof ToolError) return [];
  throw error;
}

/** git has no \d and no groups that do not capture. */
function posixPattern(pattern: string): string {
  let result = '';
  let isInBrackets = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern.charAt(at);
    if (letter === '\\') {
      const escaped = pattern.charAt((at += 1));
      if (escaped === 'd') result += isInBrackets ? '0-9' : '[0-9]';
      else result += letter + escaped;
      continue;
    }
    if (letter === '[' || letter === ']') isInBrackets = letter === '[';
    result += letter;
    if (!isInBrackets && pattern.startsWith('(?:', at)) at += 2;
  }
  return result;
}

async function noMatchText(context: ToolContext, pattern: string): Promise<string> {
  const head = 'Nothing matches. Try fewer words or ignore_case, or find_pages with the topic.';
  const { sections } = await findSections(context, pattern, maxClosestPages);
  return [
    head,
    ...(sections.length > 0 ? ['Closest sections:'] : []),
    ...sections.flatMap(sectionLines),
  ].join('\n');
}

/** The matcher unrolls counted repeats, so nested large ones would exhaust memory. */
function isCostly(pattern: string): boolean {
  const counts = [...pattern.matchAll(/\{(\d*)(?:,(\d*))?\}/g)].flatMap(([, min, max]) => [min, max]);
  return counts.length > 4 || counts.some((count) => Number(count ?? 0) > 100);
}

export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
