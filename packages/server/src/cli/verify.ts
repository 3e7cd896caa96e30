/** `docyard verify`: verifies a bundle, an unpacked site or a delta, offline. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import type { CheckedBundle, CheckedFolder, Expectations } from '@docyard/bundle';
import { CommandError } from './errors.ts';
import { hasColors, painter, printable } from './terminal.ts';

interface VerifyOptions {
  publicKey?: string[];
  version?: string;
  sha256?: string;
  base?: string;
  json?: boolean;
}

/** In the order of the output. */
interface Verdict {
  ok: true;
  kind: 'bundle' | 'folder' | 'delta';
  version: string | null;
  commit: string | null;
  committedAt: string | null;
  pages: number | null;
  files: number;
  contentBytes: number | null;
  archiveBytes: number | null;
  sha256: string | null;
  manifestSha256: string;
  /** Verified with a given key. */
  signedBy: string | null;
  /** Named by the signature, verified or not. */
  claimedKey: string | null;
  /** For a delta: the hash of the manifest it applies to. */
  base: string | null;
}

export function describeVerify(command: Command): void {
  command
    .description(
      'Verify the hashes, signature and version of a bundle, an unpacked site or a delta. Works offline.',
    )
    .argument('<path>', 'bundle.tar.gz, a delta, or the folder of an unpacked site')
    .option('--public-key <key...>', 'required signing key: a .pub file or its key line')
    .option('--version <version>', 'required version')
    .option('--sha256 <hash>', 'required hash of the file')
    .option('--base <folder>', 'unpacked base site of a delta')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  docyard verify bundle.tar.gz --public-key docyard.pub --version 2.1
  docyard verify ./site --json

The exit status is 0 if everything matches, and 7 otherwise. The message names
the reason.`,
    )
    .action(verify);
}

async function verify(path: string, options: VerifyOptions): Promise<void> {
  const expectations = await expectationsOf(options);
  const found = await stat(path);
  if (found.isDirectory() && options.sha256 !== undefined)
    throw new CommandError('--sha256 works with archives only, not with folders.', 'usage');
  const verdict = found.isDirectory()
    ? await verifyFolder(path, expectations)
    : await verifyFile(path, expectations, options);
  if (options.json) process.stdout.write(`${JSON.stringify(verdict)}\n`);
  else process.stdout.write(await described(path, verdict));
}

async function expectationsOf({ publicKey, version, sha256 }: VerifyOptions): Promise<Expectations> {
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new CommandError('--sha256 must be 64 hexadecimal digits.', 'usage');
  const { publicKeysOf } = await import('@docyard/site');
  return {
    ...(publicKey === undefined ? {} : { publicKeys: publicKeysOf(publicKey) }),
    ...(version === undefined ? {} : { version }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}

async function verifyFolder(folder: string, expectations: Expectations): Promise<Verdict> {
  const { checkFolder } = await import('@docyard/bundle');
  return verdictOf('folder', await checkFolder(folder, expectations));
}

async function verifyFile(
  file: string,
  expectations: Expectations,
  options: VerifyOptions,
): Promise<Verdict> {
  const { archiveKind } = await import('@docyard/bundle');
  if ((await archiveKind(file)) === 'delta') return verifyDelta(file, expectations, options);
  const { checkBundle } = await import('@docyard/bundle');
  return verdictOf('bundle', await checkBundle(createReadStream(file), expectations));
}

/** A delta contains the new manifest as a patch, so its content and signature can only be verified with the base. */
async function verifyDelta(
  file: string,
  expectations: Expectations,
  { base }: VerifyOptions,
): Promise<Verdict> {
  const { checkDelta, describeDelta } = await import('@docyard/bundle');
  const { description, archiveBytes, archiveSha256 } = await describeDelta(
    createReadStream(file),
    expectations,
  );
  const needs = description.base.manifestSha256;
  if (base !== undefined)
    return {
      ...verdictOf('delta', await checkDelta(createReadStream(file), base, expectations)),
      base: needs,
    };
  if (expectations.publicKeys !== undefined || expectations.version !== undefined)
    throw new CommandError(
      'Verifying the signature and version of a delta needs its base site. Pass it with --base.',
      'usage',
    );
  return {
    ok: true,
    kind: 'delta',
    version: description.target.version,
    commit: description.target.commit,
    committedAt: null,
    pages: null,
    files: description.files.length,
    contentBytes: null,
    archiveBytes,
    sha256: archiveSha256,
    manifestSha256: description.target.manifestSha256,
    signedBy: null,
    claimedKey: null,
    base: needs,
  };
}

function verdictOf(kind: Verdict['kind'], checked: CheckedFolder & Partial<CheckedBundle>): Verdict {
  const { version, commit, committedAt, pages, files } = checked.manifest;
  return {
    ok: true,
    kind,
    version,
    commit,
    committedAt,
    pages,
    files: files.length + metadataFiles(checked),
    contentBytes: checked.contentBytes,
    archiveBytes: checked.archiveBytes ?? null,
    sha256: checked.archiveSha256 ?? null,
    manifestSha256: checked.manifestSha256,
    signedBy: checked.signedBy,
    claimedKey: checked.claimedKey,
    base: null,
  };
}

/** The manifest and its signature, which an export counts as files and the manifest does not list. */
function metadataFiles({ claimedKey }: CheckedFolder): number {
  return claimedKey === null ? 1 : 2;
}

async function described(path: string, verdict: Verdict): Promise<string> {
  const { contentDate } = await import('@docyard/bundle');
  const paint = painter(hasColors(process.stdout));
  const isProven = verdict.kind !== 'delta' || verdict.pages !== null;
  const facts: [string, string | null][] = [
    ['Version', verdict.version ?? 'none'],
    ['Content', isProven ? contentDate(verdict, new Date()).replace(/^content of /, '') : null],
    ['Commit', verdict.commit ?? 'none'],
    ['Pages', verdict.pages === null ? null : count(verdict.pages)],
    ['Files', filesText(verdict)],
    ['SHA-256', verdict.sha256],
    ['Needs', verdict.base === null ? null : `the bundle whose manifest is ${verdict.base}`],
    ['Signature', isProven ? signatureText(verdict) : 'not verified: pass --base'],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null ? [] : [`  ${paint('dim', name.padEnd(10))} ${printable(value)}`],
  );
  return `${paint('green', printable(path))} ${verdictText(verdict, isProven)}\n\n${lines.join('\n')}\n`;
}

/** Without a verified signature the bundle may have been replaced, hashes included. */
function verdictText({ kind, signedBy }: Verdict, isProven: boolean): string {
  if (!isProven) return 'is an intact delta; signature not verified.';
  const what = kind === 'delta' ? 'is an intact delta' : 'is intact';
  return signedBy === null ? `${what}; signature not verified.` : `${what} and signed by ${signedBy}.`;
}

function filesText({ kind, files, contentBytes, archiveBytes, pages }: Verdict): string {
  const packed = archiveBytes === null ? '' : `, ${megabytes(archiveBytes)} as an archive`;
  if (kind === 'delta' && pages === null) return `${count(files)} changed${packed}`;
  return `${count(files)}, ${megabytes(contentBytes ?? 0)}${packed}`;
}

function signatureText({ signedBy, claimedKey }: Verdict): string {
  if (signedBy !== null) return `${signedBy}, verified`;
  if (claimedKey !== null) return `${claimedKey}, not verified: pass --public-key`;
  return 'unsigned';
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function megabytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
