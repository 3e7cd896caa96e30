/**
 * Runs one export: fetch the source at a pinned commit, render and pack it in a process of its own straight into the
 * store. Everything else happens in a work folder that is gone afterwards.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tenantOf } from '../jobs/store.ts';
import { JobFailure, RunnerLost } from '../jobs/failure.ts';
import type { Outcome, Runner, RunnerInput } from '../jobs/worker.ts';
import type { Context } from '../context.ts';
import { isDiskFull } from '../disk-full.ts';
import { SourceError, type FetchedSource } from '../ports/sources.ts';
import { judgeCustomCode } from '../rendering/custom-code.ts';
import { findIsolation } from '../rendering/isolation.ts';
import { borrowGitCredential } from '../projects/forge.ts';
import type { ExportOrder } from './messages.ts';
import { fetchWithin } from './fetches.ts';
import { intoStore } from './into-store.ts';
import { foresee, heldTo, LiesElsewhere, type Foreseen } from './foreseen.ts';
import { borrowMemory, memoryFiles, type MemoryPlace } from './project-memory.ts';
import {
  exportMemoryMegabytes,
  RenderingFailed,
  runInProcess,
  type Answer,
  type ComingOrder,
} from './process.ts';
import { signManifest } from './sign.ts';
import { filesIn, noteExport, takeWaiting, waitForNext, type Waiting } from './waiting.ts';
import { blobName, inputOf, optionsOf, type ExportInput, type ExportResult } from './record.ts';

/** Where each phase begins on the way from 0 to 100. */
const phaseStart = { fetching: 1, loading: 5, rendering: 10, packing: 90, storing: 97 } as const;
const reportEveryMs = 400;

export const runExport: Runner = (context, input) =>
  runOnce(context, input).catch((error: unknown) => {
    // What it remembered is forgotten by now, and may have been the reason.
    if (!(error instanceof RenderingFailed) || context.config.exportMemoryBytes === 0) throw error;
    return runOnce(context, input);
  });

const runOnce: Runner = async (context, input) => {
  const workFolder = join(context.config.dataDir, 'work', `${input.job.id}-${input.job.attempt}`);
  const exportInput = inputOf(input.job);
  let memory: MemoryPlace | undefined;
  let order: Promise<ExportOrder> | undefined;
  let waiting: Waiting | undefined;
  let isDone = false;
  const noteEnd = noteExport();
  try {
    memory = await borrowMemory(context, {
      projectId: input.job.project_id,
      kind: [exportInput.source, optionsOf(exportInput.request), exportInput.request.version ?? null],
    });
    await mkdir(workFolder, { recursive: true });
    const foreseen = memory && (await foresee(context.sources, exportInput.source, memory.sourceFolder));
    waiting = foreseen && memory && (await takeWaiting(foreseen, memory));
    const files = filesIn(waiting?.folder ?? workFolder);
    order = workOut(context, input, exportInput, { workFolder, memory });
    // The process may still be on its way when there turns out to be nothing to do for it.
    order.catch(() => undefined);
    const rendered = await renderEarly(context, input, { order, files, memory, foreseen, waiting }).catch(
      async (error: unknown) => {
        if (isStrictFailure(error)) await storeReport(context, input, files.report);
        throw error;
      },
    );
    await memory?.completed(rendered.answer.memoryBytes);
    const { level, statement } = await findIsolation();
    const outcome = await store(context, input, files.report, {
      ...rendered,
      isolation: { level, statement },
    });
    isDone = true;
    return outcome;
  } catch (error) {
    // Git may still be at work in there.
    await order?.catch(() => undefined);
    // Whoever was killed has left nothing that is half; whatever else nobody expected may come from there.
    if (isUnexpected(error)) await memory?.discard();
    throw asFailure(error);
  } finally {
    memory?.release();
    noteEnd();
    if (waiting?.started.isThere) waiting.started.kill();
    for (const folder of [workFolder, waiting?.folder])
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    if (isDone && memory) void waitForNext(context, exportInput.source, memory).catch(() => undefined);
  }
};

/** The source at its commit, and what is to be made of it. */
async function workOut(
  context: Context,
  input: RunnerInput,
  exportInput: ExportInput,
  { workFolder, memory }: { workFolder: string; memory: MemoryPlace | undefined },
): Promise<ExportOrder> {
  const source = await fetchSource(context, input, exportInput, memory?.sourceFolder ?? workFolder);
  const [{ isolation, customCode }, engine = null] = await Promise.all([
    judgeCustomCode(context),
    memory?.engine(),
  ]);
  return {
    ...orderFor(context, input, exportInput, source),
    customCode,
    isolationLevel: isolation.level,
    engine,
  };
}

/**
 * Where the folder of the source is known beforehand, the process starts while git fetches, which takes either of them a
 * fifth of a second. It sees nothing but that folder, and does nothing before it has its order.
 */
async function renderEarly(
  context: Context,
  input: RunnerInput,
  {
    order,
    foreseen,
    waiting,
    ...rest
  }: Omit<Rendering, 'order'> & { order: Promise<ExportOrder>; foreseen: Foreseen | undefined },
): Promise<Rendered> {
  if (foreseen === undefined) return render(context, input, { order: await order, ...rest });
  const checked = heldTo(foreseen, order);
  checked.catch(() => undefined);
  const { renderProcesses } = context.config;
  try {
    const coming: ComingOrder = {
      type: 'coming',
      folder: foreseen.folder,
      renderProcesses,
      order: () => checked,
    };
    return await render(context, input, { order: coming, waiting, ...rest });
  } catch (error) {
    if (!(error instanceof LiesElsewhere)) throw error;
    return render(context, input, { order: await order, ...rest });
  }
}

