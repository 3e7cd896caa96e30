/**
 * `search`: finds text in all files with `git grep`, in a process that can be killed if a model's regular
 * expression takes too long.
 */
import { spawn } from 'node:child_process';
import { z } from 'zod';
import type { ToolContext } from '../contract.ts';
import { folderOf, folderPath, globMatcher, globPattern } from './inputs.ts';
import { clipLine } from './line-format.ts';
import { pluralize, defineTool, listItems, ToolError, withinLimits } from './tool.ts';

const maxMatches = 100;
const maxMatchesPerFile = 30;
const maxLineCharacters = 300;
const maxOutputBytes = 4_000_000;
const maxSeconds = 10;

interface FoundLine {
  path: string;
  line: number;
  text: string;
}

export const search = defineTool({
  name: 'search',
  description:
    'Finds text in the files of the site, with file and line. The pattern is taken literally unless regex is set; then ' +
    'it is a POSIX extended expression (no \\d or lookaround: use [0-9]).',
  input: z.object({
    pattern: z.string().min(1).max(500),
    path: folderPath.default('').describe('Only in this folder or file.'),
    glob: globPattern.optional(),
    mode: z
      .enum(['content', 'files', 'count'])
      .default('content')
      .describe('Lines, names of files, or counts.'),
    regex: z.boolean().default(false),
    ignore_case: z.boolean().default(false),
    context: z.int().min(0).max(5).default(0).describe('Lines to show around each match.'),
  }),
  async run(context, { pattern, mode, ...input }) {
    if (/[\n\r\0]/.test(pattern)) {
      throw new ToolError('The pattern has several lines. Search for one line, then read the file.');
    }
    if (input.regex) refuseCostlyPattern(pattern);
    const known = new Map((await context.tree.list()).map((file) => [file.path, file]));
    const folder = folderOf(input.path);
    const matches = globMatcher(input.glob);
    const lines = (
      await grep(context, pattern, { ...input, context: mode === 'content' ? input.context : 0 })
    ).filter(({ path }) => known.has(path) && matches(path) && isBelow(path, folder));
    if (lines.length === 0) return { text: noMatchText(pattern, input.regex) };
    const byFile = Map.groupBy(lines, ({ path }) => path);
    const files = [...byFile].toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (mode === 'files')
      return {
        text: listItems(
          files.map(([path]) => path),
          narrower,
        ).join('\n'),
      };
    if (mode === 'count') {
      return {
        text: listItems(
          files.map(([path, found]) => `${path}: ${found.length}`),
          narrower,
        ).join('\n'),
      };
    }
    return { text: contentText(files, input.context) };
  },
});

const narrower = 'Narrow the search with path or glob.';

function contentText(files: readonly [string, FoundLine[]][], around: number): string {
  const maxLines = maxMatches * (1 + 2 * around);
  const lines: string[] = [];
  let shown = 0;
  let total = 0;
  for (const [path, found] of files) {
    total += found.length;
    if (shown >= maxLines) continue;
    const taken = found.slice(0, Math.min(maxLines - shown, maxMatchesPerFile * (1 + 2 * around)));
    shown += taken.length;
    lines.push(
      path,
      ...taken.map(({ line, text }) => `${String(line).padStart(5)}\t${clipLine(text, maxLineCharacters)}`),
    );
  }
  const within = withinLimits(lines);
  const isCut = within.length < lines.length || shown < total;
  const head = `${pluralize(total, 'line')} in ${pluralize(files.length, 'file')}${isCut ? `, not all shown. ${narrower}` : ''}`;
  return [head, ...within].join('\n');
}

function noMatchText(pattern: string, regex: boolean): string {
  const isLikeRegex = !regex && /[\\^$*+?()[\]|]/.test(pattern);
  const advice = isLikeRegex
    ? ' The pattern was taken literally; set regex to use a regular expression.'
    : '';
  return `Nothing matches.${advice} Try fewer words, ignore_case, or another spelling.`;
}

/** The matcher unrolls counted repeats, so nested large ones would exhaust memory. */
function refuseCostlyPattern(pattern: string): void {
  const counts = [...pattern.matchAll(/\{(\d*)(?:,(\d*))?\}/g)].flatMap(([, min, max]) => [min, max]);
  if (counts.length <= 4 && counts.every((count) => Number(count ?? 0) <= 100)) return;
  throw new ToolError('The pattern has too many counted repeats. Use at most two, up to 100.');
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

async function grep(
  { tree, signal }: ToolContext,
  pattern: string,
  options: { regex: boolean; ignore_case: boolean; context: number },
): Promise<FoundLine[]> {
  const args = '--no-pager grep --no-index --no-color --no-textconv --full-name -n -I -z'.split(' ');
  args.push(options.regex ? '-E' : '-F');
  if (options.ignore_case) args.push('-i');
  if (options.context > 0) args.push(`-C${options.context}`);
  args.push('-e', pattern, '--', '.');
  const limit = AbortSignal.timeout(maxSeconds * 1000);
  const { code, output, complaint } = await runGit(args, tree.folder, AbortSignal.any([signal, limit]));
  signal.throwIfAborted();
  if (limit.aborted) throw new ToolError('The search took too long. Use a simpler pattern, without regex.');
  if (code !== null && code > 1) throw new ToolError(failureText(complaint, options.regex));
  return output.split('\n').flatMap((row) => {
    const [path, line, text] = row.split('\0');
    return path === undefined || line === undefined || text === undefined
      ? []
      : [{ path, line: Number(line), text }];
  });
}

function failureText(complaint: string, regex: boolean): string {
  if (!regex) return 'The search failed. Try a shorter pattern.';
  const [reason = ''] = complaint.split('\n', 1);
  return `The pattern is not a valid regular expression (${reason.replace(/^fatal: /, '').slice(0, 200)}). Search literally, without regex.`;
}

/** Kills the process when the output exceeds the limit and uses the output so far. */
function runGit(
  args: string[],
  folder: string,
  signal: AbortSignal,
): Promise<{ code: number | null; output: string; complaint: string }> {
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
    const parts: Buffer[] = [];
    let bytes = 0;
    let complaint = '';
    const kill = (): unknown => child.kill('SIGKILL');
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      parts.push(part);
      if (bytes > maxOutputBytes) kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, 2000);
    });
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', kill);
      resolve({ code, output: Buffer.concat(parts).toString('utf8'), complaint });
    });
  });
}
