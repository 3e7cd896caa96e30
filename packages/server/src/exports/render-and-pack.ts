/** One export in the sandboxed process: load the site, render it, pack the files, have the manifest signed. */
import { createHash } from 'node:crypto';
import { closeSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  audiencesOf,
  engineVersion,
  loadSite,
  needsSourceFacts,
  renderSite,
  type CacheDecision,
  type OutputFile,
  type RenderOptions,
  type Diagnostic,
  type Site,
  type SiteAudiences,
  type SiteReport,
  type SourceFacts,
} from '@docyard/render';
import { countingFindings, reportJson, reportWith } from '@docyard/render/report';
import { unknownPaths } from '@docyard/render/source-rules';
import type { ContentKey } from '@docyard/bundle';
import { Archive, manifestBytes, manifestName, signatureName } from '@docyard/bundle/writer';
import { firstFileDescriptor, outputDescriptor } from '../sandbox/protocol.ts';
import { CacheFile, maxCachedPages } from '../build-cache/cache-file.ts';
import { ExportProgress } from './export-progress.ts';
import type { FetchRequests } from './fetch-requests.ts';
import { OrderFailedError } from './order-failure.ts';
import { addSealedAudiences } from './sealed-audiences.ts';
import { maxPageReasons, maxReasonLength } from './record.ts';
import type { ExportOrder, History, Message, PageReason, ReportFile } from './messages.ts';

/** File descriptors that the process inherits. It can write no other files. */
const openFiles = {
  spool: firstFileDescriptor,
  report: firstFileDescriptor + 1,
  /** The build cache; open only with a cache. */
  young: firstFileDescriptor + 2,
  old: firstFileDescriptor + 3,
};

/** The server, as the process sees it. */
export interface Server {
  send(message: Message): void;
  fetches: FetchRequests;
  readHistory(): Promise<History>;
  /** The signature of the manifest; empty when the server has no key. */
  signed: Promise<string>;
}

type Report = SiteReport & Pick<ReportFile, 'slowest'>;

interface Packing {
  server: Server;
  progress: ExportProgress;
  archive: Archive;
  cache: CacheFile | undefined;
  pageReasons: PageReasons;
  /** Undefined for a bundle of one audience. */
  sealed: { key: ContentKey; audiences: SiteAudiences } | undefined;
}

export async function runExportOrder(order: ExportOrder, server: Server): Promise<void> {
  const progress = new ExportProgress(server.send);
  progress.report('loading', 0);
  const cache = order.engine === null ? undefined : new CacheFile(openFiles.young, openFiles.old);
  try {
    await renderAndPack(order, server, { progress, cache });
  } finally {
    // A failed export has rendered pages too.
    cache?.flush();
  }
}

async function renderAndPack(
  order: ExportOrder,
  server: Server,
  { progress, cache: opened }: Pick<Packing, 'progress' | 'cache'>,
): Promise<void> {
  const site = await loadSite({ root: order.folder, fetchRemote: server.fetches.fetch });
  requireKnownPaths(site, order);
  const audiences = order.options.groups.length > 0 ? noAudiences : audiencesOf(site);
  const sealed = await sealedFor(order, audiences);
  const renderings = 1 + (sealed?.audiences.audiences.length ?? 0);
  const cache = site.pages.length * renderings > maxCachedPages ? undefined : opened;
  const archive = new Archive(openFiles.spool, { cache });
  const packing = { server, progress, archive, cache, pageReasons: new PageReasons(), sealed };
  const sourceFacts = needsSourceFacts(site) ? await sourceFactsFrom(server) : undefined;
  const report = await renderInto(packing, site, order, sourceFacts);
  requireAcceptable(report, order, progress);
  await pack(packing, order, { ...report, omitted: sealed ? 0 : audiences.audiences.length });
}

const noAudiences: SiteAudiences = { audiences: [], excludedGroups: [], findings: [] };

async function sealedFor({ contentKey }: ExportOrder, audiences: SiteAudiences): Promise<Packing['sealed']> {
  if (contentKey === null || audiences.audiences.length === 0) return undefined;
  const { parseContentKey } = await import('@docyard/bundle');
  return { key: parseContentKey(contentKey), audiences };
}

async function sourceFactsFrom(server: Server): Promise<SourceFacts> {
  const { changedOn, links } = await server.readHistory();
  return { changedOn: new Map(changedOn), links };
}

function requireKnownPaths(site: Site, { options: { paths } }: ExportOrder): void {
  const unknown = paths === null ? [] : unknownPaths(site, paths);
  if (unknown.length === 0) return;
  throw new OrderFailedError('unknown_paths', `The site has no page ${unknown.slice(0, 5).join(', ')}.`);
}

/** Compression threads continue only when this thread yields. */
const yieldEveryMs = 4;

