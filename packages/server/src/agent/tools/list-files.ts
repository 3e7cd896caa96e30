import { z } from 'zod';
import type { Tree } from '../contract.ts';
import { existingFolder } from './existing-path.ts';
import { folderOf, folderPath, globMatcher, globPattern } from './inputs.ts';
import { nearestPaths } from './similarity.ts';
import { pluralize, defineTool, listItems, ToolError } from './tool.ts';

const maxEntries = 500;
const defaultDepth = 2;

export const listFiles = defineTool({
  name: 'list_files',
  description:
    'Lists files with their sizes. Folders deeper than depth are summarized in one line; pass such a folder as path to ' +
    'see inside. Use glob to find files by name.',
  input: z.object({
    path: folderPath
      .default('')
      .describe('Folder to list, for example guides; empty for the whole docs root.'),
    glob: globPattern.optional(),
    depth: z
      .int()
      .min(1)
      .max(20)
      .optional()
      .describe('Number of folder levels, for example 3. Default 2, or unlimited with a glob.'),
  }),
  run: async ({ tree }, input) => ({ text: await listTree(tree, input) }),
});

interface Listing {
  path: string;
  glob?: string | undefined;
  depth?: number | undefined;
}

export async function listTree(
  tree: Pick<Tree, 'list'>,
  { path: written, glob, depth }: Listing,
): Promise<string> {
  const all = (await tree.list()).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const path = existingFolder(
    all.map((file) => file.path),
    folderOf(written),
  );
  const matches = globMatcher(glob);
  const below = all.filter((file) => path === '' || file.path.startsWith(`${path}/`));
  if (below.length === 0) throw noFolder(path, all);
  const files = below.filter((file) => matches(file.path));
  const maxDepth = depth ?? (glob === undefined ? defaultDepth : Infinity);
  const entries = entriesOf(files, path === '' ? 0 : path.split('/').length, maxDepth);
  if (entries.length === 0)
    return `No file ${path === '' ? '' : `below ${path} `}matches ${glob}. Use a wider glob, such as *.mdx.`;
  const advice = 'Pass a folder as path, or use glob.';
  return [`${pluralize(files.length, 'file')}:`, ...listItems(entries, advice, maxEntries)].join('\n');
}

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
    return count === undefined ? line : `${line} (${pluralize(count, 'file')})`;
  });
}

function noFolder(path: string, files: readonly { path: string }[]): ToolError {
  if (files.some((file) => file.path === path)) {
    return new ToolError(`${path} is a file. Read it, or list the folder it is in.`);
  }
  const folders = new Set(files.flatMap((file) => foldersOf(file.path)));
  const [near] = nearestPaths(path, [...folders]);
  const advice = near === undefined ? 'List the docs root with an empty path.' : `The nearest is ${near}.`;
  return new ToolError(
    path === '' ? 'The docs root has no files.' : `The folder ${path} does not exist. ${advice}`,
  );
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function sizeText(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 100) / 10} kB`;
}
