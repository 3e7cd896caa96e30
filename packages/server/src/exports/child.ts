/**
 * The process that renders one export and ends with it. It keeps rendering and packing away from the server's
 * event loop, and strangers' files away from the server's memory. It has no network, no database and no secret.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as aPause } from 'node:timers/promises';
import {
  engineVersion,
  loadSite,
  renderSite,
  SiteLoadError,
  type CacheDecision,
  type Diagnostic,
  type OutputFile,
  type RenderEvent,
} from '@docyard/render';
import { countingFindings, reportJson } from '@docyard/render/report';
import { unknownPaths } from '@docyard/render/source-rules';
import { outputDescriptor, withBytesAsText, withTextAsBytes } from '../rendering/protocol.ts';
import { Archive, manifestBytes, manifestName, signatureName } from '@docyard/bundle';
import { isDiskFullOrLimited } from '@docyard/site/disk';
import { Fetches } from './fetches.ts';
import { CacheFile, maxCachedPages } from '../build-cache/cache-file.ts';
import { openFiles } from './open-files.ts';
import { mostRecentFindings } from './record.ts';
import { maxPageReasons, maxReasonLength, type PageReason } from './messages.ts';
import type {
  DescribeOrder,
  ExportOrder,
  Fetched,
  Message,
  Order,
  PathsOrder,
  RecentFinding,
  ReportFile,
  Signed,
} from './messages.ts';

const progressEveryMs = 100;
/** A block takes 8 ms to compress, and the next one begins when this process lets go. */
const pauseEveryMs = 4;
const fetches = new Fetches(say);

const signed = Promise.withResolvers<string>();

process.on('message', (raw) => {
  const message = withTextAsBytes(raw) as Order | Fetched | Signed;
  if (message.type === 'fetched') fetches.settle(message);
  else if (message.type === 'signed') signed.resolve(message.signature);
  else start(message);
});

function start(order: Order): void {
  workOn(order)
    .catch((error: unknown) => say(explain(error)))
    .finally(() => process.disconnect());
}

function workOn(order: Order): Promise<void> {
  switch (order.type) {
    case 'export':
      return runExport(order);
    case 'unknown-paths':
      return findUnknownPaths(order);
    case 'describe':
      return describe(order);
  }
}

// Without a parent there is nobody to work for.
process.once('disconnect', () => process.exit());

async function runExport(order: ExportOrder): Promise<void> {
  progress('loading', 0, 0, null);
  const cache = order.engine === null ? undefined : new CacheFile(openFiles.young, openFiles.old);
  try {
    await exportWith(cache, order);
  } finally {
    // A failed export has rendered pages as well.
    cache?.flush();
  }
}

async function exportWith(opened: CacheFile | undefined, order: ExportOrder): Promise<void> {
  const site = await loadSite({
    root: order.folder,
    fetchRemote: fetches.fetch,
    renderProcesses: order.renderProcesses,
  });
  const cache = site.pages.length > maxCachedPages ? undefined : opened;
  const { paths, groups, basePath, urlStyle, airGapped, customScripts } = order.options;
  const unknown = paths === null ? [] : unknownPaths(site, paths);
  if (unknown.length > 0) {
    throw new Stop('unknown_paths', `The site has no page ${unknown.slice(0, 5).join(', ')}.`);
  }
  const archive = new Archive(openFiles.spool, { cache });
  let ending: Extract<RenderEvent, { type: 'report' }> | undefined;
  let totalPages = 0;
  let pageCount = 0;
  const tell = sparingly(progress);
  let pausedAt = 0;
  const reasons = new PageReasons();
  const events = renderSite(site, {
    origin: order.origin,
    urlStyle,
    groups,
    airGapped,
    customScripts,
    ...(order.offline ? {} : { fetchPicture: (address: string) => fetches.fetch(address, 'picture') }),
    customCode: order.customCode,
    committedAt: order.committedAt,
    setAside: (bytes) => archive.setAside(bytes),
    concurrency: order.renderProcesses,
    ...(cache && order.engine !== null
      ? { cache, engine: order.engine, onCacheDecision: (decision) => reasons.add(decision) }
      : {}),
    ...(basePath === null ? {} : { basePath }),
    ...(paths === null ? {} : { paths }),
    ...(order.version === null ? {} : { version: order.version }),
  });
  for await (const event of events) {
    if (event.type === 'planned') totalPages = event.pages;
    if (event.type === 'report') ending = event;
    if (event.type === 'diagnostic') remember(event.diagnostic);
    if (event.type !== 'file') continue;
    put(archive, event.file);
    const isFirstPage = event.file.kind === 'page' && pageCount === 0;
    if (event.file.kind === 'page') pageCount += 1;
    // The first page is what people wait for.
    const now = isFirstPage ? progress : tell;
    now('rendering', Math.min(1, pageCount / Math.max(1, totalPages)), pageCount, totalPages);
    if (pageCount < totalPages) continue;
    archive.compressAhead();
    if (performance.now() - pausedAt < pauseEveryMs) continue;
    await aPause();
    pausedAt = performance.now();
  }
  if (ending === undefined) throw new Error('the renderer ended without a report');
  const report: ReportFile = { ...ending.report, slowest: ending.slowest };
  // Also when the job fails because of it: then it is what the caller needs most.
  writeFileSync(openFiles.report, reportJson(order.isReportWhole ? report : { ...report, weights: [] }));
  const { strict, failOn } = order.options;
  const [first] = countingFindings(ending.report.diagnostics, [...(strict ? ['error'] : []), ...failOn]);
  if (first !== undefined) {
    progress('rendering', 1, pageCount, totalPages);
    throw strictStop(first);
  }
  progress('packing', 0, pageCount, totalPages);
  await finish(order, archive, report, { pageCount, cache, pageReasons: reasons.list() });
}

