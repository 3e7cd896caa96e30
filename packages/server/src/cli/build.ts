/** `docyard build`: renders a folder without a service. The output folder is replaced only after a complete build. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createHash, hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import type {
  CacheDecision,
  FileContent,
  OutputFile,
  RenderOptions,
  Site,
  SiteReport,
} from '@docyard/render';
import type { Command } from 'commander';
import { type ArchivedFile, manifestBytes, pageTitle } from '@docyard/bundle';
import { annotate } from './annotations.ts';
import { CacheFile, maxCachedPages } from '../build-cache/cache-file.ts';
import type { CacheFolder } from '../build-cache/cache-folder.ts';
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
import { openLocalCache } from './local-cache.ts';
import { PreviousBuild } from './previous-build.ts';
import { Progress } from './progress.ts';
import { remoteFetch } from './remote.ts';
import { addSiteOptions, refuseInvalidOptions, renderOptionsOf, type SiteOptions } from './site-options.ts';
import { readSourceFacts } from './source-facts.ts';
import { hasColors } from './terminal.ts';
import { counted } from './print.ts';

interface BuildOptions extends FailOptions, SiteOptions {
  out: string;
  json?: boolean;
  quiet?: boolean;
  verbose?: boolean;
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
  docyard build docs
  docyard build docs --out public --url-style clean --origin https://docs.example.com --strict
`;

export function describeBuild(command: Command): void {
  addFailOptions(command, 'nothing')
    .description('Render a documentation folder into static files, without a server.')
    .argument('[folder]', 'folder with docs.json', '.')
    .option('-o, --out <folder>', 'output folder', 'dist')
    .option('--json', 'print only { pages, warnings, errors, files, bytes, seconds }')
    .option('-q, --quiet', 'show no progress')
    .option('--verbose', 'print why each page was reused or rendered')
    .option('--force', 'replace an output folder that this command did not create');
  addSiteOptions(command).addHelpText('after', examples).action(build);
}

async function build(folder: string, options: BuildOptions): Promise<void> {
  const started = performance.now();
  const out = resolve(options.out);
  const root = resolve(folder);
  refuseInvalidOptions(options);
  refuseSourceFolder(root, out);
  const failOn = await failOnOf(options, []);
  await refuseForeignFolder(out, options.force === true);
  const { countingFindings } = await import('@docyard/render/report');
  const site = await loadOrExplain({
    root,
    fetchRemote: remoteFetch(options),
    renderProcesses: availableParallelism(),
  });
  const { needsSourceFacts } = await import('@docyard/render');
  const sourceFacts = needsSourceFacts(site) ? await readSourceFacts(root) : undefined;
  const draft = `${out}.docyard-draft`;
  const isCached = !options.fresh && site.pages.length <= maxCachedPages;
  const { report, ...counts } = await withCache(isCached ? [root, out] : undefined, (cached) =>
    renderInto(
      site,
      {
        ...renderOptionsOf(options),
        ...cached,
        sourceFacts,
        ...(options.verbose && { onCacheDecision: explainPage }),
      },
      draft,
      { shown: options, out },
    ),
  );
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

function explainPage({ output, isReused, reason }: CacheDecision): void {
  process.stderr.write(`${output}: ${isReused ? 'reused' : 'rendered'}, ${reason}\n`);
}

const marker = '.docyard-build';

/** `key` separates caches; undefined builds without one. */
async function withCache<Result>(
  key: unknown,
  build: (options: Pick<RenderOptions, 'cache' | 'engine'>) => Promise<Result>,
): Promise<Result> {
  const folder = key === undefined ? undefined : await openLocalCache('builds', key);
  if (folder === undefined) return build({});
  const handles = [openSync(folder.young, 'r+'), openSync(folder.old, 'r')] as const;
  try {
    return await buildWith(folder, new CacheFile(...handles), build);
  } catch (error) {
    // An unexpected failure may come from a corrupt cache, so discard it.
    if ((error as NodeJS.ErrnoException).code === undefined) await folder.discard();
    const { DamagedCacheError } = await import('@docyard/render');
    if (!(error instanceof DamagedCacheError)) throw error;
  } finally {
    for (const handle of handles) closeSync(handle);
    folder.release();
  }
  return build({});
}

async function buildWith<Result>(
  folder: CacheFolder,
  cache: CacheFile,
  build: (options: Pick<RenderOptions, 'cache' | 'engine'>) => Promise<Result>,
): Promise<Result> {
  const result = await build({ cache, engine: await folder.engine() });
  cache.writeIndex();
  await folder.completed(cache.usedBytes);
  return result;
}

