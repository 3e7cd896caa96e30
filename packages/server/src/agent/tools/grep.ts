/** Runs `git grep` on the tree of a job, in a process that can be killed if a regular expression takes too long. */
import { spawn } from 'node:child_process';
import type { ToolContext } from '../contract.ts';
import { ToolError } from './tool.ts';

export interface GrepOptions {
  pattern: string;
  regex: boolean;
  ignoreCase: boolean;
  /** The match is not part of a longer word. */
  isWord?: boolean;
  /** Set for functions, whose lines git prints in another form than matches. */
  attributesFile?: string;
  /** Literal paths of files and folders. */
  paths: readonly string[];
}

export interface FoundLine {
  path: string;
  line: number;
  /** Byte offset of the match in the line, from 1; undefined for lines around a match. */
  column?: number;
  /** Cut at `maxLineBytes`. */
  text: Buffer;
}

export const maxLineBytes = 20_000;
const maxSeconds = 10;

/** The number of matching lines of each file. */
export async function countMatches(context: ToolContext, options: GrepOptions): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  await grep(context, options, ['-c'], (row) => {
    const [path = '', count] = row.toString().split('\0');
    counts.set(path, Number(count));
  });
  return counts;
}

/** The first matching lines of each file, with lines around them. */
export async function findLines(
  context: ToolContext,
  { around, maxPerFile, ...options }: GrepOptions & { around: number; maxPerFile: number },
): Promise<FoundLine[]> {
  const found: FoundLine[] = [];
  await grep(context, options, ['-n', '--column', `-m${maxPerFile}`, `-C${around}`], (row) => {
    const pathEnd = row.indexOf(0);
    const lineEnd = row.indexOf(0, pathEnd + 1);
    if (pathEnd < 0 || lineEnd < 0) return;
    const columnEnd = row.indexOf(0, lineEnd + 1);
    found.push({
      path: row.toString('utf8', 0, pathEnd),
      line: Number(row.toString('utf8', pathEnd + 1, lineEnd)),
      ...(columnEnd < 0 ? {} : { column: Number(row.toString('utf8', lineEnd + 1, columnEnd)) }),
      text: row.subarray((columnEnd < 0 ? lineEnd : columnEnd) + 1),
    });
  });
  return found;
}

/**
 * The lines of a file that begin a function, a class or the like, as git finds them for its hunk headers. With a name, only
 * those that contain it.
 */
export async function findFunctions(
  context: ToolContext,
  { path, name, attributesFile }: { path: string; name: string | null; attributesFile: string },
): Promise<{ line: number; text: string }[]> {
  // Git shows the function before a selected line, unless it is selected too. Lines without the name select every
  // function with it; indented lines also select those whose other lines have the name.
  const withoutName =
    name === null ? { pattern: '[A-Za-z_$]', regex: true } : { pattern: name, regex: false, isWord: true };
  const selections = [
    { ...withoutName, flags: ['--invert-match'] },
    { pattern: '^[[:space:]}]', regex: true, flags: [] },
  ];
  const found = new Map<number, string>();
  for (const { flags, ...selection } of selections) {
    const options = { ...selection, ignoreCase: false, paths: [path], attributesFile };
    await grep(context, options, ['-n', '-h', '--show-function', ...flags], (row) => {
      const [, line, text] = /^(\d{1,9})=(.*)$/s.exec(row.toString()) ?? [];
      if (line !== undefined && text !== undefined && hasWord(text, name)) found.set(Number(line), text);
    });
  }
  return [...found].map(([line, text]) => ({ line, text })).toSorted((one, other) => one.line - other.line);
}

function hasWord(text: string, name: string | null): boolean {
  return (
    name === null || text.split(/[^\w$]+/).includes(name) || (/[^\w$]/.test(name) && text.includes(name))
  );
}

async function grep(
  { tree, signal }: ToolContext,
  { pattern, regex, ignoreCase, isWord = false, paths, attributesFile }: GrepOptions,
  output: readonly string[],
  onRow: (row: Buffer) => void,
): Promise<void> {
  const args = [
    '--no-pager',
    '--literal-pathspecs',
    ...(attributesFile === undefined
      ? ['grep', '-z']
      : ['-c', `core.attributesFile=${attributesFile}`, 'grep']),
    ...'--no-index --no-color --no-textconv --full-name -I'.split(' '),
    regex ? '-E' : '-F',
    ...(isWord ? ['-w'] : []),
    ...(ignoreCase ? ['-i'] : []),
    ...output,
    '-e',
    pattern,
    '--',
    ...paths,
  ];
  const limit = AbortSignal.timeout(maxSeconds * 1000);
  const { code, complaint } = await runGit(args, tree.folder, AbortSignal.any([signal, limit]), onRow);
  signal.throwIfAborted();
  if (limit.aborted) throw new ToolError('The search took too long. Use a simpler pattern, without regex.');
  if (code !== null && code > 1) throw new ToolError(failureText(complaint, regex));
}

function failureText(complaint: string, regex: boolean): string {
  if (!regex) return 'The search failed. Try a shorter pattern.';
  const [reason = ''] = complaint.split('\n', 1);
  return `The pattern is not a valid regular expression (${reason.replace(/^fatal: /, '').slice(0, 200)}). Search literally, without regex.`;
}

function runGit(
  args: string[],
  folder: string,
  signal: AbortSignal,
  onRow: (row: Buffer) => void,
): Promise<{ code: number | null; complaint: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: '/nonexistent',
        LC_ALL: 'C.UTF-8',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CEILING_DIRECTORIES: '/',
        GIT_DIR: '/nonexistent',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let complaint = '';
    const kill = (): unknown => child.kill('SIGKILL');
    child.stdout.on('data', rowReader(onRow));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, 2000);
    });
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', kill);
      resolve({ code, complaint });
    });
  });
}

/** Splits a stream at line breaks. The rest of a long row is skipped, because one line of a file can have megabytes. */
function rowReader(onRow: (row: Buffer) => void): (part: Buffer) => void {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return (part) => {
    let from = 0;
    for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, from)) {
      add(part.subarray(from, end));
      onRow(Buffer.concat(pieces));
      pieces = [];
      bytes = 0;
      from = end + 1;
    }
    add(part.subarray(from));
  };

  function add(piece: Buffer): void {
    if (bytes < maxLineBytes) pieces.push(piece.subarray(0, maxLineBytes - bytes));
    bytes += piece.length;
  }
}
