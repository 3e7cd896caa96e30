/**
 * `docyard bundle apply`: creates the full bundle from an older one and a delta, offline. The result is
 * byte-identical to the bundle of the service, so its published hash matches. It is written atomically.
 */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Archive } from '@docyard/bundle';
import { CommandError } from './errors.ts';
import { interruptible } from './interrupt.ts';
import { fileErrorReason } from '@docyard/site/disk';

interface ApplyOptions {
  output: string;
  publicKey?: string[];
  version?: string;
  json?: boolean;
}

export function describeApply(command: Command): void {
  command
    .description('Create the full bundle from an older bundle and a delta.')
    .argument('<base>', 'the base bundle of the delta, as an archive or an unpacked folder')
    .argument('<delta>', 'the delta')
    .requiredOption('-o, --output <file>', 'output file')
    .option('--public-key <key...>', 'public keys or key files; one of them must have signed the result')
    .option('--version <version>', 'required version of the result')
    .option('--json', 'print { file, sizeBytes, sha256, version, commit, manifestSha256, signedBy }')
    .addHelpText(
      'after',
      `
Examples:
  docyard bundle apply bundle-2.0.tar.gz delta.tar.gz -o bundle-2.1.tar.gz
  docyard bundle apply ./site delta.tar.gz -o bundle.tar.gz --public-key docyard.pub`,
    )
    .action(apply);
}

async function apply(base: string, delta: string, options: ApplyOptions): Promise<void> {
  const output = resolve(options.output);
  for (const path of [base, delta]) await stat(path);
  const work = await mkdtemp(join(dirname(output), '.docyard-apply-')).catch((error: unknown) => {
    throw new CommandError(`Cannot write ${options.output}: ${fileErrorReason(error)}.`);
  });
  try {
    const stopped = () => new CommandError('Interrupted. Nothing was written.', 'interrupted');
    const result = await interruptible(stopped, (signal) => expand(base, delta, work, options, signal));
    await rename(join(work, 'full'), output);
    const answer = { file: options.output, ...result };
    if (options.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
    else process.stdout.write(`${options.output}  ${result.sizeBytes} bytes\nsha256  ${result.sha256}\n`);
    if (result.signedBy === null && !options.json)
      process.stderr.write('docyard: the signature was not verified; pass --public-key.\n');
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function expand(base: string, delta: string, work: string, options: ApplyOptions, signal: AbortSignal) {
  const [{ Archive, archiveKind, expandDelta, unpackBundle }, { publicKeysOf }] = await Promise.all([
    import('@docyard/bundle'),
    import('@docyard/site'),
  ]);
  if ((await archiveKind(delta)) === 'bundle')
    throw new CommandError(`${delta} is a full bundle, not a delta. There is nothing to apply.`, 'usage');
  const expectations = {
    ...(options.publicKey === undefined ? {} : { publicKeys: publicKeysOf(options.publicKey) }),
    ...(options.version === undefined ? {} : { version: options.version }),
  };
  const isFolder = (await stat(base)).isDirectory();
  const baseFolder = isFolder ? base : join(work, 'base');
  if (!isFolder) await unpackBundle(createReadStream(base, { signal }), baseFolder);
  const into = new Archive(join(work, 'spool'));
  try {
    const checked = await expandDelta(
      createReadStream(delta, { signal }),
      { baseFolder, into },
      expectations,
    );
    const { sizeBytes, sha256 } = await packTo(join(work, 'full'), into);
    signal.throwIfAborted();
    const { version, commit } = checked.manifest;
    const { manifestSha256, signedBy } = checked;
    return { sizeBytes, sha256, version, commit, manifestSha256, signedBy };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    into.close();
  }
}

async function packTo(file: string, archive: Archive): Promise<{ sizeBytes: number; sha256: string }> {
  const output = openSync(file, 'wx');
  const hash = createHash('sha256');
  try {
    const { sizeBytes } = await archive.pack(output, { hash });
    return { sizeBytes, sha256: hash.digest('hex') };
  } finally {
    closeSync(output);
  }
}
