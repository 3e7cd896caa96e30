/**
 * `docyard diff`: what is different between two exports, in pages. Each side is an archive, an unpacked folder or a job of a
 * service; of a job only the manifest is read.
 */
import { createReadStream } from 'node:fs';
import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  archiveKind,
  BundleRefused,
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

interface DiffOptions extends ServerOptions {
  exitCode?: boolean;
}

export function describeDiff(command: Command): void {
  command
    .description('Tell which pages are new, changed, moved or gone between two exports.')
    .argument('<from>', 'the older one: a bundle, an exported folder, or the id of a job')
    .argument('<to>', 'the newer one, likewise')
    .option('--exit-code', `end with ${exitTable.problems_found.status} when there is a difference`);
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

/* Where the two come from */

const jobId = /^se_[0-9a-f]{16}$/;
/** Of a page, to be compared and for its title. */
const mostMarkdownBytes = 4 * 1024 * 1024;

async function openSide(source: string, options: ServerOptions): Promise<Side> {
  const found = await stat(source).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`${source} cannot be read (${error.code}).`);
  });
  if (found?.isDirectory()) return folderSide(source);
  if (found !== undefined) return archiveSide(source);
  if (!jobId.test(source)) {
    throw new CommandError(
      `There is no file or folder ${source}, and it is not the id of a job.`,
      'not_found',
    );
  }
  const client = await connect(options);
  return { manifest: await client.call('readManifest', { params: { jobId: source } }) };
}

async function folderSide(folder: string): Promise<Side> {
  const bytes = await readFile(join(folder, manifestName)).catch(() => {
    throw new BundleRefused('manifest_missing', `${folder} is not an exported site.`);
  });
  return {
    manifest: parseManifest(bytes),
    async read(paths) {
      const texts = new Map<string, Uint8Array>();
      for (const path of paths) {
        const file = join(folder, path);
        const found = await lstat(file).catch(() => undefined);
        if (found?.isFile() && found.size <= mostMarkdownBytes) texts.set(path, await readFile(file));
      }
      return texts;
    },
  };
}

async function archiveSide(file: string): Promise<Side> {
  if ((await archiveKind(file)) === 'delta') {
    throw new CommandError(
      `${file} is a delta. Make the whole bundle of it first, with docyard bundle apply.`,
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
        if (!paths.has(entry.path) || entry.sizeBytes > mostMarkdownBytes) continue;
        texts.set(entry.path, await readSmall(entry, mostMarkdownBytes));
        if (texts.size === paths.size) break;
      }
      return texts;
    },
  };
}

/* What is said */

const mostListed = 100;
/** A longer name pushes its own title to the right, not all of them. */
const widestName = 50;

function describedDiff(found: SiteDiff, paint: Paint): string {
  const header = [`from  ${sideText(found.from)}`, `to    ${sideText(found.to)}`];
  const rest = found.identical
    ? [['Nothing is different.']]
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
  const shown = kinds.flatMap(([kind]) => pages[kind].slice(0, mostListed));
  const width = Math.min(widestName, Math.max(0, ...shown.map((page) => nameOf(page).length)));
  return kinds.flatMap(([kind, mark, style]) => {
    const lines = pages[kind].slice(0, mostListed).map((page: Page | MovedPage) => {
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
  const said = text === '' ? 'No page says anything else than before.' : `${text}.`;
  const restyled = pages.restyled.length;
  if (restyled === 0) return said;
  return `${said} ${counted(restyled, 'more page', 'more pages')} with the same text and something else around it.`;
}

function otherFilesOf({ files, changedBytes }: SiteDiff): string[] {
  const differing = (['added', 'changed', 'removed'] as const).filter((kind) => files[kind].length > 0);
  const text = differing.map((kind) => `${files[kind].length} ${kind}`).join(', ');
  const others = text === '' ? [] : [`Other files: ${text}.`];
  return [...others, `New and changed files together have ${sizeText(changedBytes)}.`];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
