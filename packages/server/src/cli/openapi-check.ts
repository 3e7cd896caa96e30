/**
 * `docyard openapi-check`: what the renderer makes of one API description. It is put into a site of its own, with the other
 * descriptions of its folder beside it, and that site is checked.
 */
import { cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { checkSiteFolder } from './check.ts';
import { CommandError } from './errors.ts';

const examples = `
Examples:
  docyard openapi-check openapi.yaml
  docyard openapi-check https://api.example.com/openapi.json
`;

export function describeOpenapiCheck(command: Command): void {
  command
    .description('Say what is wrong with an API description.')
    .argument('<file>', 'file or address of the description')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', examples)
    .action(openapiCheck);
}

const findings =
  'openapi_invalid,openapi_ref_missing,openapi_remote,openapi_overlay,openapi_operation_missing,openapi_ambiguous';

async function openapiCheck(file: string, options: { json?: boolean }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'docyard-openapi-'));
  try {
    const openapi = /^https?:\/\//.test(file) ? file : await copyBeside(resolve(file), folder);
    const groups = [
      { group: 'Start', pages: ['index'] },
      { group: 'API', openapi },
    ];
    const docs = { name: 'API', navigation: { groups } };
    await writeFile(join(folder, 'docs.json'), JSON.stringify(docs));
    await writeFile(join(folder, 'index.mdx'), '---\ntitle: API\n---\n');
    const format = options.json ? 'json' : 'text';
    await checkSiteFolder(folder, { format, only: findings, failOn: 'warning', quiet: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const descriptionEndings = ['.json', '.yaml', '.yml'];
const mostCopied = 2000;

/** What a description refers to lies beside it. */
async function copyBeside(file: string, folder: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new CommandError(`${file} is no file.`, 'usage');
  let copied = 0;
  await cp(dirname(file), folder, {
    recursive: true,
    filter: async (from) => {
      const name = basename(from);
      if (from === dirname(file) || from === file) return true;
      if (name.startsWith('.') || name === 'node_modules' || copied >= mostCopied) return false;
      const isFolder = (await stat(from).catch(() => undefined))?.isDirectory() ?? false;
      const wanted = isFolder || descriptionEndings.includes(extname(name));
      copied += wanted ? 1 : 0;
      return wanted;
    },
  });
  return basename(file);
}