async function renderInto(
  packing: Packing,
  site: Site,
  order: ExportOrder,
  sourceFacts: SourceFacts | undefined,
): Promise<Report> {
  const { archive, progress, sealed } = packing;
  const findings: Diagnostic[] = [];
  let report: Report | undefined;
  let yieldedAt = 0;
  const options = { ...renderOptions(packing, order), sourceFacts };
  for await (const event of renderSite(site, options)) {
    if (event.type === 'planned')
      progress.startRendering(event.pages, 1 + (sealed?.audiences.audiences.length ?? 0));
    if (event.type === 'report') report = { ...event.report, slowest: event.slowest };
    if (event.type === 'diagnostic') {
      progress.addFinding(event.diagnostic);
      if (sealed) findings.push(event.diagnostic);
    }
    if (event.type !== 'file') continue;
    put(archive, event.file);
    if (event.file.kind === 'page') progress.addPage();
    if (progress.pageCount < (progress.totalPages ?? 0)) continue;
    archive.compressAhead();
    if (performance.now() - yieldedAt < yieldEveryMs) continue;
    await nextTurn();
    yieldedAt = performance.now();
  }
  if (report === undefined) throw new Error('the renderer ended without a report');
  if (sealed) {
    const { onCacheDecision: _onCacheDecision, ...sealedOptions } = options;
    findings.push(...sealed.audiences.findings);
    await addSealedAudiences(
      {
        site,
        archive,
        key: sealed.key,
        options: sealedOptions,
        onAudience: (pages) => progress.startNextRendering(pages),
        onPage: () => progress.addSealedPage(),
        onFinding: (finding) => findings.push(finding),
      },
      sealed.audiences,
    );
    report = reportWith(report, findings);
  }
  // Written before a strict failure as well, because the report explains it.
  writeFileSync(openFiles.report, reportJson(order.hasPageSizes ? report : { ...report, weights: [] }));
  return report;
}

function renderOptions(
  { server, archive, cache, pageReasons, sealed }: Packing,
  order: ExportOrder,
): RenderOptions {
  const download = (kind: 'picture' | 'font') => {
    const fetch = (address: string): Promise<Uint8Array> => server.fetches.fetch(address, kind);
    return sealed ? fetchedOnce(fetch, archive) : fetch;
  };
  const { paths, groups, basePath, urlStyle, airGapped, customScripts } = order.options;
  return {
    origin: order.origin,
    urlStyle,
    groups,
    airGapped,
    customScripts,
    customCode: order.customCode,
    committedAt: order.committedAt,
    concurrency: order.renderProcesses,
    spill: (bytes) => archive.setAside(bytes),
    ...(order.offline
      ? {}
      : {
          fetchPicture: download('picture'),
          fetchFont: download('font'),
        }),
    ...(cache && order.engine !== null
      ? { cache, engine: order.engine, onCacheDecision: (decision) => pageReasons.add(decision) }
      : {}),
    ...(basePath === null ? {} : { basePath }),
    ...(paths === null ? {} : { paths }),
    ...(order.version === null ? {} : { version: order.version }),
  };
}

/** The same file for every audience, also when the other host changes it. */
function fetchedOnce(
  fetch: (address: string) => Promise<Uint8Array>,
  archive: Archive,
): (address: string) => Promise<Uint8Array> {
  const known = new Map<string, Promise<() => Uint8Array>>();
  return async (address) => {
    const read = known.get(address) ?? fetch(address).then((bytes) => archive.setAside(bytes));
    known.set(address, read);
    return (await read)();
  };
}

function put(archive: Archive, { path, content }: OutputFile): void {
  if ('read' in content) archive.addContent(path, content);
  else if ('pieces' in content) archive.addPieces(path, content.pieces);
  else archive.addFile(path, content.copyFrom);
}

function requireAcceptable(report: Report, { options }: ExportOrder, progress: ExportProgress): void {
  const codes = [...(options.strict ? ['error'] : []), ...options.failOn];
  const [first] = countingFindings(report.diagnostics, codes);
  if (first === undefined) return;
  progress.report('rendering', 1);
  throw new OrderFailedError('strict_failed', `Strict: ${first.message} [${first.code}]`, first);
}

async function pack(
  { server, archive, cache, progress, pageReasons, sealed }: Packing,
  order: ExportOrder,
  { warnings, errors, omitted }: Report & { omitted: number },
): Promise<void> {
  progress.report('packing', 0);
  const manifest = manifestBytes({
    engineVersion,
    version: order.version,
    commit: order.commit,
    committedAt: order.committedAt,
    isolation: order.isolationLevel,
    ...(sealed === undefined ? {} : { access: { format: 1, keyId: sealed.key.keyId } }),
    pages: progress.pageCount,
    files: archive.list(),
  });
  archive.add(manifestName, manifest);
  if (order.isSigned) server.send({ type: 'sign', manifest });
  const signature = order.isSigned ? await server.signed : '';
  if (signature !== '') archive.add(signatureName, Buffer.from(signature));
  progress.totalPages = null;
  const hash = createHash('sha256');
  // The output is a file of the store or a pipe; a pipe blocks until the server has read the bytes.
  const packed = await archive.pack(outputDescriptor, {
    onProgress: (share) => progress.reportSometimes('packing', share),
    hash,
  });
  closeSync(outputDescriptor);
  cache?.writeIndex();
  server.send({
    type: 'exported',
    ...packed,
    sha256: hash.digest('hex'),
    pageCount: progress.pageCount,
    warnings,
    errors,
    sealedAudiences: sealed?.audiences.audiences.length ?? 0,
    omittedAudiences: omitted,
    cacheBytes: cache?.usedBytes ?? 0,
    pageReasons: pageReasons.list(),
  });
  archive.close();
}

/** Counts pages by the reason for which they were reused or rendered, the most frequent first. */
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
