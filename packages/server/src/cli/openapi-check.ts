/**
 * `docyard openapi-check`: checks one API description by rendering it in a temporary site, together with the other
 * descriptions of its folder.
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
    .description('Report problems in an API description.')
    .argument('<file>', 'file or URL of the description')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', examples)
    .action(openapiCheck);
}

const findings =
  'openapi_invalid,openapi_ref_missing,openapi_remote,openapi_overlay,openapi_operation_missing,openapi_ambiguous';

async function openapiCheck(file: string, options: { json?: boolean }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'docyard-openapi-'));
  try {
    const openapi = /^https?:\/\//.test(file) ? file : await copySiblings(resolve(file), folder);
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
const maxCopied = 2000;

/** A description may refer to files next to it. */
async function copySiblings(file: string, folder: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new CommandError(`${file} is not a file.`, 'usage');
  let copied = 0;
  await cp(dirname(file), folder, {
    recursive: true,
    filter: async (from) => {
      const name = basename(from);
      if (from === dirname(file) || from === file) return true;
      if (name.startsWith('.') || name === 'node_modules' || copied >= maxCopied) return false;
      const isFolder = (await stat(from).catch(() => undefined))?.isDirectory() ?? false;
      const isCopied = isFolder || descriptionEndings.includes(extname(name));
      copied += isCopied ? 1 : 0;
      return isCopied;
    },
  });
  return basename(file);
}
