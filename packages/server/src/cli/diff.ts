/**
 * `docyard diff`: compares the pages of two exports. Each side is an archive, an unpacked folder or a job of a
 * service; for a job only the manifest is read.
 */
import { createReadStream } from 'node:fs';
import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  archiveKind,
  BundleRefusedError,
  dayOf,
  diffSites,
  manifestName,
  type MovedPage,
  type Page,
  parseManifest,
  readEntries,
  readOpening,
  readSmall,
  type Side,
  type SiteDiff,
} from '@docyard/bundle';
import { addServerOptions, connect, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { exitTable } from './exit.ts';
import { hasColors, painter, printable, type Paint, type Style } from './terminal.ts';
import { fileErrorReason } from '@docyard/site/disk';
import { counted } from './print.ts';

interface DiffOptions extends ServerOptions {
  exitCode?: boolean;
}

export function describeDiff(command: Command): void {
  command
    .description('List pages that were added, changed, moved or removed between two exports.')
    .argument('<from>', 'older export: a bundle, an exported folder, or a job id')
    .argument('<to>', 'newer export: a bundle, an exported folder, or a job id')
    .option('--exit-code', `exit with ${exitTable.problems_found.status} if the exports differ`);
  addServerOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  docyard diff old.tar.gz new.tar.gz
  docyard diff ./site new.tar.gz --json
  docyard diff se_3f9a2c1b8e7d4a06 se_9b1d4e7f2a6c8053 --server https://docs.example.com`,
    )
    .action(diff);
}

async function diff(from: string, to: string, options: DiffOptions): Promise<void> {
  const found = await diffSites(await openSide(from, options), await openSide(to, options));
  if (options.json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  else process.stdout.write(describedDiff(found, painter(hasColors(process.stdout))));
  if (options.exitCode && !found.identical) process.exitCode = exitTable.problems_found.status;
}

const jobId = /^se_[0-9a-f]{16}$/;
/** Limit per page, for comparison and title. */
const maxMarkdownBytes = 4 * 1024 * 1024;

async function openSide(source: string, options: ServerOptions): Promise<Side> {
  const found = await stat(source).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`Cannot read ${source}: ${fileErrorReason(error)}.`);
  });
  if (found?.isDirectory()) return folderSide(source);
  if (found !== undefined) return archiveSide(source);
  if (!jobId.test(source)) {
    throw new CommandError(`${source} is not a file, a folder or a job id.`, 'not_found');
  }
  const client = await connect(options);
  return { manifest: await client.call('readManifest', { params: { jobId: source } }) };
}

async function folderSide(folder: string): Promise<Side> {
  const bytes = await readFile(join(folder, manifestName)).catch(() => {
    throw new BundleRefusedError('manifest_missing', `${folder} is not an exported site.`);
  });
  return {
    manifest: parseManifest(bytes),
    async read(paths) {
      const texts = new Map<string, Uint8Array>();
      for (const path of paths) {
        const file = join(folder, path);
        const found = await lstat(file).catch(() => undefined);
        if (found?.isFile() && found.size <= maxMarkdownBytes) texts.set(path, await readFile(file));
      }
      return texts;
    },
  };
}

async function archiveSide(file: string): Promise<Side> {
  if ((await archiveKind(file)) === 'delta') {
    throw new CommandError(
      `${file} is a delta. Create the full bundle first with docyard bundle apply.`,
      'usage',
    );
  }
  const entries = readEntries(createReadStream(file));
  const opening = await readOpening(entries);
  await entries.return(undefined);
  return {
    manifest: parseManifest(opening.manifest),
    async read(paths) {
      const texts = new Map<string, Uint8Array>();
      for await (const entry of readEntries(createReadStream(file))) {
        if (!paths.has(entry.path) || entry.sizeBytes > maxMarkdownBytes) continue;
        texts.set(entry.path, await readSmall(entry, maxMarkdownBytes));
        if (texts.size === paths.size) break;
      }
      return texts;
    },
  };
}

const maxListed = 100;
/** Longer names only shift their own title. */
const maxNameWidth = 50;

function describedDiff(found: SiteDiff, paint: Paint): string {
  const header = [`from  ${sideText(found.from)}`, `to    ${sideText(found.to)}`];
  const rest = found.identical
    ? [['No differences.']]
    : [listed(found.pages, paint), [summaryOf(found), ...otherFilesOf(found)]];
  const parts = [header, ...rest].filter((lines) => lines.length > 0);
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function sideText({ version, commit, committedAt, pages, bytes }: SiteDiff['from']): string {
  const facts = [
    version === null ? null : `version ${version}`,
    commit === null ? null : `commit ${commit.slice(0, 7)}`,
    committedAt === null ? null : dayOf(committedAt),
    counted(pages, 'page'),
    sizeText(bytes),
  ];
  return printable(facts.filter((fact) => fact !== null).join(', '));
}

const kinds: [kind: 'added' | 'changed' | 'moved' | 'removed', mark: string, style: Style][] = [
  ['added', '+', 'green'],
  ['changed', '~', 'yellow'],
  ['moved', '>', 'cyan'],
  ['removed', '-', 'red'],
];

function listed(pages: SiteDiff['pages'], paint: Paint): string[] {
  const shown = kinds.flatMap(([kind]) => pages[kind].slice(0, maxListed));
  const width = Math.min(maxNameWidth, Math.max(0, ...shown.map((page) => nameOf(page).length)));
  return kinds.flatMap(([kind, mark, style]) => {
    const lines = pages[kind].slice(0, maxListed).map((page: Page | MovedPage) => {
      const edited = 'from' in page && page.changed ? ' (and edited)' : '';
      const name = paint(style, `${mark} ${printable(nameOf(page)).padEnd(width)}`);
      return `${name}  ${printable(page.title ?? '')}${edited}`.trimEnd();
    });
    const more = pages[kind].length - lines.length;
    return more === 0 ? lines : [...lines, `${mark} … and ${more} more; --json lists all of them`];
  });
}

function nameOf(page: Page | MovedPage): string {
  return 'from' in page ? `${page.from} → ${page.path}` : page.path;
}

function summaryOf({ pages }: SiteDiff): string {
  const text = kinds
    .map(([kind]) => ({ kind, count: pages[kind].length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }, index) => `${index === 0 ? counted(count, 'page') : count} ${kind}`)
    .join(', ');
  const summary = text === '' ? 'No page text has changed.' : `${text}.`;
  const restyled = pages.restyled.length;
  if (restyled === 0) return summary;
  return `${summary} ${counted(restyled, 'more page', 'more pages')} with the same text and a changed layout.`;
}

function otherFilesOf({ files, changedBytes }: SiteDiff): string[] {
  const differing = (['added', 'changed', 'removed'] as const).filter((kind) => files[kind].length > 0);
  const text = differing.map((kind) => `${files[kind].length} ${kind}`).join(', ');
  const others = text === '' ? [] : [`Other files: ${text}.`];
  return [...others, `New and changed files: ${sizeText(changedBytes)} in total.`];
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
