/** `code_symbols`: where functions, classes and the like begin, as git finds them in each language. */
import { z } from 'zod';
import { inCode } from './code-context.ts';
import { existingPath } from './existing-path.ts';
import { countMatches, findFunctions, type GrepOptions } from './grep.ts';
import { folderOf, folderPath } from './inputs.ts';
import { numberLine } from './line-format.ts';
import { isBelow, searchFiles } from './search.ts';
import { defineTool, listItems, pluralize, ToolError, withinLimits } from './tool.ts';

/** Each is searched by one process. */
const maxSearchedFiles = 100;
const maxSymbols = 200;

export const codeSymbols = defineTool({
  name: 'code_symbols',
  description:
    'Finds where functions, classes and types begin: all in a file, or those with a name in all code. Example: ' +
    '{"name": "createServer"}.',
  input: z.object({
    name: z.string().trim().max(200).optional().describe('A whole name, for example createServer.'),
    path: folderPath.default('').describe('File or folder, for example api/src/server.ts.'),
  }),
  async run(context, { name = '', path: written }) {
    const code = inCode(context);
    const path = folderOf(written);
    const { attributesFile } = code.code;
    if (name === '') {
      const file = await existingPath(code.tree, path, { inAnyFolder: true });
      const isFile = (await code.tree.list()).some((one) => one.path === file);
      if (!isFile) throw new ToolError('Pass a name, or the path of a file.');
      const found = await findFunctions(code, { path: file, name: null, attributesFile });
      if (found.length === 0) return { text: `No function was recognized in ${file}. Read it.` };
      const lines = found.map(({ line, text }) => numberLine(text, line));
      const shown = listItems(withinLimits(lines), 'Read the file.', maxSymbols);
      return { text: [`${file}:`, ...shown].join('\n') };
    }
    if (/[\n\r\0]/.test(name)) throw new ToolError('The name has several lines. Pass one word.');
    const wanted: GrepOptions = {
      pattern: name,
      regex: false,
      ignoreCase: false,
      isWord: true,
      paths: [path === '' ? '.' : path],
    };
    const counts = await countMatches(code, wanted);
    const paths = (await code.tree.list()).map((file) => file.path);
    const files = paths.filter((file) => counts.has(file) && isBelow(file, path));
    const lines: string[] = [];
    for (const file of files.slice(0, maxSearchedFiles)) {
      const found = await findFunctions(code, { path: file, name, attributesFile });
      if (found.length > 0) lines.push(file, ...found.map(({ line, text }) => numberLine(text, line)));
    }
    const left = files.length - maxSearchedFiles;
    const rest = left > 0 ? [`${pluralize(left, 'file')} more contain it. Pass a path to look there.`] : [];
    if (lines.length > 0) return { text: [...withinLimits(lines), ...rest].join('\n') };
    const uses = await searchFiles(code, searchOf(name, path));
    const head = `No definition of ${name} was recognized.`;
    return {
      text: uses === undefined ? `${head} No code has this word.` : `${head} It is used here:\n${uses}`,
    };
  },
});

function searchOf(pattern: string, path: string): Parameters<typeof searchFiles>[1] {
  return { pattern, path, mode: 'content', regex: false, ignore_case: false, context: 0 };
}
