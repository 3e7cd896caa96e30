/** `docyard init`: creates a small site to start from. Existing files are never overwritten. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { fileErrorReason } from '@docyard/site/disk';
import { CommandError } from './errors.ts';

const starter = fileURLToPath(new URL('../../starter', import.meta.url));

const examples = `
Examples:
  docyard init my-docs    in a new folder
  docyard init            in the folder you are in
`;

export function describeInit(command: Command): void {
  command
    .description('Create a small site: docs.json, two pages, an image and an API description.')
    .argument('[folder]', 'folder to create the site in', '.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(init);
}

async function init(folder: string, options: { json?: boolean }): Promise<void> {
  const files = await starterFiles();
  const root = resolve(folder);
  refuseExistingFiles(root, folder, files);
  try {
    for (const file of files) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), await readFile(join(starter, file)), { flag: 'wx' });
    }
  } catch (error) {
    throw new CommandError(`Cannot create a site in ${root}: ${fileErrorReason(error)}.`);
  }
  if (options.json) process.stdout.write(`${JSON.stringify({ folder: root, files })}\n`);
  else process.stdout.write(created(folder, files));
}

async function starterFiles(): Promise<string[]> {
  const entries = await readdir(starter, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(starter, join(entry.parentPath, entry.name)))
    .toSorted();
}

function refuseExistingFiles(root: string, folder: string, files: readonly string[]): void {
  if (['docs.json', 'mint.json'].some((name) => existsSync(join(root, name))))
    throw new CommandError(
      `${root} already contains a site. Preview it with docyard dev ${folder}.`,
      'conflict',
    );
  const existing = files.filter((file) => existsSync(join(root, file)));
  if (existing.length > 0)
    throw new CommandError(
      `${root} already contains ${existing.join(', ')}. Choose another folder.`,
      'conflict',
    );
}

function created(folder: string, files: readonly string[]): string {
  const lines = files.map((file) => `  ${file}`).join('\n');
  const where = folder === '.' ? '' : ` ${folder}`;
  return `Created a site in ${folder === '.' ? 'this folder' : folder}:\n\n${lines}\n\nPreview it: docyard dev${where}\n`;
}
