/** Tools that read the context repositories. Their files are data of others, and nothing can change them. */
import { z } from 'zod';
import type { Code, Tool } from '../contract.ts';
import { codeDiff } from './code-diff.ts';
import { codeSymbols } from './code-symbols.ts';
import { inCode } from './code-context.ts';
import { existingPath } from './existing-path.ts';
import { defaultLines, showFile } from './file-view.ts';
import { readText } from './files.ts';
import { filePath, folderPath, globPattern } from './inputs.ts';
import { listTree } from './list-files.ts';
import { searchFiles, searchInput } from './search.ts';
import { defineTool, outputLimits } from './tool.ts';

/** Only what the run can use, because each description takes room of the context. */
export function codeTools({ change }: Code): Tool[] {
  return [listCode, searchCode, readCode, codeSymbols, ...(change === undefined ? [] : [codeDiff])];
}

const listCode = defineTool({
  name: 'list_code',
  description: 'Lists files of the code repositories. Paths begin with the name of the repository.',
  input: z.object({
    path: folderPath.default('').describe('Folder, for example api/src; empty for all repositories.'),
    glob: globPattern.optional(),
    depth: z.int().min(1).max(20).optional().describe('Number of folder levels. Default 2.'),
  }),
  run: async (context, input) => ({ text: await listTree(inCode(context).tree, input) }),
});

const { pattern, glob, regex, ignore_case } = searchInput.shape;

const searchCode = defineTool({
  name: 'search_code',
  description: 'Finds lines of code that contain a text, with file and line number.',
  input: z.object({
    pattern,
    path: folderPath.default('').describe('Only in this folder or file, for example api/src.'),
    glob,
    regex,
    ignore_case,
    context: z.int().min(0).max(20).default(0).describe('Lines to show around each match.'),
  }),
  async run(context, input) {
    const found = await searchFiles(inCode(context), { ...input, mode: 'content' });
    return { text: found ?? 'No code matches. Try fewer words, ignore_case or code_symbols.' };
  },
});

const readCode = defineTool({
  name: 'read_code',
  description: 'Reads a file of code with line numbers. Long files come in parts: use offset to continue.',
  input: z.object({
    path: filePath.describe('For example api/src/server.ts.'),
    offset: z.int().min(1).default(1).describe('First line to read.'),
    limit: z.int().min(1).max(outputLimits.lines).default(defaultLines).describe('How many lines.'),
  }),
  async run(context, { path: given, offset, limit }) {
    const code = inCode(context);
    const path = await existingPath(code.tree, given, { inAnyFolder: true });
    return { text: showFile(code, path, await readText(code, path), { offset, limit }) };
  },
});