/** Rendered into a draft folder next to the output, which replaces it at the end. */
async function renderInto(
  site: Site,
  options: RenderOptions,
  draft: string,
  { shown, out }: { shown: Pick<BuildOptions, 'json' | 'quiet'>; out: string },
) {
  const { engineVersion, renderSite } = await import('@docyard/render');
  try {
    await rm(draft, { recursive: true, force: true });
    await makeFolder(draft);
  } catch (error) {
    throw cannotUse(out, error);
  }
  const previous = options.cache && new PreviousBuild(out);
  const rendered = { pages: 0, bytes: 0 };
  const files: ArchivedFile[] = [];
  const folders = new Set<string>();
  let total = 0;
  const progress = new Progress({ unit: 'pages', ...shown });
  let report: SiteReport | undefined;
  for await (const event of renderSite(site, options)) {
    if (event.type === 'planned') total = event.pages;
    if (event.type === 'report') report = event.report;
    if (event.type !== 'file') continue;
    const { path, kind } = event.file;
    const file = join(draft, path);
    if (!folders.has(dirname(file))) {
      folders.add(dirname(file));
      await mkdir(dirname(file), { recursive: true });
    }
    const written = await write(file, event.file, previous);
    files.push({ path, ...written });
    rendered.bytes += written.sizeBytes;
    if (kind === 'page') rendered.pages += 1;
    progress.update({
      phase: 'rendering',
      share: Math.min(1, rendered.pages / Math.max(1, total)),
      done: rendered.pages,
      total,
    });
  }
  progress.end();
  if (report === undefined) throw new Error('the renderer ended without a report');
  const source = { version: null, commit: null, committedAt: null };
  const manifest = manifestBytes({ engineVersion, ...source, pages: rendered.pages, files });
  await writeFile(join(draft, 'manifest.json'), manifest);
  await writeFile(join(draft, marker), 'Created by docyard build; it may be replaced.\n');
  await rm(out, { recursive: true, force: true });
  await rename(draft, out);
  return { ...rendered, files: files.length + 1, bytes: rendered.bytes + manifest.length, report };
}

async function write(
  file: string,
  { path, content }: OutputFile,
  previous: PreviousBuild | undefined,
): Promise<Omit<ArchivedFile, 'path'>> {
  if ('pieces' in content) return writePieces(file, content.pieces);
  if ('copyFrom' in content) {
    const bytes = await readFile(content.copyFrom);
    const copied = { sizeBytes: bytes.length, sha256: hash('sha256', bytes), read: () => bytes };
    return writeUnlessUnchanged({ path, file }, copied, previous);
  }
  return writeUnlessUnchanged({ path, file }, content, previous);
}

function writeUnlessUnchanged(
  { path, file }: { path: string; file: string },
  content: Omit<FileContent, 'isInMemory'>,
  previous: PreviousBuild | undefined,
): Omit<ArchivedFile, 'path'> {
  const { sizeBytes, sha256 } = content;
  const title = path.endsWith('.md') ? pageTitle(path, content.read()) : undefined;
  if (!previous?.link(path, { sizeBytes, sha256 }, file)) writeFileSync(file, content.read());
  return { sizeBytes, sha256, title };
}

function writePieces(file: string, pieces: Iterable<Uint8Array>): Omit<ArchivedFile, 'path'> {
  const handle = openSync(file, 'w');
  const hashing = createHash('sha256');
  let sizeBytes = 0;
  try {
    for (const piece of pieces) {
      // writeFileSync on a descriptor writes all bytes at the current position.
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

/** With --force the output folder is deleted first, and with it the source. */
function refuseSourceFolder(root: string, out: string): void {
  if (root !== out && !root.startsWith(out + sep)) return;
  throw new CommandError(
    `The output folder ${out} contains the documentation folder. Choose another --out.`,
    'usage',
  );
}

/** Protects against a slip such as `--out ~`. */
async function refuseForeignFolder(out: string, force: boolean): Promise<void> {
  const entries = await readdir(out).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [] as string[];
    throw cannotUse(out, error);
  });
  if (entries.length > 0 && !entries.includes(marker) && !force) {
    throw new CommandError(
      `The folder ${out} contains other files. Choose another --out, or pass --force to replace it.`,
    );
  }
}

const maxShown = 20;

function described(summary: Summary, report: SiteReport, root: string, out: string): string {
  const colors = hasColors(process.stdout);
  const megabytes = (summary.bytes / 1e6).toFixed(1);
  return (
    findingsText(withoutNotes(report), { root, colors, maxShown, more: join(out, 'report.html') }) +
    `${counted(summary.pages, 'page')}, ${counted(summary.files, 'file')}, ${megabytes} MB in ${summary.seconds.toFixed(2)} s.\n` +
    `${summaryText(report, colors)}Open ${join(out, 'index.html')}\n`
  );
}
