/** `list_files`: what is in the docs root or a folder of it, folders beyond a depth as one line. */
import { z } from 'zod';
import { folderOf, folderPath, globMatcher, globPattern } from './inputs.ts';
import { nearestPaths } from './nearest.ts';
import { counted, defineTool, listed, ToolProblem } from './tool.ts';

const mostEntries = 500;
const usualDepth = 2;

export const listFiles = defineTool({
  name: 'list_files',
  description:
    'Lists files with their sizes. Folders deeper than depth are counted in one line; name such a folder as path to ' +
    'see inside. Use glob to find files by name.',
  input: z.object({
    path: folderPath.default('').describe('Folder to list; empty for the whole docs root.'),
    glob: globPattern.optional(),
    depth: z.int().min(1).max(20).optional().describe('How many folders deep; 2, or no limit with a glob.'),
  }),
  async run(context, { path: written, glob, depth }) {
    const path = folderOf(written);
    const all = (await context.tree.list()).toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const matches = globMatcher(glob);
    const below = all.filter((file) => path === '' || file.path.startsWith(`${path}/`));
    if (below.length === 0) throw noFolder(path, all);
    const files = below.filter((file) => matches(file.path));
    const deepest = depth ?? (glob === undefined ? usualDepth : Infinity);
    const entries = entriesOf(files, path === '' ? 0 : path.split('/').length, deepest);
    if (entries.length === 0)
      return { text: `No file ${path === '' ? '' : `below ${path} `}matches ${glob}.` };
    const advice = 'Name a folder as path, or use glob.';
    return {
      text: [`${counted(files.length, 'file')}:`, ...listed(entries, advice, mostEntries)].join('\n'),
    };
  },
});

function entriesOf(
  files: readonly { path: string; sizeBytes: number }[],
  from: number,
  depth: number,
): string[] {
  const folders = new Map<string, number>();
  const lines = files.map(({ path, sizeBytes }) => {
    const parts = path.split('/');
    if (parts.length - from <= depth) return `${path} (${sizeText(sizeBytes)})`;
    const folder = `${parts.slice(0, from + depth).join('/')}/`;
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
    return folder;
  });
  return [...new Set(lines)].map((line) => {
    const count = folders.get(line);
    return count === undefined ? line : `${line} (${counted(count, 'file')})`;
  });
}

function noFolder(path: string, files: readonly { path: string }[]): ToolProblem {
  if (files.some((file) => file.path === path)) {
    return new ToolProblem(`${path} is a file. Read it with read_file, or list the folder it is in.`);
  }
  const folders = new Set(files.flatMap((file) => foldersOf(file.path)));
  const [near] = nearestPaths(path, [...folders]);
  const advice = near === undefined ? 'List the docs root with an empty path.' : `The nearest is ${near}.`;
  return new ToolProblem(
    path === '' ? 'The docs root holds no files.' : `There is no folder ${path}. ${advice}`,
  );
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function sizeText(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 100) / 10} kB`;
}
