/**
 * `docyard export FOLDER`: exports a folder to a bundle without a service. For the same commit and options the bundle
 * is byte-identical to that of a service.
 */
import { createReadStream } from 'node:fs';
import { access, constants, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import { fileErrorReason } from '@docyard/site/disk';
import type { ExportOrder } from '../exports/messages.ts';
import { fetchWithin } from '../exports/fetches.ts';
import { findIsolation } from '../sandbox/isolation.ts';
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
import { cacheFiles, type CacheFolder } from '../build-cache/cache-folder.ts';
import { openLocalCache } from './local-cache.ts';
import { bytesText, Progress } from './progress.ts';
import { rulesOf } from './remote.ts';
import { addSiteOptions, refuseInvalidOptions, type SiteOptions } from './site-options.ts';
import { gitIn } from './git.ts';
import { readSourceFacts } from './source-facts.ts';
import { hasColors, printable } from './terminal.ts';
import { counted } from './print.ts';

interface LocalExportOptions extends FailOptions, SiteOptions {
  output: string;
  version?: string;
  contentKeyFile?: string;
  audience?: string[];
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
      'Export a folder to a bundle without a service. The subcommands manage exports of a service.',
    )
    // Options of a subcommand would otherwise be parsed as options of this one.
    .enablePositionalOptions()
    .argument('[folder]', 'folder with docs.json', '.')
    .option('-o, --output <file>', 'output file, - for standard output', 'site.tar.gz')
    .option('--version <label>', 'your own version label, stored in the bundle')
    .option('--content-key-file <file>', 'include the pages for groups, sealed with this key')
    .option('--audience <group...>', 'export for the members of these groups only')
    .addOption(new Option('--groups <name...>', 'the same as --audience').hideHelp())
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'show no progress');
  addFailOptions(addSiteOptions(command), 'nothing').addHelpText('after', examples).action(exportFolder);
}

async function exportFolder(folder: string, options: LocalExportOptions): Promise<void> {
  const started = performance.now();
  refuseInvalidOptions(options);
  const contentKey = await contentKeyOf(options);
  await refuseOutput(options);
  // The probe runs while this process loads the rest of its code.
  void findIsolation();
  const failOn = await failOnOf(options, []);
  const root = resolve(folder);
  await requireFolder(root);
  const work = await mkdtemp(join(tmpdir(), 'docyard-export-'));
  const draft = draftFor(options.output, work);
  try {
    const { report, packed, pages, sealedAudiences, omittedAudiences } = await render(
      root,
      { work, draft, contentKey },
      options,
    );
    const delivered = failOn.length === 0 ? deliver(draft, options.output) : undefined;
    // The caller that awaits it handles the rejection.
    delivered?.catch(() => undefined);
    annotate(report.diagnostics, root);
    // Standard output may carry the bundle.
    const output = options.output === '-' ? process.stderr : process.stdout;
    if (!options.json) printFindings(report, root, output);
    const counting = await countOf(report, failOn);
    if (counting > 0) {
      const message = `No bundle was created: ${counting} failing findings.`;
      throw new CommandError(message, 'problems_found', { byCode: report.byCode });
    }
    await (delivered ?? deliver(draft, options.output));
    const seconds = Math.round(performance.now() - started) / 1000;
    const { errors, warnings } = report;
    const file = options.output;
    const summary = { file, pages, warnings, errors, sealedAudiences, ...packed, seconds };
    const text = `${file}: ${counted(pages, 'page')}, ${counted(packed.fileCount, 'file')}, ${bytesText(packed.sizeBytes)} in ${seconds.toFixed(2)} s.\nsha256 ${packed.sha256}\n`;
    if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else output.write(text);
    if (omittedAudiences > 0) process.stderr.write(omittedNotice);
  } finally {
    await rm(draft, { force: true });
    await rm(work, { recursive: true, force: true });
  }
}

const omittedNotice =
  'The bundle contains no pages for groups. Pass --content-key-file to include them sealed, or --audience to export for one audience.\n';