function isUnexpected(error: unknown): boolean {
  return (
    error instanceof Error &&
    !(error instanceof JobFailure || error instanceof SourceError || error instanceof RunnerLost) &&
    error.name !== 'AbortError'
  );
}

async function fetchSource(
  context: Context,
  { job, signal, report, insist }: RunnerInput,
  { source }: ExportInput,
  workFolder: string,
): Promise<FetchedSource> {
  await report({ phase: 'fetching', progress: phaseStart.fetching });
  const repository = { ...tenantOf(job), repository: source.repository };
  const credential = await insist(() => borrowGitCredential(context, repository, signal));
  const wanted = { ...source, commit: job.source_commit, credential, tenant: tenantOf(job) };
  const fetched = await context.sources.fetch(wanted, workFolder, signal);
  await report({ phase: 'loading', progress: phaseStart.loading, commit: fetched.commit });
  return fetched;
}

function orderFor(
  context: Context,
  { job }: RunnerInput,
  { request }: ExportInput,
  source: FetchedSource,
): Omit<ExportOrder, 'customCode' | 'isolationLevel' | 'engine'> {
  return {
    type: 'export',
    folder: source.folder,
    origin: `https://${job.domain}`,
    version: request.version ?? null,
    commit: source.commit,
    committedAt: source.committedAt,
    renderProcesses: context.config.renderProcesses,
    offline: context.config.egress.offline,
    isSigned: true,
    isHashed: true,
    isReportWhole: true,
    options: optionsOf(request),
  };
}

interface Rendered {
  answer: Answer<'exported'>;
  manifest: Uint8Array;
}

interface Rendering {
  order: ExportOrder | ComingOrder;
  files: ReturnType<typeof filesIn>;
  memory: MemoryPlace | undefined;
  waiting?: Waiting | undefined;
}

async function render(
  context: Context,
  input: RunnerInput,
  { order, files, memory, waiting }: Rendering,
): Promise<Rendered> {
  const bundle = blobName(input.job.id, input.job.attempt, 'bundle.tar.gz');
  let ordered = order.type === 'coming' ? undefined : order;
  if (order.type === 'coming')
    void order
      .order()
      .then((ready) => (ordered = ready))
      .catch(() => undefined);
  let toldAt = 0;
  let toldPages = 0;
  let phase = '';
  let reports = Promise.resolve();
  let manifest: Uint8Array | undefined;
  let recentFindings: Answer<'progress'>['recentFindings'] = [];
  const onProgress = (message: Answer<'progress'>) => {
    ({ recentFindings } = message);
    // Each report is a durable write; a page a millisecond must not become a write a millisecond.
    const isFirstPage = toldPages === 0 && message.pageCount > 0;
    if (message.phase === phase && !isFirstPage && Date.now() - toldAt < reportEveryMs) return;
    phase = message.phase;
    toldPages = message.pageCount;
    toldAt = Date.now();
    reports = reports.then(() => input.report(progressOf(message)));
    // A job that is stopped fails by its signal; nobody may be waiting for the reports any more.
    reports.catch(() => undefined);
  };
  const writtenTo = waiting && files.bundle;
  const answer = await intoStore(context.blobs, { bundle, writtenTo, signal: input.signal }, (taking) =>
    runInProcess(order, 'exported', {
      ...taking,
      started: waiting?.started,
      signal: input.signal,
      memoryMegabytes: exportMemoryMegabytes,
      yields: true,
      hidden: context.config.dataDir,
      keepCopyIn: memory?.readableFolder,
      files: [
        { path: files.spool, use: 'write' },
        { path: files.report, use: 'write' },
        ...memoryFiles(memory),
      ],
      fetch: fetchWithin(context.config.egress, tenantOf(input.job)),
      onProgress,
      sign(bytes) {
        if (manifest !== undefined) throw new Error('The rendering process asked for a second signature.');
        manifest = bytes;
        if (ordered === undefined) throw new Error('The rendering process made a bundle without an order.');
        return signManifest(context.secrets.signer, ordered, bytes);
      },
    }),
  ).catch(async (error: unknown) => {
    await reports;
    // Those that ended it came too late for any report of progress.
    if (isStrictFailure(error)) await input.report({ recentFindings });
    throw error;
  });
  await reports;
  if (manifest === undefined) throw new Error('The rendering process packed a bundle without a manifest.');
  return { answer, manifest };
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
  reportFile: string,
  { answer, manifest, isolation }: Rendered & Required<Pick<ExportResult, 'isolation'>>,
): Promise<Outcome> {
  const { job, report, signal } = input;
  const name = blobName(job.id, job.attempt, 'manifest.json');
  // Each waits for the disk.
  await Promise.all([
    report({ phase: 'storing', progress: phaseStart.storing, pageCount: answer.pageCount }),
    context.blobs.putBytes(name, Buffer.from(manifest), signal),
    storeReport(context, input, reportFile),
  ]);
  const { sizeBytes, sha256, fileCount, warnings, errors, pageCount } = answer;
  if (sha256 === null) throw new Error('The rendering process packed a bundle without telling its hash.');
  const result: ExportResult = {
    bundle: { sizeBytes, sha256, fileCount },
    warnings,
    errors,
    attempt: job.attempt,
    isolation,
  };
  return { result, pageCount, bundleBytes: sizeBytes };
}

function isStrictFailure(error: unknown): boolean {
  return error instanceof JobFailure && error.failure.code === 'strict_failed';
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
    return new JobFailure(error.code, error.message, error.hint === undefined ? {} : { hint: error.hint });
  }
  if (isDiskFull(error)) {
    return new JobFailure('storage_failed', 'The disk is full.', {
      hint: 'Free some space, then retry the job.',
    });
  }
  return error;
}
