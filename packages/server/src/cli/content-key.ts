/** `docyard content-key`: creates or shows the key that seals the files of a bundle that only some readers may see. */
import { readFile } from 'node:fs/promises';
import type { ContentKey } from '@docyard/bundle';
import type { Command } from 'commander';
import { addServerOptions, connect, type ServerOptions } from './connection.ts';
import { fileErrorReason } from '@docyard/site/disk';
import { CommandError } from './errors.ts';
import { addSecretOption, requireSecretOutput, showSecret, type SecretOptions } from './secret-output.ts';
import { writeNewKey } from './signing-key.ts';

export function describeContentKey(command: Command): void {
  command.description('Create or show the key that seals pages for groups in bundles.');
  command
    .command('create')
    .description('Create a key for exports without a service.')
    .requiredOption('-o, --out <file>', 'file for the key')
    .option('--json', 'print { keyId, file }')
    .addHelpText(
      'after',
      `
Example:
  docyard content-key create --out content.key
  docyard export ./docs --content-key-file content.key`,
    )
    .action(create);
  addSecretOption(addServerOptions(command.command('show')), 'content key')
    .description('Show the key of a project of a service. The service creates it on first use.')
    .argument('<project>', 'id of the project, such as pr_…')
    .addHelpText(
      'after',
      `
Example:
  docyard content-key show pr_5f0c9d1e7a3b8264 --output content.key`,
    )
    .action(show);
}

async function show(projectId: string, options: ServerOptions & SecretOptions): Promise<void> {
  requireSecretOutput(options, 'content key');
  const client = await connect(options);
  const created = await client.call('readContentKey', { params: { projectId } });
  await showSecret(options, { created, field: 'contentKey', title: `Content key ${created.keyId}` });
}

async function create({ out, json }: { out: string; json?: boolean }): Promise<void> {
  const { contentKeyText, newContentKey } = await import('@docyard/bundle');
  const key = newContentKey();
  await writeNewKey(out, contentKeyText(key), 0o600);
  if (json) {
    process.stdout.write(`${JSON.stringify({ keyId: key.keyId, file: out })}\n`);
    return;
  }
  process.stdout.write(`${key.keyId}\n`);
  process.stderr.write(
    `Created the key ${key.keyId}. Keep ${out} secret: with it, all pages of your bundles can be read.\n` +
      `Seal with it: docyard export ./docs --content-key-file ${out}\n`,
  );
}

export async function readContentKey(file: string): Promise<ContentKey> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`Cannot read the content key ${file}: ${fileErrorReason(error)}.`);
  });
  const { InvalidKeyError, parseContentKey } = await import('@docyard/bundle');
  try {
    return parseContentKey(text);
  } catch (error) {
    if (!(error instanceof InvalidKeyError)) throw error;
    throw new CommandError(`${file}: ${error.message}`, 'usage');
  }
}
