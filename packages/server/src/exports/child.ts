/**
 * The process that renders one export and ends with it. It keeps rendering and packing away from the server's
 * event loop, and strangers' files away from the server's memory. It has no network, no database and no secret.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as aPause } from 'node:timers/promises';
import {
  countingFindings,
  engineVersion,
  loadSite,
  prepareRenderProcesses,
  renderSite,
  RunMemory,
  reportJson,
  SiteLoadError,
  unknownPaths,
  type Diagnostic,
  type RenderEvent,
} from '@docyard/render';
import { outputDescriptor, withBytesAsText, withTextAsBytes } from '../rendering/protocol.ts';
import { Archive, manifestBytes, manifestName, signatureName } from '@docyard/bundle';
import { isDiskFullOrLimited } from '@docyard/site/disk';
import { Fetches } from './fetches.ts';
import { MemoryFile, mostRememberedPages } from './memory-file.ts';
import { openFiles } from './open-files.ts';
import { mostRecentFindings } from './record.ts';
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
  const memory = order.engine === null ? undefined : new MemoryFile(openFiles.young, openFiles.old);
  try {
    await exportWith(memory, order);
  } finally {
    // What was rendered is worth keeping although the export may have failed.
    memory?.flush();
  }
}

async function exportWith(memory: MemoryFile | undefined, order: ExportOrder): Promise<void> {
  const opened = memory && new RunMemory(memory, order.engine ?? '', order.folder);
  // After another export few pages are left to render, and what is waited for is this process.
  const isAgain = opened?.lastToken !== undefined;
  if (!isAgain) {
    prepareRenderProcesses(order.renderProcesses);
  }
  const site = await loadSite({
    root: order.folder,
    fetchRemote(address) {
      opened?.noteRemote();
      return fetches.fetch(address);
    },
    ...(opened === undefined ? {} : { memory: opened.load }),
  });
  if (isAgain) prepareRenderProcesses(order.renderProcesses);
  const run = site.pages.length > mostRememberedPages ? undefined : opened;
  // Nobody will ask for what was read to be remembered.
  if (run === undefined) opened?.load.pages.clear();
  const { paths, groups, basePath, urlStyle, airGapped, customScripts } = order.options;
  const unknown = paths === null ? [] : unknownPaths(site, paths);
  if (unknown.length > 0) {
    throw new Stop('unknown_paths', `The site has no page ${unknown.slice(0, 5).join(', ')}.`);
  }
  const archive = new Archive(openFiles.spool, {
    memory: run && memory && { blocks: memory, token: run.token, lastToken: run.lastToken },
  });
  const { lastFiles } = archive;
  let ending: Extract<RenderEvent, { type: 'report' }> | undefined;
  const totalPages = paths?.length ?? site.pages.length;
  let pageCount = 0;
  const tell = sparingly(progress);
  let pausedAt = 0;
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
    ...(run === undefined ? {} : { memory: run }),
    ...(lastFiles === undefined
      ? {}
      : {
          lastFiles: {
            has: (path) => lastFiles.has(path),
            paths: () => filesOfRenderer(lastFiles.keys()),
            areAllThere: () => true,
            read: (path) => archive.lastContent(path),
            readAhead: (path) => archive.lastContentAhead(path),
          },
        }),
    ...(basePath === null ? {} : { basePath }),
    ...(paths === null ? {} : { paths }),
    ...(order.version === null ? {} : { version: order.version }),
  });
  for await (const event of events) {
    if (event.type === 'report') ending = event;
    if (event.type === 'diagnostic') remember(event.diagnostic);
    if (event.type !== 'file' && event.type !== 'old') continue;
    put(archive, event);
    const { kind } = event.type === 'old' ? event : event.file;
    const before = pageCount;
    if (kind === 'page') pageCount += event.type === 'old' ? event.paths.length : 1;
    // The first page is what people wait for.
    const now = before === 0 && pageCount > 0 ? progress : tell;
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
  await finish(order, archive, report, { pageCount, memory, run });
}

function put(archive: Archive, event: Extract<RenderEvent, { type: 'file' | 'old' }>): void {
  if (event.type === 'old') {
    for (const path of event.paths) archive.keep(path);
    return;
  }
  const { path, content } = event.file;
  if (content instanceof Uint8Array) archive.add(path, content);
  else if ('pieces' in content) archive.addPieces(path, content.pieces);
  else archive.addFile(path, content.copyFrom);
}

/** The manifest tells of the files, and so belongs to whoever packs them. */
function* filesOfRenderer(paths: Iterable<string>): Generator<string> {
  for (const path of paths) if (path !== manifestName && path !== signatureName) yield path;
}

interface Ending {
  pageCount: number;
  memory: MemoryFile | undefined;
  run: RunMemory | undefined;
}

async function finish(
  order: ExportOrder,
  archive: Archive,
  report: ReportFile,
  { pageCount, memory, run }: Ending,
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
  // Of 10,000 pages it has 2.5 MB, which nobody needs to see for nothing.
  if (order.isSigned) say({ type: 'sign', manifest });
  const signature = order.isSigned ? await signed.promise : '';
  if (signature !== '') archive.add(signatureName, Buffer.from(signature));
  // The pipe takes no more than the server can pass on: writing waits, and nothing lies on the disk in between.
  const tell = sparingly((share: number) => progress('packing', share, pageCount, null));
  const hash = order.isHashed ? createHash('sha256') : undefined;
  const packing = archive.pack(outputDescriptor, { onProgress: tell, hash });
  // Whoever waits for it is told.
  packing.catch(() => undefined);
  // Other threads have the first blocks in hand now.
  run?.prepareCommit();
  const packed = await packing;
  closeSync(outputDescriptor);
  run?.commit();
  memory?.leaveIndex();
  const memoryBytes = memory?.usedBytes ?? 0;
  const { warnings, errors } = report;
  const sha256 = hash?.digest('hex') ?? null;
  say({ type: 'exported', ...packed, sha256, pageCount, warnings, errors, memoryBytes });
  // Giving back the 100 MB of 1,000 pages takes 30 ms, for which nobody should have to wait.
  archive.close();
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
