/**
 * `docyard verify`: is a bundle, an unpacked site or a delta intact, and who signed it? Works without a network and writes
 * nothing.
 */
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

/** What is told, in the order of the output. */
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
  /** Proven with a given key. */
  signedBy: string | null;
  /** Named by the signature, proven or not. */
  claimedKey: string | null;
  /** Of a delta: the manifest that it needs. */
  base: string | null;
}

export function describeVerify(command: Command): void {
  command
    .description(
      'Check a bundle, an unpacked site or a delta: every hash, the signature, the version. Offline.',
    )
    .argument('<path>', 'bundle.tar.gz, a delta, or the folder of an unpacked site')
    .option('--public-key <key...>', 'key that must have signed it: a .pub file or the line in it')
    .option('--version <version>', 'version that it must have')
    .option('--sha256 <hash>', 'hash that the file must have')
    .option('--base <folder>', 'unpacked site that a delta was made from')
    .option('--json', 'print what was found as JSON')
    .addHelpText(
      'after',
      `
Examples:
  docyard verify bundle.tar.gz --public-key docyard.pub --version 2.1
  docyard verify ./site --json

Ends with 0 when everything fits, and with 7 and the name of the reason when it
does not.`,
    )
    .action(verify);
}

async function verify(path: string, options: VerifyOptions): Promise<void> {
  const expectations = await expectationsOf(options);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${path} cannot be read (${error.code}).`, 'not_found');
  });
  if (found.isDirectory() && options.sha256 !== undefined)
    throw new CommandError('A folder has no hash of its own: --sha256 is for archives.', 'usage');
  const verdict = found.isDirectory()
    ? await verifyFolder(path, expectations)
    : await verifyFile(path, expectations, options);
  if (options.json) process.stdout.write(`${JSON.stringify(verdict)}\n`);
  else process.stdout.write(await described(path, verdict));
}

async function expectationsOf({ publicKey, version, sha256 }: VerifyOptions): Promise<Expectations> {
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new CommandError('--sha256 takes 64 hexadecimal digits.', 'usage');
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

/** A delta holds the new manifest as a patch: only with the base can be said what it leads to, and who signed that. */
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
      'Signature and version of a delta are those of what it leads to: name the site that it was made from with --base.',
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
    files: files.length + ownFiles(checked),
    contentBytes: checked.contentBytes,
    archiveBytes: checked.archiveBytes ?? null,
    sha256: checked.archiveSha256 ?? null,
    manifestSha256: checked.manifestSha256,
    signedBy: checked.signedBy,
    claimedKey: checked.claimedKey,
    base: null,
  };
}

/** The manifest and its signature, which the manifest does not list; an export counts them as files of the bundle. */
function ownFiles({ claimedKey }: CheckedFolder): number {
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
    ['Signature', isProven ? signatureText(verdict) : 'not verified: that needs --base'],
  ];
  const lines = facts.flatMap(([name, value]) =>
    value === null ? [] : [`  ${paint('dim', name.padEnd(10))} ${printable(value)}`],
  );
  return `${paint('green', printable(path))} ${verdictText(verdict, isProven)}\n\n${lines.join('\n')}\n`;
}

/** Without a checked signature an attacker may have rebuilt the whole bundle, hashes included. */
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
