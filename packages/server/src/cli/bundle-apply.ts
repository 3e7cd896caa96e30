/**
 * `docyard bundle apply`: makes the whole bundle from an older one and a delta, without a network. The result has the bytes of
 * the bundle that the service would hand out, so its published hash still fits. It appears whole or not at all.
 */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Archive } from '@docyard/bundle';
import { CommandError } from './errors.ts';
import { interruptible } from './interrupt.ts';

interface ApplyOptions {
  output: string;
  publicKey?: string[];
  version?: string;
  json?: boolean;
}

export function describeApply(command: Command): void {
  command
    .description('Make the whole bundle from an older one and a delta, to the byte.')
    .argument('<base>', 'the bundle that the delta was made from, as an archive or an unpacked folder')
    .argument('<delta>', 'the delta')
    .requiredOption('-o, --output <file>', 'where the whole bundle goes')
    .option('--public-key <key...>', 'keys, or files of keys, one of which must have signed the result')
    .option('--version <version>', 'version that the result must have')
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
  for (const path of [base, delta]) await insistOnReadable(path);
  const work = await mkdtemp(join(dirname(output), '.docyard-apply-')).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CommandError(`${options.output} cannot be written (${error.code}).`);
    },
  );
  try {
    const stopped = () => new CommandError('Interrupted. Nothing was written.', 'interrupted');
    const made = await interruptible(stopped, (signal) => expand(base, delta, work, options, signal));
    await rename(join(work, 'whole'), output);
    const answer = { file: options.output, ...made };
    if (options.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
    else process.stdout.write(`${options.output}  ${made.sizeBytes} bytes\nsha256  ${made.sha256}\n`);
    if (made.signedBy === null && !options.json)
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
    throw new CommandError(`${delta} is a whole bundle already. There is nothing to apply.`, 'usage');
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
    const { sizeBytes, sha256 } = await packTo(join(work, 'whole'), into);
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

async function insistOnReadable(path: string): Promise<void> {
  await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${path} cannot be read (${error.code}).`, 'not_found');
  });
}
