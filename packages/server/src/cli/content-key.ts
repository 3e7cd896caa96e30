/** `docyard content-key`: creates or shows the key that seals the files of a bundle that only some readers may see. */
import { readFile } from 'node:fs/promises';
import type { ContentKey } from '@docyard/bundle';
import type { Command } from 'commander';
import { fileErrorReason } from '@docyard/site/disk';
import { CommandError } from './errors.ts';
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