function audienceIn({
  audience = [],
  group = [],
  groups = [],
}: Pick<LocalExportOptions, 'audience' | 'group' | 'groups'>): string[] {
  return [...audience, ...group, ...groups];
}

async function contentKeyOf(options: LocalExportOptions): Promise<string | null> {
  const { contentKeyFile } = options;
  if (contentKeyFile === undefined) return null;
  if (audienceIn(options).length > 0)
    throw new CommandError(
      'Pass --audience or --content-key-file, not both. A bundle for one audience has no sealed pages.',
      'usage',
    );
  const [{ readContentKey }, { contentKeyText }] = await Promise.all([
    import('./content-key.ts'),
    import('@docyard/bundle'),
  ]);
  return contentKeyText(await readContentKey(contentKeyFile));
}

/** Loading the renderer is slow and usually not needed. */
async function countOf({ diagnostics }: ReportOfFindings, failOn: string[]): Promise<number> {
  if (failOn.length === 0) return 0;
  const { countingFindings } = await import('@docyard/render/report');
  return countingFindings(diagnostics, failOn).length;
}

async function refuseOutput({ output, json }: LocalExportOptions): Promise<void> {
  if (output === '-' && json) {
    throw new CommandError('--json and --output - would both use standard output.', 'usage');
  }
  if (output === '-' && process.stdout.isTTY) {
    throw new CommandError('Refusing to write a bundle to the terminal. Pass a file with --output.', 'usage');
  }
  if (/\.zip$/i.test(output)) {
    throw new CommandError('Bundles are .tar.gz files. Pass a file name with --output.', 'usage');
  }
  const found = await stat(output).catch(() => undefined);
  if (found?.isDirectory()) {
    throw new CommandError(
      `${output} is a folder. To write a folder, use docyard build --out ${output}.`,
      'usage',
    );
  }
  const folder = dirname(resolve(output));
  // With the separator a file is not a folder.
  await access(folder + sep, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot write to ${folder}: ${fileErrorReason(error)}. Choose another --output.`);
  });
}

interface Exported {
  report: ReportOfFindings;
  packed: { sizeBytes: number; sha256: string; fileCount: number };
  pages: number;
  sealedAudiences: number;
  omittedAudiences: number;
}

/** Uses the service's sandbox: the folder may contain untrusted files. */
async function render(
  root: string,
  { work, draft, contentKey }: { work: string; draft: string; contentKey: string | null },
  options: LocalExportOptions,
  isFresh = options.fresh,
): Promise<Exported> {
  const { exportMemoryMegabytes, RenderingError, runInProcess } = await import('../exports/process.ts');
  const egress = rulesOf(options);
  const siteOptions = siteOptionsOf(options);
  const cache = isFresh
    ? undefined
    : await openLocalCache('exports', [
        root,
        siteOptions,
        options.origin,
        options.version ?? null,
        egress.offline,
      ]);
  const reportFile = join(work, 'report.json');
  const progress = new Progress({ unit: 'pages', quiet: options.quiet, json: options.json });
  try {
    const order = await orderFor(root, options, {
      siteOptions,
      isOffline: egress.offline ?? false,
      cache,
      contentKey,
    });
    const sign = await signerFor(order);
    const answer = await runInProcess({ ...order, isSigned: sign !== undefined }, 'exported', {
      signal: new AbortController().signal,
      memoryMegabytes: exportMemoryMegabytes,
      fetch: fetchWithin(egress),
      keepCopyIn: cache?.readableFolder,
      files: [
        { path: join(work, 'spool'), use: 'write' },
        { path: reportFile, use: 'write' },
        ...cacheFiles(cache),
      ],
      onProgress({ phase, share, pageCount: done, totalPages: total }) {
        if (phase === 'rendering') progress.update({ phase, share, done, total: total ?? undefined });
      },
      readHistory: () => readSourceFacts(root),
      sign: (manifest) => sign?.(manifest) ?? '',
      outputFile: draft,
    });
    await cache?.completed(answer.cacheBytes);
    const { pageCount: pages, sizeBytes, fileCount, sha256, sealedAudiences, omittedAudiences } = answer;
    return {
      report: await readReport(reportFile),
      packed: { sizeBytes, sha256, fileCount },
      pages,
      sealedAudiences,
      omittedAudiences,
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).path === draft) cannotWrite(options, error);
    if (!cache || !(error instanceof RenderingError)) throw await explained(error);
    await cache.discard();
  } finally {
    progress.end();
    cache?.release();
  }
  // A corrupt cache may be the cause; it has been discarded.
  return render(root, { work, draft, contentKey }, options, true);
}

async function orderFor(
  root: string,
  options: LocalExportOptions,
  {
    siteOptions,
    isOffline,
    cache,
    contentKey,
  }: {
    siteOptions: ReturnType<typeof siteOptionsOf>;
    isOffline: boolean;
    cache: CacheFolder | undefined;
    contentKey: string | null;
  },
): Promise<ExportOrder> {
  const [origin, { level }, engine = null] = await Promise.all([
    originOf(root),
    findIsolation(),
    cache?.engine(),
  ]);
  return {
    type: 'export',
    folder: root,
    origin: options.origin ?? '',
    version: options.version ?? null,
    ...origin,
    renderProcesses: availableParallelism(),
    offline: isOffline,
    // The caller has chosen the folder, so its code is trusted.
    customCode: 'run',
    engine,
    isolationLevel: level,
    contentKey,
    isSigned: false,
    hasPageSizes: false,
    options: { ...siteOptions, paths: null, strict: false, failOn: [] },
  };
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

/** The draft is next to the output, so that renaming it is atomic. */
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
  ...options
}: LocalExportOptions) {
  return { basePath: basePath ?? null, urlStyle, airGapped, customScripts, groups: audienceIn(options) };
}

/** Turns the error for a folder without a site into a message. */
async function explained(error: unknown): Promise<unknown> {
  const { JobFailedError } = await import('../jobs/failure.ts');
  if (!(error instanceof JobFailedError)) return error;
  const { file, line, message, hint } = error.failure;
  const place = [file, line].filter((part) => part !== null && part !== '').join(':');
  const text = `${place === '' ? '' : `${place}: `}${message.replace(/\.$/, '')}.${hint === null ? '' : ` ${hint}`}`;
  return new CommandError(printable(text));
}

/** Signs with SIGNING_KEY or SIGNING_KEY_FILE, as the service does; without them the bundle is unsigned. */
async function signerFor(facts: {
  version: string | null;
  commit: string | null;
}): Promise<((manifest: Uint8Array) => string) | undefined> {
  // Reading all settings is slow.
  if (!process.env['SIGNING_KEY'] && !process.env['SIGNING_KEY_FILE']) return undefined;
  const [{ readConfig }, { parseSecretKey, sign, trustedComment }] = await Promise.all([
    import('../config.ts'),
    import('@docyard/bundle'),
  ]);
  const { signingKey } = readConfig(process.env);
  if (signingKey === null) return undefined;
  const key = parseSecretKey(signingKey);
  return (manifest) => sign(key, manifest, trustedComment(facts));
}

/** The commit of the folder; none outside of git, and none when files differ from it or are ignored by it. */
async function originOf(folder: string): Promise<Origin> {
  const run = gitIn(folder, { seconds: 30, bytes: 16e6 });
  const git = async (...args: string[]) => (await run(...args)).trim();
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
  else await rename(draft, output).catch((error: unknown) => cannotWrite({ output }, error));
}

const maxShown = 20;

function printFindings(report: ReportOfFindings, root: string, stream: NodeJS.WriteStream): void {
  const colors = hasColors(stream);
  const more = 'report.html of the bundle';
  stream.write(
    findingsText(withoutNotes(report), { root, colors, maxShown, more }) + summaryText(report, colors),
  );
}
