/**
 * `docyard build`: renders a folder without a server. The output folder is replaced only when everything is there.
 */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createHash, hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { OutputFile, RenderOptions, Site, SiteReport } from '@docyard/render';
import type { Command } from 'commander';
import { manifestBytes, pageTitle } from '@docyard/bundle';
import { annotate } from './annotations.ts';
import { BuildMemory, type BuiltFile } from './build-memory.ts';
import { mostRememberedPages } from '../exports/memory-file.ts';
import { fileErrorReason, makeFolder } from '@docyard/site/disk';
import { CommandError } from './errors.ts';
import { exitTable } from './exit.ts';
import {
  addFailOptions,
  failOnOf,
  findingsText,
  loadOrExplain,
  summaryText,
  withoutNotes,
  type FailOptions,
} from './findings.ts';
import { Progress } from './progress.ts';
import { remoteFetch } from './remote.ts';
import { addSiteOptions, renderOptionsOf, type SiteOptions } from './site-options.ts';
import { hasColors } from './terminal.ts';

interface BuildOptions extends FailOptions, SiteOptions {
  out: string;
  json?: boolean;
  quiet?: boolean;
  force?: boolean;
}

interface Summary {
  pages: number;
  warnings: number;
  errors: number;
  files: number;
  bytes: number;
  seconds: number;
}

const examples = `
Examples:
  docyard build docs --out site
  docyard build docs --out public --url-style clean --origin https://docs.example.com --strict
`;

export function describeBuild(command: Command): void {
  addFailOptions(command, 'nothing')
    .description('Render a documentation folder into static files, without a server.')
    .argument('[folder]', 'folder that holds docs.json', '.')
    .requiredOption('-o, --out <folder>', 'where the files go')
    .option('--json', 'print { pages, warnings, errors, files, bytes, seconds } and nothing else')
    .option('-q, --quiet', 'show no progress')
    .option('--force', 'replace an output folder that was not made by this command');
  addSiteOptions(command).addHelpText('after', examples).action(build);
}

async function build(folder: string, options: BuildOptions): Promise<void> {
  const started = performance.now();
  const out = resolve(options.out);
  const failOn = await failOnOf(options, []);
  await refuseForeignFolder(out, options.force === true);
  const { countingFindings, prepareRenderProcesses } = await import('@docyard/render');
  prepareRenderProcesses(availableParallelism());
  const root = resolve(folder);
  const memory = options.fresh ? undefined : await BuildMemory.open(root, out, join(out, marker));
  const fetchRemote = remoteFetch(options);
  const site = await loadOrExplain({
    root,
    fetchRemote,
    ...(memory && { memory: memory.options.memory.load }),
  });
  const draft = `${out}.docyard-draft`;
  const chosen = renderOptionsOf(options);
  const remembered = site.pages.length > mostRememberedPages ? undefined : memory;
  const { report, ...counts } = await renderInto(site, chosen, draft, {
    shown: options,
    out,
    memory: remembered,
  }).catch(async (error: unknown) => {
    // What nobody expected may come from what was remembered.
    if ((error as NodeJS.ErrnoException).code === undefined) await memory?.discard();
    throw error;
  });
  await memory?.close();
  const summary: Summary = {
    pages: counts.pages,
    warnings: report.warnings,
    errors: report.errors,
    files: counts.files,
    bytes: counts.bytes,
    seconds: Math.round(performance.now() - started) / 1000,
  };
  annotate(report.diagnostics, site.root);
  if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else process.stdout.write(described(summary, report, site.root, out));
  if (countingFindings(report.diagnostics, failOn).length > 0)
    process.exitCode = exitTable.problems_found.status;
}

const marker = '.docyard-build';

