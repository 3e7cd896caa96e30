/**
 * `docyard export FOLDER`: the bundle of a folder, without a service. For the same commit and options it has the bytes that
 * a service would make, so either side can check the other.
 */
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { access, constants, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { Option, type Command } from 'commander';
import { fileErrorReason } from '../file-error.ts';
import type { ExportOrder } from '../exports/messages.ts';
import type { Isolation } from '../rendering/isolation.ts';
import { annotate } from './annotations.ts';
import { CommandError } from './errors.ts';
import {
  addFailOptions,
  failOnOf,
  findingsText,
  requireFolder,
  summaryText,
  withoutNotes,
  type FailOptions,
  type ReportOfFindings,
} from './findings.ts';
import { memoryFiles } from '../exports/project-memory.ts';
import { GrowingFile } from './growing-file.ts';
import { openLocalMemory } from './local-memory.ts';
import { bytesText, Progress } from './progress.ts';
import { rulesOf } from './remote.ts';
import { replaceFile } from './replace-file.ts';
import { addSiteOptions, type SiteOptions } from './site-options.ts';
import { hasColors, printable } from './terminal.ts';

interface LocalExportOptions extends FailOptions, SiteOptions {
  output: string;
  version?: string;
  groups?: string[];
  json?: boolean;
  quiet?: boolean;
}

interface Origin {
  commit: string | null;
  committedAt: string | null;
}

const examples = `
Examples:
  docyard export ./docs --output site.tar.gz
  docyard export ./docs --output - | ssh host "tar xz -C /var/www/docs"
  docyard export start docs.example.com --wait     on a service
`;

export function describeLocalExport(command: Command): void {
  command
    .description(
      'Export a folder to a bundle, without a service; or, with a subcommand, work with the exports of a service.',
    )
    // Options of a subcommand would otherwise be taken for those of this one.
    .enablePositionalOptions()
    .argument('[folder]', 'folder that holds docs.json', '.')
    .option('-o, --output <file>', 'where the bundle goes, - for standard output', 'site.tar.gz')
    .option('--version <label>', 'a label of your own, kept in the bundle')
    .addOption(new Option('--groups <name...>', 'the same as --group').hideHelp())
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'show no progress');
  addFailOptions(addSiteOptions(command), 'nothing').addHelpText('after', examples).action(exportFolder);
}

async function exportFolder(folder: string, options: LocalExportOptions): Promise<void> {
  const started = performance.now();
  await refuseOutput(options);
  const failOn = await failOnOf(options, []);
  const root = resolve(folder);
  await requireFolder(root);
  // It takes as long as everything else that is done before a page can be rendered.
  const isolation = import('../rendering/isolation.ts').then(({ findIsolation }) => findIsolation());
  const work = await mkdtemp(join(tmpdir(), 'docyard-export-'));
  const draft = draftFor(options.output, work);
  try {
    // Known before, since all files of a checkout are looked at for it.
    let isCodeMissing: Promise<boolean> | undefined;
    const { report, packed, pages } = await render(
      root,
      { work, draft, isolation, onRendering: () => (isCodeMissing ??= lacksCompiledCode()) },
      options,
    );
    const delivered = failOn.length === 0 ? deliver(draft, options.output) : undefined;
    // Whoever waits for it tells of it.
    delivered?.catch(() => undefined);
    annotate(report.diagnostics, root);
    // Standard output may be where the bundle goes.
    const say = options.output === '-' ? process.stderr : process.stdout;
    if (!options.json) tellFindings(report, root, say);
    const counting = await countOf(report, failOn);
    if (counting > 0) {
      const message = `No bundle was made: ${counting} of the findings count.`;
      throw new CommandError(message, 'problems_found', { byCode: report.byCode });
    }
    await (delivered ?? deliver(draft, options.output));
    const seconds = Math.round(performance.now() - started) / 1000;
    const { errors, warnings } = report;
    const file = options.output;
    const summary = { file, pages, warnings, errors, ...packed, seconds };
    const told = `${file}: ${pages} pages, ${packed.fileCount} files, ${bytesText(packed.sizeBytes)} in ${seconds.toFixed(2)} s.\nsha256 ${packed.sha256}\n`;
    if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else say.write(told);
    if (await isCodeMissing) await keepCode();
  } finally {
    await rm(draft, { force: true });
    await rm(work, { recursive: true, force: true });
  }
}

async function lacksCompiledCode(): Promise<boolean> {
  const { isCompiledCodeMissing } = await import('../exports/compiled-code.ts');
  // Whoever cannot tell leaves it to the next run.
  return isCompiledCodeMissing().catch(() => false);
}

/** The bundle is there, whatever becomes of this. */
async function keepCode(): Promise<void> {
  const { keepCompiledCode } = await import('../exports/compiled-code.ts');
  await keepCompiledCode().catch(() => undefined);
}

