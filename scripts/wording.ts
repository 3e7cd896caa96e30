/**
 * Rejects private vocabulary, figures with units in comments, limits that are not called max or min, and documents over their
 * length. `npm run check` runs it on the whole repository; paths as arguments restrict it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokenize, tokenTypes } from 'css-tree/tokenizer';
import { parseSync } from 'oxc-parser';

export interface WordingFinding {
  line: number;
  message: string;
}

/** Words and phrases that the field does not use, each with what to write instead. */
export const privateVocabulary: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:[Ww]ho(?:m)?ever|[Nn]obody|[Ss]omebody|[Aa]nybody)\b/g, 'name the caller, the worker or the user'],
  [/\bwhatever\b/gi, 'name the value, or write "any"'],
  [/\belsewhere\b/gi, 'name the place'],
  [/\b(?:told|tells|telling)\b/gi, 'write "reported", "shown" or the verb that fits'],
  [/\bshall\b/gi, 'write "must" or the present tense'],
  [/\bby itself\b/gi, 'write "automatically", or delete it'],
  [/\bthe own\b/gi, 'name the owner'],
  [/\bwithout hands\b/gi, 'write "unattended"'],
  [/\b(?:shut in|ways? out)\b/gi, 'write "sandboxed" or "outbound connection"'],
  [/\bremember(?:s|ed|ing)?\b/g, 'write "cached", "stored" or "kept"'],
  [/\bput(?:s|ting)? away\b/gi, 'write "archived"'],
  [/\bhand(?:s|ed)? out\b/gi, 'write "issue", "return" or "serve"'],
  [/\b(?:goes|go|went) on\b/gi, 'write "continue" or "resume"'],
  [/\bcomes? by\b/gi, 'name the event'],
  [/\b(?:goes|go) (?:too|with it)\b/gi, 'write "is deleted too"'],
  [/\bin mind\b/gi, 'write "consider" or "memorize"'],
  [/\bmore is said\b/gi, 'name what is missing'],
  [/(?<!there )\bis no (?:host|purpose|URL|name|file|folder|page|number)\b/gi, 'write "is not a …"'],
];

/** Limits are `max*` and `min*`. */
const limitName = /\b(?:most|largest|longest|fewest|least)[A-Z]\w*/g;
/** Names in which the word is an adjective, not a limit. */
const adjectives = new Set([
  'mostFrequent',
  'mostRecentFindings',
  'mostActive',
  'largestPage',
  'longestWord',
]);

const figure =
  /\d(?:[.,]?\d)*(?: ?(?:%|×|ms|µs|kB|KB|MB|GB|MiB|KiB)| (?:s|seconds?|minutes?|hours?|milliseconds|microseconds|megabytes|gigabytes|kilobytes|percent|times))(?![\w-])/g;

const maxLines: Readonly<Record<string, number>> = {
  'README.md': 150,
  'ARCHITECTURE.md': 150,
  'CONTRIBUTING.md': 80,
};

const languages = { ts: 'ts', tsx: 'tsx', js: 'js', mjs: 'js' } as const;
const checkedExtensions = new Set([...Object.keys(languages), 'css', 'md', 'mdx', 'yml', 'yaml', 'sh']);

/** Generated files, texts of others that tests read, and this list. */
const leftOut = [
  /^scripts\/wording(?:\.test)?\.ts$/,
  /^packages\/render\/(?:fixtures|attacks)\//,
  /^packages\/render\/src\/islands\/files\//,
  /\/fixtures\//,
  /^bench\/results\//,
  /^THIRD-PARTY-NOTICES\.md$/,
  /^test\/(?:corpus|scenarios\/sites)\//,
];

/** A value in the manifest of backups. */
const storedWord =
  /^packages\/server\/src\/(?:operations\/(?:archive|backup|backup\.test)|cli\/backup)\.ts: elsewhere$/;

/** Sent to browsers as they are: renaming a variable would change every exported site, so only comments are checked. */
const browserFiles = /^packages\/render\/src\/(?:theme\/files|islands\/browser|realm\/inside)\//;

export function wordingFindings(file: string, text: string): WordingFinding[] {
  const lineOf = (index: number): number => text.slice(0, index).split('\n').length;
  const found: WordingFinding[] = [];
  const comments = commentsOf(file, text);
  for (const { start, value } of browserFiles.test(file) ? comments : [{ start: 0, value: text }])
    for (const [pattern, instead] of privateVocabulary)
      for (const { 0: word, index } of value.matchAll(pattern))
        if (!storedWord.test(`${file}: ${word}`))
          found.push({ line: lineOf(start + index), message: `"${word}": ${instead}` });
  for (const { 0: name, index } of text.matchAll(limitName))
    if (!adjectives.has(name))
      found.push({ line: lineOf(index), message: `"${name}": limits are called max or min` });
  for (const { start, value } of comments)
    for (const { 0: number, index } of value.matchAll(figure))
      found.push({
        line: lineOf(start + index),
        message: `"${number}" in a comment: figures belong to bench/ and commit messages`,
      });
  const limit = maxLines[file];
  const lines = text.split('\n').length - 1;
  if (limit !== undefined && lines > limit)
    found.push({ line: lines, message: `${lines} lines, at most ${limit} are allowed` });
  return found.toSorted((a, b) => a.line - b.line);
}

interface Comment {
  start: number;
  value: string;
}

function commentsOf(file: string, text: string): Comment[] {
  const extension = extensionOf(file);
  if (extension === 'css') return styleComments(text);
  const lang = languages[extension as keyof typeof languages];
  if (lang === undefined) return [];
  return parseSync(file, text, { lang }).comments.map(({ start, end }) => ({
    start,
    value: text.slice(start, end),
  }));
}

function styleComments(text: string): Comment[] {
  const comments: Comment[] = [];
  tokenize(text, (type, start, end) => {
    if (type === tokenTypes.Comment) comments.push({ start, value: text.slice(start, end) });
  });
  return comments;
}

function extensionOf(file: string): string {
  return file.slice(file.lastIndexOf('.') + 1);
}

function listedFiles(root: string, paths: readonly string[]): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths];
  const listed = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (listed.status !== 0) throw new Error(`Cannot list the files: ${listed.stderr}`);
  return listed.stdout
    .split('\0')
    .filter((file) => checkedExtensions.has(extensionOf(file)) && !leftOut.some((path) => path.test(file)))
    .filter((file) => existsSync(join(root, file)));
}

function main(paths: readonly string[]): number {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = listedFiles(root, paths);
  let count = 0;
  for (const file of files)
    for (const { line, message } of wordingFindings(file, readFileSync(join(root, file), 'utf8'))) {
      count += 1;
      console.log(`${file}:${line}: ${message}`);
    }
  console.log(`${count} findings in the wording of ${files.length} files.`);
  return count === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
