/**
 * `docyard open`: opens an exported site in the browser. A bundle is verified and unpacked into a cache first.
 * Without a desktop the path is printed.
 */
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import type { PublicKey } from '@docyard/bundle';
import { makeFolder } from '@docyard/site/disk';
import { addServerOptions, connect, connectionOf, type ServerOptions } from './connection.ts';
import { showInBrowser } from './browser.ts';
import { CommandError } from './errors.ts';
import { downloadTo, latestOf } from './export-download.ts';

interface OpenOptions extends ServerOptions {
  latest?: string;
  audience?: string[];
  publicKey?: string[];
  print?: boolean;
  quiet?: boolean;
}

const examples = `
Examples:
  docyard open site.tar.gz
  docyard open se_3f9a2c1b8e7d4a06
  docyard open --latest docs.example.com --print
  docyard open se_3f9a2c1b8e7d4a06 --audience partners
`;

export function describeOpen(command: Command): void {
  addServerOptions(command.description('Open an exported site in the browser from its files.'))
    .argument('[target]', 'a bundle, an exported folder, or the id of an export (default: .)')
    .option('--latest <domain>', 'the newest bundle of this domain')
    .option('--audience <group...>', 'open a preview of the service as the members of these groups')
    .option('--public-key <key...>', 'open the bundle only if one of these keys has signed it')
    .option('--print', 'only print the path of the first page, or the URL of the preview')
    .option('-q, --quiet', 'show no progress')
    .addHelpText('after', examples)
    .action(open);
}

async function open(target: string | undefined, options: OpenOptions): Promise<void> {
  if (target !== undefined && options.latest !== undefined) {
    throw new CommandError('Pass either a target or --latest.', 'usage');
  }
  if (options.audience !== undefined) return openPreview(target, options, options.audience);
  const folder = await folderOf(target ?? '.', options);
  const page = join(folder, 'index.html');
  if (!(await isFile(page)))
    throw new CommandError(
      `${folder} contains no index.html. Pass an exported site, a bundle or a job id.`,
      'not_found',
    );
  await show({ name: page, address: pathToFileURL(page).href, facts: { folder, page } }, options);
}

/** The service has the content key that opens the pages for groups. */
async function openPreview(
  target: string | undefined,
  options: OpenOptions,
  audience: string[],
): Promise<void> {
  if (options.publicKey !== undefined)
    throw new CommandError('Pass either --audience or --public-key. The service verifies previews.', 'usage');
  if (options.latest === undefined && !isJobId(target ?? ''))
    throw new CommandError('--audience needs the id of an export, or --latest.', 'usage');
  const client = await connect(options);
  const jobId = options.latest === undefined ? (target ?? '') : await latestOf(client, options.latest);
  const preview = await client.call('createPreview', { params: { jobId }, body: { audience } });
  const { server } = await connectionOf(options);
  const previewUrl = new URL(preview.previewUrl, server).href;
  await show({ name: previewUrl, address: previewUrl, facts: { ...preview, previewUrl } }, options);
}

async function show(
  { name, address, facts }: { name: string; address: string; facts: object },
  { print, json }: OpenOptions,
): Promise<void> {
  const isShown = print !== true && !json && (await showInBrowser(address));
  if (json) process.stdout.write(`${JSON.stringify(facts)}\n`);
  else process.stdout.write(isShown ? `Opened ${name}\n` : `${name}\n`);
}

function isJobId(text: string): boolean {
  return /^se_[0-9a-z]+$/.test(text);
}

async function folderOf(target: string, options: OpenOptions): Promise<string> {
  const found = options.latest === undefined ? await stat(target).catch(() => undefined) : undefined;
  if (found?.isDirectory()) return siteFolder(resolve(target), options);
  if (found?.isFile()) return unpacked(resolve(target), options);
  if (options.latest === undefined && !isJobId(target)) {
    throw new CommandError(`${target} is not a file, a folder or a job id.`, 'not_found');
  }
  const client = await connect(options);
  const jobId = options.latest === undefined ? target : await latestOf(client, options.latest);
  const draft = await mkdtemp(join(await cacheFolder(), 'download-'));
  try {
    const { server, keyFile, quiet, json } = options;
    const downloadOptions = { server, keyFile, quiet, json, output: join(draft, 'bundle.tar.gz') };
    const { file } = await downloadTo(client, jobId, withoutUndefined(downloadOptions));
    return await unpacked(file, options);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

async function siteFolder(folder: string, options: OpenOptions): Promise<string> {
  if (options.publicKey !== undefined) {
    const { checkFolder } = await import('@docyard/bundle');
    await checkFolder(folder, { publicKeys: await keysOf(options) });
  }
  if (await isFile(join(folder, 'index.html'))) return folder;
  const isSource = (await isFile(join(folder, 'docs.json'))) || (await isFile(join(folder, 'mint.json')));
  if (!isSource) return folder;
  throw new CommandError(
    `${folder} contains the source of a site. Preview it with docyard dev ${folder}.`,
    'usage',
  );
}

async function keysOf({ publicKey = [] }: OpenOptions): Promise<PublicKey[]> {
  const { publicKeysOf } = await import('@docyard/site');
  return publicKeysOf(publicKey);
}

/** Cache folders are named by the hash of the bundle, so each bundle is unpacked once. */
async function unpacked(file: string, options: OpenOptions): Promise<string> {
  const { unpackBundle } = await import('@docyard/bundle');
  const cache = await cacheFolder();
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    const folder = join(draft, 'site');
    const publicKeys = options.publicKey === undefined ? {} : { publicKeys: await keysOf(options) };
    const { archiveSha256 } = await unpackBundle(createReadStream(file), folder, publicKeys);
    const place = join(cache, archiveSha256.slice(0, 16));
    await rm(place, { recursive: true, force: true });
    await rename(folder, place);
    const now = new Date();
    await utimes(place, now, now);
    await removeOldest(cache);
    return place;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function cacheFolder(): Promise<string> {
  const base =
    process.env['XDG_CACHE_HOME'] ||
    (process.platform === 'win32' ? process.env['LOCALAPPDATA'] : undefined) ||
    join(homedir(), '.cache');
  const folder = join(base, 'docyard', 'open');
  await makeFolder(folder, 0o700);
  return folder;
}

const maxCachedSites = 5;

async function removeOldest(cache: string): Promise<void> {
  const names = (await readdir(cache)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(cache, name))).mtimeMs })),
  );
  for (const { name } of aged.toSorted((a, b) => b.at - a.at).slice(maxCachedSites)) {
    await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
