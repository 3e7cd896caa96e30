/**
 * `docyard signing-key`: creates the key that signs bundles and shows its public key. Secret keys are written to a
 * file and never printed.
 */
import { readFile, unlink, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { addServerOptions, connect, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { fileErrorReason } from '@docyard/site/disk';

export function describeSigningKey(command: Command): void {
  command.description('Create the key that signs bundles, or show its public key.');
  command
    .command('create')
    .description('Create a key pair in minisign format. The secret key has no password.')
    .requiredOption('-o, --out <file>', 'file for the secret key; the public key is written to FILE.pub')
    .option('--json', 'print { keyId, publicKey, secretKeyFile, publicKeyFile }')
    .addHelpText(
      'after',
      `
Example:
  docyard signing-key create --out docyard.key
  SIGNING_KEY_FILE=docyard.key docyard serve`,
    )
    .action(create);
  addServerOptions(command.command('show'))
    .description('Print the public key: of a running service, of a data folder, or of a key file.')
    .argument('[file]', 'secret or public key file (default: the key of the service)')
    .option('-d, --data <folder>', 'data folder of a service, instead of a running service')
    .addHelpText(
      'after',
      `
Examples:
  docyard signing-key show --server https://docs.example.com > docyard.pub
  docyard signing-key show docyard.key`,
    )
    .action(show);
}

async function create(options: { out: string; json?: boolean }): Promise<void> {
  const { newSigningKey, publicKeyLine, publicKeyOf, publicKeyText, secretKeyText } =
    await import('@docyard/bundle');
  const key = newSigningKey();
  const publicKey = publicKeyOf(key);
  const publicKeyFile = `${options.out}.pub`;
  await writeNewKey(options.out, secretKeyText(key), 0o600);
  await writeNewKey(publicKeyFile, publicKeyText(publicKey), 0o644).catch(async (error: unknown) => {
    await unlink(options.out);
    throw error;
  });
  const created = { keyId: key.keyId, publicKey: publicKeyLine(publicKey) };
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ ...created, secretKeyFile: options.out, publicKeyFile })}\n`);
    return;
  }
  process.stdout.write(`${created.publicKey}\n`);
  process.stderr.write(
    `Created the key ${created.keyId}. Keep ${options.out} secret and distribute ${publicKeyFile} to verify bundles.\n` +
      `Sign with it: SIGNING_KEY_FILE=${options.out} docyard serve\n`,
  );
}

/** A lost key cannot be restored, so existing files are never overwritten. */
export async function writeNewKey(file: string, text: string, mode: number): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode, flush: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new CommandError(`${file} already exists. Keys are never overwritten.`, 'conflict');
    throw new CommandError(`Cannot write ${file}: ${fileErrorReason(error)}.`);
  });
}

interface ShowOptions extends ServerOptions {
  data?: string;
}

async function show(file: string | undefined, options: ShowOptions): Promise<void> {
  if (file !== undefined && options.data !== undefined)
    throw new CommandError('Pass a key file or --data, not both.', 'usage');
  const { parsePublicKey, publicKeyText } = await import('@docyard/bundle');
  const publicKey =
    file !== undefined
      ? await keyInFile(file)
      : options.data !== undefined
        ? await keyOfData(options.data)
        : (await (await connect(options)).call('readSigningKey', {})).publicKey;
  const parsed = parsePublicKey(publicKey);
  if (options.json) process.stdout.write(`${JSON.stringify({ keyId: parsed.keyId, publicKey })}\n`);
  else process.stdout.write(publicKeyText(parsed));
}

async function keyInFile(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  const { parsePublicKey, parseSecretKey, publicKeyLine, publicKeyOf } = await import('@docyard/bundle');
  // A public key line has 56 characters, a secret key line 212.
  const isPublic = (text.trimEnd().split('\n').at(-1) ?? '').length < 100;
  return publicKeyLine(isPublic ? parsePublicKey(text) : publicKeyOf(parseSecretKey(text)));
}

async function keyOfData(folder: string): Promise<string> {
  const [{ readConfig }, { findSigner }, { openTables }, { existsSync }, { join }] = await Promise.all([
    import('../config.ts'),
    import('../secrets.ts'),
    import('../compose.ts'),
    import('node:fs'),
    import('node:path'),
  ]);
  const config = readConfig({ ...process.env, DATA_DIR: folder });
  const isThere = config.databaseUrl !== null || existsSync(join(config.dataDir, 'docyard.db'));
  const database = isThere ? await openTables(config, { pending: 'leave' }) : undefined;
  const signer = await findSigner(config, database);
  await database?.destroy();
  if (signer !== undefined) return signer.publicKey;
  throw new CommandError(
    `${config.dataDir} contains no secrets. Start the service once, or pass the data folder with --data.`,
    'not_found',
  );
}
