/**
 * Runs one export: fetches the source at a pinned commit, renders and packs it in the sandbox, signs the
 * manifest and stores the result.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tenantOf } from '../jobs/store.ts';
import { JobFailedError, RunnerLostError } from '../jobs/failure.ts';
import type { Outcome, Runner, RunnerInput } from '../jobs/worker.ts';
import type { Context } from '../context.ts';
import { isDiskFull } from '@docyard/site/disk';
import { contentKeyText } from '@docyard/bundle';
import type { SourceFacts } from '@docyard/render';
import { forgeLinks } from '../git/forge-links.ts';
import { SourceError, type FetchedSource } from '../ports/sources.ts';
import { contentKeyOf } from '../projects/content-key.ts';
import { readAgentSettings } from '../projects/agent-settings.ts';
import { judgeCustomCode } from '../sandbox/custom-code.ts';
import { findIsolation } from '../sandbox/isolation.ts';
import { borrowGitCredential } from '../projects/forge.ts';
import type { ExportOrder } from './messages.ts';
import { fetchWithin, refuseFetches } from './fetches.ts';
import { intoStore } from './into-store.ts';
import { cacheFiles, openProjectCache, type CacheFolder } from '../build-cache/cache-folder.ts';
import { exportMemoryMegabytes, RenderingError, runInProcess, type Answer } from './process.ts';
import { requireOrdered, signManifest } from './sign.ts';
import { blobName, inputOf, optionsOf, type ExportInput, type ExportResult } from './record.ts';

/** Progress in percent at the start of each phase. */
const phaseStart = { fetching: 1, loading: 5, rendering: 10, packing: 90, storing: 97 } as const;
const reportEveryMs = 400;

export const runExport: Runner = async (context, input) => {
  let { source_commit } = input.job;
  const report: RunnerInput['report'] = (progress) => {
    source_commit = progress.commit ?? source_commit;
    return input.report(progress);
  };
  try {
    return await runOnce(context, { ...input, report });
  } catch (error) {
    // `runOnce` has discarded a possibly corrupt cache, so one retry may succeed.
    if (!(error instanceof RenderingError) || context.config.buildCacheBytes === 0) throw error;
    input.log.warn({ event: 'export_rerun', reason: error.message }, 'rendering the export again');
    return runOnce(context, { ...input, job: { ...input.job, source_commit } });
  }
};

const runOnce: Runner = async (context, input) => {
  const workFolder = join(context.config.dataDir, 'work', `${input.job.id}-${input.job.attempt}`);
  const exportInput = inputOf(input.job);
  let cache: CacheFolder | undefined;
  try {
    await refuseWeakIsolation(exportInput);
    // A cache that a stranger has written could change a later export.
    if (exportInput.isUntrusted !== true) cache = await openCache(context, input, exportInput);
    await mkdir(workFolder, { recursive: true });
    const source = await fetchSource(context, input, exportInput, cache?.sourceFolder ?? workFolder);
    const order = await orderFor(context, input, exportInput, { source, cache });
    const readHistory = (): Promise<SourceFacts> => sourceFacts(context, input, exportInput, source);
    const rendered = await render(context, input, { order, workFolder, cache, readHistory });
    await cache?.completed(rendered.answer.cacheBytes);
    input.log.info({ event: 'export_pages', reasons: rendered.answer.pageReasons }, 'rendered the pages');
    return await store(context, input, { ...rendered, reportFile: reportIn(workFolder) });
  } catch (error) {
    if (isStrictFailure(error)) await storeReport(context, input, reportIn(workFolder));
    // An unexpected failure may come from a corrupt cache, and a full disk needs its space.
    if (isUnexpected(error) || isStorageFailure(error)) await cache?.discard();
    throw asFailure(error);
  } finally {
    cache?.release();
    await rm(workFolder, { recursive: true, force: true });
  }
};

/** All commits of a branch share a cache. */
function openCache(
  context: Context,
  { job }: RunnerInput,
  { request, source: { commit: _commit, ...source } }: ExportInput,
): Promise<CacheFolder | undefined> {
  const kind = [source, optionsOf(request), request.version ?? null];
  return openProjectCache(context, { projectId: job.project_id, kind });
}

/** Levels below it give the rendering process access to the network and to files of the machine. */
const minUntrustedLevel = 2;

async function refuseWeakIsolation({ isUntrusted }: ExportInput): Promise<void> {
  const { level, statement } = await findIsolation();
  if (isUntrusted !== true || level >= minUntrustedLevel) return;
  throw new JobFailedError(
    'source_refused',
    `Forks are built at isolation level ${minUntrustedLevel} or higher, and this machine has ${level}. ${statement}`,
    { hint: 'Ask the operator to install bubblewrap, or set `forks` of the project to `off`.' },
  );
}

