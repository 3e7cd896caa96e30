/**
 * `docyard export FOLDER`: the bundle of a folder, without a service. For the same commit and options it has the bytes that
 * a service would make, so either side can check the other.
 */
import { execFile } from 'node:child_process';
import { closeSync, createReadStream, existsSync, openSync } from 'node:fs';
import { access, constants, copyFile, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Site, SiteReport } from '@docyard/render';
import { Option, type Command } from 'commander';
import { Archive, type PackedArchive } from '../bundles/archive.ts';
import { nearest } from '../deployments/nearest.ts';
import { annotate } from './annotations.ts';
import { CommandError } from './errors.ts';
import {
  addFailOptions,
  failOnOf,
  findingsText,
  loadOrExplain,
  summaryText,
  withoutNotes,
  type FailOptions,
} from './findings.ts';
import { bytesText, Progress } from './progress.ts';
import { remoteFetch } from './remote.ts';
import { addSiteOptions, renderOptionsOf, type SiteOptions } from './site-options.ts';
import { hasColors } from './terminal.ts';

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

async function exportFolder(folder: string, options: LocalExportOptions, command: Command): Promise<void> {
  const started = performance.now();
  await refuseOutput(options);
  const subcommands = command.commands.map((subcommand) => subcommand.name());
  refuseMistypedSubcommand(folder, subcommands);
  const failOn = await failOnOf(options, []);
  const { countingFindings } = await import('@docyard/render');
  const root = resolve(folder);
  const site = await loadOrExplain({ root, fetchRemote: remoteFetch(options) });
  const work = await mkdtemp(join(tmpdir(), 'docyard-export-'));
  try {
    const bundle = await render(site, work, options);
    const { report } = bundle;
    annotate(report.diagnostics, root);
    // Standard output may be where the bundle goes.
    const say = options.output === '-' ? process.stderr : process.stdout;
    if (!options.json) tellFindings(report, root, say);
    const counting = countingFindings(report.diagnostics, failOn);
    if (counting.length > 0) {
      const message = `No bundle was made: ${counting.length} of the findings count.`;
      throw new CommandError(message, 'problems_found', { byCode: report.byCode });
    }
    const draft = join(work, 'bundle.tar.gz');
    const packed = await bundle.packTo(draft);
    await deliver(draft, options.output);
    const seconds = Math.round(performance.now() - started) / 1000;
    const { errors, warnings } = report;
    const file = options.output;
    const summary = { file, pages: bundle.pages, warnings, errors, ...packed, seconds };
    const told = `${file}: ${bundle.pages} pages, ${packed.fileCount} files, ${bytesText(packed.sizeBytes)} in ${seconds.toFixed(2)} s.\nsha256 ${packed.sha256}\n`;
    if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
    else say.write(told);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
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
    throw new CommandError(`The folder ${folder} cannot be written to (${error.code}).`);
  });
}

/** Without a subcommand the first word is a folder, also when it was meant as something else. */
function refuseMistypedSubcommand(folder: string, subcommands: readonly string[]): void {
  if (!/^[a-z]+$/.test(folder) || existsSync(folder)) return;
  const meant = nearest(folder, subcommands);
  const hint = meant === undefined ? 'docyard export --help lists them.' : `Did you mean ${meant}?`;
  throw new CommandError(`There is no folder ${folder}, and no subcommand of that name. ${hint}`, 'usage');
}

async function render(site: Site, work: string, options: LocalExportOptions) {
  const { engineVersion, renderSite } = await import('@docyard/render');
  const { manifestBytes, manifestName, signatureName } = await import('../bundles/manifest.ts');
  const version = options.version ?? null;
  const source = await originOf(site.root);
  const archive = new Archive(join(work, 'spool'));
  const progress = new Progress({ unit: 'pages', quiet: options.quiet, json: options.json });
  const total = site.pages.length;
  let pages = 0;
  let report: SiteReport | undefined;
  const group = [...(options.group ?? []), ...(options.groups ?? [])];
  const wanted = { ...renderOptionsOf({ ...options, group }), ...(version === null ? {} : { version }) };
  for await (const event of renderSite(site, wanted)) {
    if (event.type === 'report') report = event.report;
    if (event.type !== 'file') continue;
    const { path, content, kind } = event.file;
    if (content instanceof Uint8Array) archive.add(path, content);
    else archive.addFile(path, content.copyFrom);
    if (kind === 'page') pages += 1;
    const share = Math.min(1, pages / Math.max(1, total));
    progress.tell({ phase: 'rendering', share, done: pages, total });
  }
  progress.end();
  if (report === undefined) throw new Error('the renderer ended without a report');
  return {
    report,
    pages,
    async packTo(file: string): Promise<PackedArchive> {
      const manifest = manifestBytes({ engineVersion, version, ...source, pages, files: archive.list() });
      archive.add(manifestName, manifest);
      const signature = await signatureOf(manifest, { version, commit: source.commit });
      if (signature !== undefined) archive.add(signatureName, Buffer.from(signature));
      const output = openSync(file, 'w');
      try {
        return await archive.pack(output);
      } finally {
        closeSync(output);
        archive.close();
      }
    },
  };
}

/** With the key that SIGNING_KEY or SIGNING_KEY_FILE gives, as in the service; without one the bundle is not signed. */
async function signatureOf(
  manifest: Uint8Array,
  facts: { version: string | null; commit: string | null },
): Promise<string | undefined> {
  const [{ readConfig }, { parseSecretKey, sign }, { trustedComment }] = await Promise.all([
    import('../config.ts'),
    import('../bundles/signature.ts'),
    import('../bundles/manifest.ts'),
  ]);
  const { signingKey } = readConfig(process.env);
  return signingKey === null ? undefined : sign(parseSecretKey(signingKey), manifest, trustedComment(facts));
}

const run = promisify(execFile);

/** The commit that the folder is at; none outside of git, and none when files differ from it. */
async function originOf(folder: string): Promise<Origin> {
  const git = async (...args: string[]) =>
    (await run('git', ['-C', folder, ...args], { timeout: 30_000, maxBuffer: 16e6 })).stdout.trim();
  try {
    if ((await git('status', '--porcelain', '--', '.')) !== '') return { commit: null, committedAt: null };
    const [commit = '', seconds = ''] = (await git('log', '-1', '--format=%H %ct')).split(' ');
    return { commit, committedAt: new Date(Number(seconds) * 1000).toISOString() };
  } catch {
    return { commit: null, committedAt: null };
  }
}

/** Beside its place first, so that a file of that name is always a whole bundle. */
async function deliver(draft: string, output: string): Promise<void> {
  if (output === '-') {
    await pipeline(createReadStream(draft), process.stdout, { end: false });
    return;
  }
  const beside = `${resolve(output)}.${process.pid}.draft`;
  try {
    await copyFile(draft, beside);
    await rename(beside, output);
  } catch (error) {
    await rm(beside, { force: true });
    throw new CommandError(`${output} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}

const mostShown = 20;

function tellFindings(report: SiteReport, root: string, stream: NodeJS.WriteStream): void {
  const colors = hasColors(stream);
  const more = 'report.html of the bundle';
  stream.write(
    findingsText(withoutNotes(report), { root, colors, mostShown, more }) + summaryText(report, colors),
  );
}