/** Made under the folder's own name with an ending, so that the folder itself is as it was until everything is there. */
async function renderInto(
  site: Site,
  options: RenderOptions,
  draft: string,
  {
    shown,
    out,
    memory,
  }: { shown: Pick<BuildOptions, 'json' | 'quiet'>; out: string; memory: BuildMemory | undefined },
) {
  const { engineVersion, renderSite } = await import('@docyard/render');
  try {
    await rm(draft, { recursive: true, force: true });
    await makeFolder(draft);
  } catch (error) {
    throw cannotUse(out, error);
  }
  const made = { pages: 0, bytes: 0 };
  const files: BuiltFile[] = [];
  const folders = new Set<string>();
  const total = site.pages.length;
  const progress = new Progress({ unit: 'pages', ...shown });
  let report: SiteReport | undefined;
  for await (const event of renderSite(site, { ...options, ...memory?.options })) {
    if (event.type === 'report') report = event.report;
    if (event.type !== 'file' && event.type !== 'old') continue;
    const { kind } = event.type === 'file' ? event.file : event;
    const known = files.length;
    if (event.type === 'old') for (const path of event.paths) files.push(memory?.keep(path) as BuiltFile);
    else {
      const { path } = event.file;
      const file = join(draft, path);
      if (!folders.has(dirname(file))) {
        folders.add(dirname(file));
        await mkdir(dirname(file), { recursive: true });
      }
      files.push({ path, ...(await write(file, event.file)) });
    }
    for (const { sizeBytes } of files.slice(known)) made.bytes += sizeBytes;
    if (kind === 'page') made.pages += files.length - known;
    progress.tell({
      phase: 'rendering',
      share: Math.min(1, made.pages / Math.max(1, total)),
      done: made.pages,
      total,
    });
  }
  progress.end();
  if (report === undefined) throw new Error('the renderer ended without a report');
  const source = { version: null, commit: null, committedAt: null };
  const listed = files.map(({ path, sizeBytes, sha256, title }) => ({ path, sizeBytes, sha256, title }));
  const manifest = manifestBytes({ engineVersion, ...source, pages: made.pages, files: listed });
  await writeFile(join(draft, 'manifest.json'), manifest);
  await moveIn(draft, out, { memory, files });
  return { ...made, files: files.length + 1, bytes: made.bytes + manifest.length, report };
}

/**
 * The whole folder takes the place of the old one. Where most files stay as they are, the others are moved into it one by
 * one; until the last one is there the folder has no name in the memory, and the next build writes all of it.
 */
async function moveIn(
  draft: string,
  out: string,
  { memory, files }: { memory: BuildMemory | undefined; files: readonly BuiltFile[] },
): Promise<void> {
  const mark = (token = ''): Promise<void> =>
    writeFile(join(out, marker), `Made by docyard build; it may be replaced.\n${token}`);
  if (memory?.isEdit) {
    await mark();
    memory.moveChanges(draft, files);
    await rm(draft, { recursive: true, force: true });
  } else {
    await rm(out, { recursive: true, force: true });
    await rename(draft, out);
  }
  await mark(memory?.finish(files));
}

async function write(file: string, { path, content }: OutputFile): Promise<Omit<BuiltFile, 'path'>> {
  if ('pieces' in content) return writePieces(file, content.pieces);
  const bytes = content instanceof Uint8Array ? content : await readFile(content.copyFrom);
  /** Waiting for another thread costs more than writing: 0.1 s of a processor for 2,500 files. */
  writeFileSync(file, bytes);
  return { sizeBytes: bytes.length, sha256: hash('sha256', bytes), title: pageTitle(path, bytes) };
}

function writePieces(file: string, pieces: Iterable<Uint8Array>): Omit<BuiltFile, 'path'> {
  const handle = openSync(file, 'w');
  const hashing = createHash('sha256');
  let sizeBytes = 0;
  try {
    for (const piece of pieces) {
      // Writes all of it, wherever the last one has ended.
      writeFileSync(handle, piece);
      hashing.update(piece);
      sizeBytes += piece.length;
    }
  } finally {
    closeSync(handle);
  }
  return { sizeBytes, sha256: hashing.digest('hex') };
}

function cannotUse(out: string, error: unknown): CommandError {
  return new CommandError(`Cannot write to ${out}: ${fileErrorReason(error)}. Choose another --out.`);
}

/** A slip such as `--out ~` must not cost a home folder. */
async function refuseForeignFolder(out: string, force: boolean): Promise<void> {
  const entries = await readdir(out).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] as string[];
    throw cannotUse(out, error);
  });
  if (entries.length > 0 && !entries.includes(marker) && !force) {
    throw new CommandError(
      `The folder ${out} holds other files. Choose another --out, or add --force to replace it.`,
    );
  }
}

const mostShown = 20;

function described(summary: Summary, report: SiteReport, root: string, out: string): string {
  const colors = hasColors(process.stdout);
  const megabytes = (summary.bytes / 1e6).toFixed(1);
  return (
    findingsText(withoutNotes(report), { root, colors, mostShown, more: join(out, 'report.html') }) +
    `${summary.pages} pages, ${summary.files} files, ${megabytes} MB in ${summary.seconds.toFixed(2)} s.\n` +
    `${summaryText(report, colors)}Open ${join(out, 'index.html')}\n`
  );
}
