/**
 * `docyard export download`: the bundle of an export as a file. What broke off is resumed, the hash is checked, and with a
 * public key the signature too, before the file has its name.
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

export interface Downloaded {
  jobId: string;
  file: string;
  sizeBytes: number;
  sha256: string;
  /** The key that is proven to have signed; null when none was asked for. */
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
  addServerOptions(command.description('Download the bundle of an export; what broke off is resumed.'))
    .argument('[job]', 'id of the job, such as se_…')
    .option('--latest <domain>', 'the newest bundle of this domain in place of a job')
    .option('-o, --output <file>', 'where it goes, - for standard output (default: bundle.tar.gz)')
    .option('--since <job>', 'only what changed since this export (default file: delta.tar.gz)')
    .option('--verify', 'check every file, and the signature with the key that the service names')
    .option('--public-key <key...>', 'check every file and the signature: file or text of a public key')
    .option('-q, --quiet', 'show no progress')
    .addHelpText('after', examples)
    .action(download);
}

async function download(jobId: string | undefined, options: DownloadOptions): Promise<void> {
  if ((jobId === undefined) === (options.latest === undefined)) {
    throw new CommandError('Give the id of a job, or --latest with a domain.', 'usage');
  }
  if (options.output === '-' && options.json) {
    throw new CommandError('--json and --output - would both use standard output.', 'usage');
  }
  if (options.since !== undefined && (options.verify || options.publicKey !== undefined)) {
    throw new CommandError('A delta is verified when it is applied: docyard bundle apply.', 'usage');
  }
  const client = await connect(options);
  const wanted = jobId ?? (await latestOf(client, options.latest ?? ''));
  const done = await downloadTo(client, wanted, options);
  if (options.output === '-') return;
  const { file, sizeBytes, sha256, signedBy } = done;
  if (options.json) process.stdout.write(`${JSON.stringify(done, null, 2)}\n`);
  else {
    const proven = signedBy === null ? '' : `, signed by ${signedBy}`;
    process.stdout.write(`${file}, ${bytesText(sizeBytes)}, sha256 ${sha256}${proven}\n`);
  }
}

/** The newest export whose files are still there. */
export async function latestOf(client: DocyardClient, domain: string): Promise<string> {
  const query = { domain, status: 'completed' as const, limit: 20 };
  for await (const { jobId, bundle, purgedAt } of client.each('listExports', { query })) {
    if (bundle !== null && purgedAt === null) return jobId;
  }
  throw new CommandError(
    `There is no bundle of ${domain}. docyard export start ${domain} makes one.`,
    'not_found',
  );
}

export async function downloadTo(
  client: DocyardClient,
  jobId: string,
  options: DownloadOptions,
): Promise<Downloaded> {
  const usual = options.since === undefined ? 'bundle.tar.gz' : 'delta.tar.gz';
  const file = options.output ?? usual;
  if (file !== '-') return fetchTo(client, jobId, file, options);
  // Nobody may be given bytes that turn out to be the wrong ones.
  const folder = await mkdtemp(join(tmpdir(), 'docyard-download-'));
  try {
    const whole = await fetchTo(client, jobId, join(folder, 'bundle.tar.gz'), options);
    await pipeline(createReadStream(whole.file), process.stdout, { end: false });
    return whole;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchTo(
  client: DocyardClient,
  jobId: string,
  file: string,
  options: DownloadOptions,
): Promise<Downloaded> {
  const publicKeys = await keysOf(client, options);
  const { downloadBundle } = await import('@docyard/api/download');
  const progress = new Progress({ unit: 'bytes', quiet: options.quiet, json: options.json });
  const interrupted = () =>
    new CommandError('Interrupted. The same command goes on where this one ended.', 'interrupted');
  try {
    const { sizeBytes, sha256 } = await interruptible(interrupted, (signal) =>
      downloadBundle(client, jobId, file, {
        signal,
        fetch: peers(),
        ...(options.since === undefined ? {} : { since: options.since }),
        onProgress: (done, total) =>
          progress.tell({ phase: 'download', share: Math.min(1, done / Math.max(1, total)), done, total }),
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

/** A bundle that is refused does not stay where somebody could take it for a good one. */
async function verified(file: string, publicKeys: PublicKey[]): Promise<string | null> {
  const { checkBundle } = await import('@docyard/bundle');
  try {
    return (await checkBundle(createReadStream(file), { publicKeys })).signedBy;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