function reportIn(workFolder: string): string {
  return join(workFolder, 'report.json');
}

function isUnexpected(error: unknown): boolean {
  return (
    error instanceof Error &&
    !(error instanceof JobFailedError || error instanceof SourceError || error instanceof RunnerLostError) &&
    error.name !== 'AbortError'
  );
}

async function fetchSource(
  context: Context,
  { job, signal, report, retryOnStorage }: RunnerInput,
  { source }: ExportInput,
  workFolder: string,
): Promise<FetchedSource> {
  await report({ phase: 'fetching', progress: phaseStart.fetching });
  const repository = { ...tenantOf(job), repository: source.repository };
  const credential =
    source.isAnonymous === true
      ? null
      : await retryOnStorage(() => borrowGitCredential(context, repository, signal));
  const commit = job.source_commit ?? source.commit ?? null;
  const wanted = { ...source, commit, credential, tenant: tenantOf(job) };
  const fetched = await context.sources.fetch(wanted, workFolder, signal).catch(async (error: unknown) => {
    if (!(error instanceof SourceError && error.code === 'source_not_found') || source.commit === undefined)
      throw error;
    // Some hosts send only commits that a ref names.
    const newest = await context.sources.fetch({ ...wanted, commit: null }, workFolder, signal);
    if (newest.commit === commit) return newest;
    throw new JobFailedError('source_not_found', `The branch no longer has the commit ${commit}.`);
  });
  await report({ phase: 'loading', progress: phaseStart.loading, commit: fetched.commit });
  return fetched;
}

async function orderFor(
  context: Context,
  { job, retryOnStorage }: RunnerInput,
  { request, isUntrusted = false }: ExportInput,
  { source, cache }: { source: FetchedSource; cache: CacheFolder | undefined },
): Promise<ExportOrder> {
  const { isolation, customCode } = await judgeCustomCode(context);
  const options = optionsOf(request);
  // A bundle for one audience has no sealed files.
  const contentKey =
    options.groups.length > 0 || isUntrusted
      ? null
      : contentKeyText(await retryOnStorage(() => contentKeyOf(context, job.project_id)));
  return {
    type: 'export',
    folder: source.folder,
    origin: `https://${job.domain}`,
    version: request.version ?? null,
    commit: source.commit,
    committedAt: source.committedAt,
    renderProcesses: context.config.renderProcesses,
    offline: context.config.egress.offline || isUntrusted,
    customCode,
    isolationLevel: isolation.level,
    engine: (await cache?.engine()) ?? null,
    contentKey,
    isSigned: true,
    hasPageSizes: true,
    options,
  };
}

async function sourceFacts(
  context: Context,
  { job, signal, log }: RunnerInput,
  { source: { repository, directory } }: ExportInput,
  { readHistory }: FetchedSource,
): Promise<SourceFacts> {
  const history = await readHistory?.();
  if (history === undefined) return { changedOn: new Map() };
  const { changedOn, branch, problem } = history;
  if (problem !== null)
    log.warn({ event: 'history_unavailable', reason: problem }, 'cannot read the history');
  if (branch === null) return { changedOn };
  const { forge } = await readAgentSettings(context, job.project_id);
  const kind =
    forge?.kind ??
    (await context.forges.detect(repository, signal, tenantOf(job)).catch(() => 'bare' as const));
  return { changedOn, links: forgeLinks({ kind, repository, branch, directory }) };
}

interface Rendered {
  answer: Answer<'exported'>;
  manifest: Uint8Array;
}

interface Rendering {
  order: ExportOrder;
  workFolder: string;
  cache: CacheFolder | undefined;
  readHistory: () => Promise<SourceFacts>;
}