function put(archive: Archive, { path, content, sha256 }: OutputFile): void {
  if (content instanceof Uint8Array) archive.add(path, content, sha256);
  else if ('pieces' in content) archive.addPieces(path, content.pieces);
  else archive.addFile(path, content.copyFrom);
}

async function finish(
  order: ExportOrder,
  archive: Archive,
  report: ReportFile,
  {
    pageCount,
    cache,
    pageReasons,
  }: { pageCount: number; cache: CacheFile | undefined; pageReasons: PageReason[] },
): Promise<void> {
  const manifest = manifestBytes({
    engineVersion,
    version: order.version,
    commit: order.commit,
    committedAt: order.committedAt,
    isolation: order.isolationLevel,
    pages: pageCount,
    files: archive.list(),
  });
  archive.add(manifestName, manifest);
  if (order.isSigned) say({ type: 'sign', manifest });
  const signature = order.isSigned ? await signed.promise : '';
  if (signature !== '') archive.add(signatureName, Buffer.from(signature));
  // The output is a file of the store or a pipe; a pipe blocks until the server has passed the bytes on.
  const tell = sparingly((share: number) => progress('packing', share, pageCount, null));
  const hash = createHash('sha256');
  const packed = await archive.pack(outputDescriptor, { onProgress: tell, hash });
  closeSync(outputDescriptor);
  cache?.leaveIndex();
  const cacheBytes = cache?.usedBytes ?? 0;
  const { warnings, errors } = report;
  const counts = { pageCount, warnings, errors, cacheBytes, pageReasons };
  say({ type: 'exported', ...packed, sha256: hash.digest('hex'), ...counts });
  archive.close();
}

/** The pages for each reason to reuse or render them, the most frequent first. */
class PageReasons {
  readonly #counts = new Map<string, PageReason>();

  add({ isReused, reason }: CacheDecision): void {
    const found = this.#counts.get(reason) ?? {
      isReused,
      reason: reason.slice(0, maxReasonLength),
      pages: 0,
    };
    found.pages += 1;
    this.#counts.set(reason, found);
  }

  list(): PageReason[] {
    return [...this.#counts.values()].toSorted((a, b) => b.pages - a.pages).slice(0, maxPageReasons);
  }
}

async function findUnknownPaths(order: PathsOrder): Promise<void> {
  const site = await loadSite({ root: order.folder, fetchRemote: fetches.fetch });
  say({ type: 'unknown-paths', paths: unknownPaths(site, order.paths) });
}

async function describe(order: DescribeOrder): Promise<void> {
  const site = await loadSite({ root: order.folder, fetchRemote: fetches.fetch });
  const { configFile, name, pages } = site;
  // A folder of pages is a site too; the name of the file is then the one that it would have.
  const hasConfig = existsSync(join(site.root, configFile));
  say({
    type: 'described',
    configFile: hasConfig ? configFile : null,
    name: name.slice(0, 2000),
    pages: pages.length,
  });
}

class Stop extends Error {
  readonly failed: Message & { type: 'failed' };

  constructor(
    code: (Message & { type: 'failed' })['code'],
    message: string,
    where: Partial<Diagnostic> = {},
  ) {
    super(message);
    const { file, line, hint } = where;
    this.failed = {
      type: 'failed',
      code,
      message,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
      ...(hint === undefined ? {} : { hint }),
    };
  }
}

function strictStop(diagnostic: Diagnostic): Stop {
  return new Stop('strict_failed', `Strict: ${diagnostic.message} [${diagnostic.code}]`, diagnostic);
}

function explain(error: unknown): Message {
  if (error instanceof Stop) return error.failed;
  if (error instanceof SiteLoadError) {
    const { diagnostic } = error;
    return new Stop(
      diagnostic.code === 'site_empty' ? 'no_pages' : 'config_invalid',
      diagnostic.message,
      diagnostic,
    ).failed;
  }
  if (isDiskFullOrLimited(error)) {
    return new Stop('storage_failed', 'The disk is full.', { hint: 'Free some space, then retry the job.' })
      .failed;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Stop('internal', text.slice(0, 4000)).failed;
}

const recentFindings: RecentFinding[] = [];

function remember({ severity, code, message, file, line }: Diagnostic): void {
  recentFindings.push({
    severity,
    code,
    message: message.slice(0, 500),
    file: file.slice(0, 500),
    line: line ?? null,
  });
  if (recentFindings.length <= mostRecentFindings) return;
  // Mere remarks make room first.
  const remark = recentFindings.findIndex((finding) => finding.severity === 'info');
  recentFindings.splice(Math.max(0, remark), 1);
}

function progress(
  phase: 'loading' | 'rendering' | 'packing',
  share: number,
  pages: number,
  total: number | null,
) {
  say({ type: 'progress', phase, share, pageCount: pages, totalPages: total, recentFindings });
}

/** What is told too soon after the last time is left out. */
function sparingly<Facts extends unknown[]>(tell: (...facts: Facts) => void): (...facts: Facts) => void {
  let toldAt = 0;
  return (...facts) => {
    if (Date.now() - toldAt < progressEveryMs) return;
    toldAt = Date.now();
    tell(...facts);
  };
}

function say(message: Message): void {
  process.send?.(withBytesAsText(message));
}