/** The renderer takes a tenth of a second to load, and usually nothing counts. */
async function countOf({ diagnostics }: ReportOfFindings, failOn: string[]): Promise<number> {
  if (failOn.length === 0) return 0;
  const { countingFindings } = await import('@docyard/render');
  return countingFindings(diagnostics, failOn).length;
}

async function refuseOutput({ output, json }: LocalExportOptions): Promise<void> {
  if (output === '-' && json) {
    throw new CommandError('--json and --output - would both use standard output.', 'usage');
  }
  if (output === '-' && process.stdout.isTTY) {
    throw new CommandError('A bundle on a terminal helps nobody. Name a file with --output.', 'usage');
  }
  if (/\.zip$/i.test(output)) {
    throw new CommandError(
      'Bundles are .tar.gz, which every system can unpack. Name one with --output.',
      'usage',
    );
  }
  const found = await stat(output).catch(() => undefined);
  if (found?.isDirectory()) {
    throw new CommandError(`${output} is a folder. docyard build --out ${output} writes one.`, 'usage');
  }
  const folder = dirname(resolve(output));
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot write to ${folder}: ${fileErrorReason(error)}. Choose another --output.`);
  });
}

interface Exported {
  report: ReportOfFindings;
  packed: { sizeBytes: number; sha256: string; fileCount: number };
  pages: number;
}

interface Around {
  work: string;
  draft: string;
  isolation: Promise<Isolation>;
  /** There is little to do for this process from now on. */
  onRendering: () => unknown;
}

/**
 * By the very process that a service would start, shut in the same way: a folder may hold the work of strangers too. It starts
 * while the walls are tried and its order is worked out, half a second that nobody has to wait for.
 */
async function render(
  root: string,
  around: Around,
  options: LocalExportOptions,
  isFresh = options.fresh,
): Promise<Exported> {
  const { work, draft, isolation, onRendering } = around;
  keepSmall();
  const [{ exportMemoryMegabytes, RenderingFailed, runInProcess }, { fetchWithin }] = await Promise.all([
    import('../exports/process.ts'),
    import('../exports/fetches.ts'),
  ]);
  const egress = rulesOf(options);
  const version = options.version ?? null;
  const chosen = siteOptionsOf(options);
  const memory = isFresh
    ? undefined
    : await openLocalMemory('exports', [root, chosen, options.origin, version, egress.offline]);
  const [spool, reportFile] = [join(work, 'spool'), join(work, 'report.json')];
  const progress = new Progress({ unit: 'pages', quiet: options.quiet, json: options.json });
  const renderProcesses = availableParallelism();
  let written: GrowingFile | undefined;
  let report: Promise<ReportOfFindings> | undefined;
  let sign: ((manifest: Uint8Array) => string) | undefined;
  const workOut = async (): Promise<ExportOrder> => {
    const [source, { level }, engine = null] = await Promise.all([
      originOf(root),
      isolation,
      memory?.engine(),
    ]);
    sign = await signerFor({ version, commit: source.commit });
    return {
      type: 'export',
      folder: root,
      origin: options.origin ?? '',
      version,
      ...source,
      renderProcesses,
      offline: egress.offline ?? false,
      // Whoever runs this command has chosen the folder.
      customCode: 'run',
      engine,
      isolationLevel: level,
      isSigned: sign !== undefined,
      isHashed: false,
      // Only findings are told here, and to read of 50,000 pages besides takes 34 MB.
      isReportWhole: false,
      options: { ...chosen, paths: null, strict: false, failOn: [] },
    };
  };
  const rendering = explainFailure(
    runInProcess({ type: 'coming', folder: root, renderProcesses, order: workOut }, 'exported', {
      signal: new AbortController().signal,
      memoryMegabytes: exportMemoryMegabytes,
      fetch: fetchWithin(egress),
      keepCopyIn: memory?.readableFolder,
      files: [{ path: spool, use: 'write' }, { path: reportFile, use: 'write' }, ...memoryFiles(memory)],
      onProgress({ phase, share, pageCount: done, totalPages: total }) {
        if (phase === 'packing') {
          written ??= new GrowingFile(draft);
          // There by now, and this process has nothing else to do.
          report ??= readReport(reportFile);
          report.catch(() => undefined);
        }
        if (phase !== 'rendering') return;
        onRendering();
        progress.tell({ phase, share, done, total: total ?? undefined });
      },
      sign: (manifest) => sign?.(manifest) ?? '',
      outputFile: draft,
    }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).path === draft) cannotWrite(options, error);
      throw error;
    }),
  ).finally(() => {
    progress.end();
    memory?.release();
  });
  const answer = await rendering.catch(async (error: unknown) => {
    await written?.close();
    if (!memory || !(error instanceof RenderingFailed)) throw error;
    await memory.discard();
    return undefined;
  });
  // What was remembered may be damaged, and is forgotten by now.
  if (answer === undefined) return render(root, around, options, true);
  const { pageCount, memoryBytes, sizeBytes, fileCount } = answer;
  const [sha256, found] = await Promise.all([
    (written ?? new GrowingFile(draft)).sha256(sizeBytes),
    report ?? readReport(reportFile),
    memory?.completed(memoryBytes),
  ]);
  return { report: found, packed: { sizeBytes, sha256, fileCount }, pages: pageCount };
}

async function readReport(file: string): Promise<ReportOfFindings> {
  const { ReportFile } = await import('../exports/messages.ts');
  const {
    slowest: _slowest,
    weights: _weights,
    ...report
  } = ReportFile.parse(JSON.parse(await readFile(file, 'utf8')));
  return report as ReportOfFindings;
}

/** From here on this process listens and little else: what it hears for minutes need not pile up before it is thrown away. */
function keepSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Beside its place, so that a file of that name is always a whole bundle, and nothing is copied at the end. */
function draftFor(output: string, work: string): string {
  return output === '-' ? join(work, 'bundle.tar.gz') : `${resolve(output)}.${process.pid}.draft`;
}

function cannotWrite({ output }: Pick<LocalExportOptions, 'output'>, error: unknown): never {
  if (output === '-' || (error as NodeJS.ErrnoException).errno === undefined) throw error;
  throw new CommandError(`Cannot write ${output}: ${fileErrorReason(error)}. Choose another --output.`);
}

function siteOptionsOf({
  basePath,
  urlStyle,
  airGapped = false,
  customScripts = 'skip',
  group = [],
  groups = [],
}: LocalExportOptions) {
  return { basePath: basePath ?? null, urlStyle, airGapped, customScripts, groups: [...group, ...groups] };
}

/** A folder that holds no site ends the command with a sentence. */
async function explainFailure<Result>(rendering: Promise<Result>): Promise<Result> {
  return rendering.catch(async (error: unknown) => {
    const { JobFailure } = await import('../jobs/failure.ts');
    if (!(error instanceof JobFailure)) throw error;
    const { file, line, message, hint } = error.failure;
    const place = [file, line].filter((part) => part !== null && part !== '').join(':');
    const told = `${place === '' ? '' : `${place}: `}${message.replace(/\.$/, '')}.${hint === null ? '' : ` ${hint}`}`;
    throw new CommandError(printable(told));
  });
}

/** With the key that SIGNING_KEY or SIGNING_KEY_FILE gives, as in the service; without one the bundle is not signed. */
async function signerFor(facts: {
  version: string | null;
  commit: string | null;
}): Promise<((manifest: Uint8Array) => string) | undefined> {
  // Reading all settings for it takes 20 ms.
  if (!process.env['SIGNING_KEY'] && !process.env['SIGNING_KEY_FILE']) return undefined;
  const [{ readConfig }, { parseSecretKey, sign }, { trustedComment }] = await Promise.all([
    import('../config.ts'),
    import('../bundles/signature.ts'),
    import('../bundles/manifest.ts'),
  ]);
  const { signingKey } = readConfig(process.env);
  if (signingKey === null) return undefined;
  const key = parseSecretKey(signingKey);
  return (manifest) => sign(key, manifest, trustedComment(facts));
}

const run = promisify(execFile);

/** The commit that the folder is at; none outside of git, and none when files differ from it or are left out of it. */
async function originOf(folder: string): Promise<Origin> {
  const git = async (...args: string[]) =>
    (await run('git', ['-C', folder, ...args], { timeout: 30_000, maxBuffer: 16e6 })).stdout.trim();
  try {
    const [changes] = await Promise.all([
      git('status', '--porcelain', '--', '.'),
      git('rev-parse', '--verify', 'HEAD:./'),
    ]);
    if (changes !== '') return { commit: null, committedAt: null };
    const [commit = '', seconds = ''] = (await git('log', '-1', '--format=%H %ct')).split(' ');
    return { commit, committedAt: new Date(Number(seconds) * 1000).toISOString() };
  } catch {
    return { commit: null, committedAt: null };
  }
}

async function deliver(draft: string, output: string): Promise<void> {
  if (output === '-') await pipeline(createReadStream(draft), process.stdout, { end: false });
  else await replaceFile(draft, output).catch((error: unknown) => cannotWrite({ output }, error));
}

const mostShown = 20;

function tellFindings(report: ReportOfFindings, root: string, stream: NodeJS.WriteStream): void {
  const colors = hasColors(stream);
  const more = 'report.html of the bundle';
  stream.write(
    findingsText(withoutNotes(report), { root, colors, mostShown, more }) + summaryText(report, colors),
  );
}