/** The sandboxed process writes the bundle into the store; the server signs the manifest. */
async function render(
  context: Context,
  input: RunnerInput,
  { order, workFolder, cache, readHistory }: Rendering,
): Promise<Rendered> {
  const { isUntrusted = false } = inputOf(input.job);
  const bundle = blobName(input.job.id, input.job.attempt, 'bundle.tar.gz');
  const progress = progressReports(input);
  let manifest: Uint8Array | undefined;
  const answer = await intoStore(context.blobs, { bundle, signal: input.signal }, (output) =>
    runInProcess(order, 'exported', {
      ...output,
      signal: input.signal,
      memoryMegabytes: exportMemoryMegabytes,
      yields: true,
      hidden: context.config.dataDir,
      keepCopyIn: cache?.readableFolder,
      files: [
        { path: join(workFolder, 'spool'), use: 'write' },
        { path: reportIn(workFolder), use: 'write' },
        ...cacheFiles(cache),
      ],
      fetch: isUntrusted ? refuseFetches : fetchWithin(context.config.egress, tenantOf(input.job)),
      onProgress: progress.add,
      readHistory,
      sign(bytes) {
        if (manifest !== undefined) throw new Error('The rendering process asked for a second signature.');
        manifest = bytes;
        // A deployment must not accept a bundle of a stranger, so it gets no signature.
        if (isUntrusted) return requireOrdered(order, bytes);
        return signManifest(context.secrets.signer, order, bytes);
      },
    }),
  ).catch(async (error: unknown) => {
    await progress.written();
    // The last progress report precedes the findings that failed the export.
    if (isStrictFailure(error)) await input.report({ recentFindings: progress.recentFindings() });
    throw error;
  });
  await progress.written();
  if (manifest === undefined) throw new Error('The rendering process packed a bundle without a manifest.');
  return { answer, manifest };
}

interface ProgressReports {
  add(message: Answer<'progress'>): void;
  written(): Promise<void>;
  recentFindings(): Answer<'progress'>['recentFindings'];
}

/** Each report is a durable write, so most messages are dropped. */
function progressReports({ report }: RunnerInput): ProgressReports {
  let last: Answer<'progress'> | undefined;
  let reported: { phase: string; pageCount: number; atMs: number } = { phase: '', pageCount: 0, atMs: 0 };
  let reports = Promise.resolve();
  return {
    add(message) {
      last = message;
      const { phase, pageCount } = message;
      const isFirstPage = reported.pageCount === 0 && pageCount > 0;
      if (phase === reported.phase && !isFirstPage && Date.now() - reported.atMs < reportEveryMs) return;
      reported = { phase, pageCount, atMs: Date.now() };
      reports = reports.then(() => report(progressOf(message)));
      // A stopped job fails by its signal, and then the reports are not awaited.
      reports.catch(() => undefined);
    },
    written: () => reports,
    recentFindings: () => last?.recentFindings ?? [],
  };
}

function progressOf(message: Answer<'progress'>) {
  const start = phaseStart[message.phase];
  const end = { loading: phaseStart.rendering, rendering: phaseStart.packing, packing: phaseStart.storing }[
    message.phase
  ];
  return {
    phase: message.phase,
    progress: start + (end - start) * message.share,
    pageCount: message.pageCount,
    ...(message.totalPages === null ? {} : { totalPages: message.totalPages }),
    recentFindings: message.recentFindings,
  };
}

async function store(
  context: Context,
  input: RunnerInput,
  { answer, manifest, reportFile }: Rendered & { reportFile: string },
): Promise<Outcome> {
  const { job, report, signal } = input;
  const { level, statement } = await findIsolation();
  const name = blobName(job.id, job.attempt, 'manifest.json');
  await Promise.all([
    report({ phase: 'storing', progress: phaseStart.storing, pageCount: answer.pageCount }),
    context.blobs.putBytes(name, Buffer.from(manifest), signal),
    storeReport(context, input, reportFile),
  ]);
  const { sizeBytes, sha256, fileCount, warnings, errors, pageCount } = answer;
  const result: ExportResult = {
    bundle: { sizeBytes, sha256, fileCount },
    warnings,
    errors,
    attempt: job.attempt,
    isolation: { level, statement },
  };
  return { result, pageCount, bundleBytes: sizeBytes };
}

function isStrictFailure(error: unknown): boolean {
  return error instanceof JobFailedError && error.failure.code === 'strict_failed';
}

function isStorageFailure(error: unknown): boolean {
  return error instanceof JobFailedError && error.failure.code === 'storage_failed';
}

async function storeReport(
  { blobs }: Pick<Context, 'blobs'>,
  { job, signal }: RunnerInput,
  reportFile: string,
): Promise<void> {
  const name = blobName(job.id, job.attempt, 'report.json');
  await blobs.putBytes(name, await readFile(reportFile), signal);
}

function asFailure(error: unknown): unknown {
  if (error instanceof SourceError) {
    return new JobFailedError(
      error.code,
      error.message,
      error.hint === undefined ? {} : { hint: error.hint },
    );
  }
  if (isDiskFull(error)) {
    return new JobFailedError('storage_failed', 'The disk is full.', {
      hint: 'Free some space, then retry the job.',
    });
  }
  return error;
}
