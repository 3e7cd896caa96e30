/**
 * `docyard export download`: downloads a bundle. Interrupted downloads resume; the hash, and with a public key the
 * signature, are verified before the file gets its name.
 */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DocyardClient } from '@docyard/api';
import type { Command } from 'commander';
import type { PublicKey } from '@docyard/bundle';
import { addServerOptions, connect, peers, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { interruptible } from './interrupt.ts';
import { bytesText, Progress } from './progress.ts';

interface DownloadOptions extends ServerOptions {
  latest?: string;
  output?: string;
  since?: string;
  verify?: boolean;
  publicKey?: string[];
  quiet?: boolean;
}

export interface DownloadedBundle {
  jobId: string;
  file: string;
  sizeBytes: number;
  sha256: string;
  /** The verified signing key; null when no key was given. */
  signedBy: string | null;
}

const examples = `
Examples:
  docyard export download se_3f9a2c1b8e7d4a06 --output bundle.tar.gz
  docyard export download --latest docs.example.com --public-key docs.pub
  docyard export download --latest docs.example.com --since se_3f9a2c1b8e7d4a06
  docyard export download se_3f9a2c1b8e7d4a06 --output - | tar xz -C site
`;

export function describeDownload(command: Command): void {
  addServerOptions(command.description('Download the bundle of an export. Interrupted downloads resume.'))
    .argument('[job]', 'id of the job, such as se_…')
    .option('--latest <domain>', 'the newest bundle of this domain instead of a job')
    .option('-o, --output <file>', 'output file, - for standard output (default: bundle.tar.gz)')
    .option('--since <job>', 'only the changes since this export (default file: delta.tar.gz)')
    .option('--verify', 'verify every file, and the signature with the public key of the service')
    .option('--public-key <key...>', 'verify every file and the signature with this public key or key file')
    .option('-q, --quiet', 'show no progress')
    .addHelpText('after', examples)
    .action(download);
}

async function download(jobId: string | undefined, options: DownloadOptions): Promise<void> {
  if ((jobId === undefined) === (options.latest === undefined)) {
    throw new CommandError('Pass a job id, or --latest with a domain.', 'usage');
  }
  if (options.output === '-' && options.json) {
    throw new CommandError('--json and --output - would both use standard output.', 'usage');
  }
  if (options.since !== undefined && (options.verify || options.publicKey !== undefined)) {
    throw new CommandError('A delta is verified when it is applied: docyard bundle apply.', 'usage');
  }
  const client = await connect(options);
  const id = jobId ?? (await latestOf(client, options.latest ?? ''));
  const done = await downloadTo(client, id, options);
  if (options.output === '-') return;
  const { file, sizeBytes, sha256, signedBy } = done;
  if (options.json) process.stdout.write(`${JSON.stringify(done, null, 2)}\n`);
  else {
    const proven = signedBy === null ? '' : `, signed by ${signedBy}`;
    process.stdout.write(`${file}, ${bytesText(sizeBytes)}, sha256 ${sha256}${proven}\n`);
  }
}

/** The newest export whose files still exist. */
export async function latestOf(client: DocyardClient, domain: string): Promise<string> {
  const query = { domain, status: 'completed' as const, limit: 20 };
  for await (const { jobId, bundle, purgedAt } of client.each('listExports', { query })) {
    if (bundle !== null && purgedAt === null) return jobId;
  }
  throw new CommandError(
    `No bundle of ${domain}. Create one with docyard export start ${domain}.`,
    'not_found',
  );
}

export async function downloadTo(
  client: DocyardClient,
  jobId: string,
  options: DownloadOptions,
): Promise<DownloadedBundle> {
  const usual = options.since === undefined ? 'bundle.tar.gz' : 'delta.tar.gz';
  const file = options.output ?? usual;
  if (file !== '-') return fetchTo(client, jobId, file, options);
  // The file is verified before any byte reaches standard output.
  const folder = await mkdtemp(join(tmpdir(), 'docyard-download-'));
  try {
    const bundle = await fetchTo(client, jobId, join(folder, 'bundle.tar.gz'), options);
    await pipeline(createReadStream(bundle.file), process.stdout, { end: false });
    return bundle;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchTo(
  client: DocyardClient,
  jobId: string,
  file: string,
  options: DownloadOptions,
): Promise<DownloadedBundle> {
  const publicKeys = await keysOf(client, options);
  const { downloadBundle } = await import('@docyard/api/download');
  const progress = new Progress({ unit: 'bytes', quiet: options.quiet, json: options.json });
  const interrupted = () =>
    new CommandError('Interrupted. Run the same command again to resume.', 'interrupted');
  try {
    const { sizeBytes, sha256 } = await interruptible(interrupted, (signal) =>
      downloadBundle(client, jobId, file, {
        signal,
        fetch: peers(),
        ...(options.since === undefined ? {} : { since: options.since }),
        onProgress: (done, total) =>
          progress.update({ phase: 'download', share: Math.min(1, done / Math.max(1, total)), done, total }),
      }),
    );
    const signedBy = publicKeys === undefined ? null : await verified(file, publicKeys);
    return { jobId, file, sizeBytes, sha256, signedBy };
  } finally {
    progress.end();
  }
}

async function keysOf(
  client: DocyardClient,
  { verify, publicKey }: DownloadOptions,
): Promise<PublicKey[] | undefined> {
  if (publicKey !== undefined) {
    const { publicKeysOf } = await import('@docyard/site');
    return publicKeysOf(publicKey);
  }
  if (!verify) return undefined;
  const { parsePublicKey } = await import('@docyard/bundle');
  return [parsePublicKey((await client.call('readSigningKey')).publicKey)];
}

/** A rejected bundle is removed, so that it cannot be mistaken for a valid one. */
async function verified(file: string, publicKeys: PublicKey[]): Promise<string | null> {
  const { checkBundle } = await import('@docyard/bundle');
  try {
    return (await checkBundle(createReadStream(file), { publicKeys })).signedBy;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
