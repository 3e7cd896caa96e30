/** `docyard export`: exports of a running service over its API; without a subcommand, an export of a local folder. */
import type { DocyardClient, ExportJob, StartExport } from '@docyard/api';
import { exportStatuses } from '@docyard/api/constants';
import { Option, type Command } from 'commander';
import { addServerOptions, connect, onlyProject, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { describeDownload, downloadTo } from './export-download.ts';
import { describeLocalExport } from './export-local.ts';
import { addWaitOptions, follow, type WaitOptions } from './export-wait.ts';
import { print, showFacts } from './print.ts';
import { bytesText } from './progress.ts';
import { type CustomScripts, customScriptsOption, urlStyles } from './site-options.ts';

const startExamples = `
Examples:
  docyard export start docs.example.com --wait
  docyard export start docs.example.com --version 2.4.1 --download bundle.tar.gz
  docyard export start docs.example.com --fail-on error,broken_link --wait
`;

const waitExamples = `
Examples:
  docyard export wait se_3f9a2c1b8e7d4a06 --timeout 600
  docyard export wait se_3f9a2c1b8e7d4a06 --watch | jq .progress
`;

const listExamples = `
Examples:
  docyard export list --domain docs.example.com --status completed
  docyard export list --since 2026-03-01 --json
`;

export function describeExport(command: Command): void {
  describeLocalExport(command);

  addWaitOptions(addServerOptions(command.command('start').description('Start an export on a service.')))
    .argument('[domain]', 'domain of the project (default: the only project)')
    .option('--project <id>', 'project id instead of a domain')
    .option('--version <label>', 'your own version label, stored in the record and the bundle')
    .option('--ref <name>', 'branch, tag or commit (default: the ref of the project)')
    .option('--path <path...>', 'only these pages')
    .option('--base-path <path>', 'path of the site on its host, for example /docs')
    .addOption(new Option('--url-style <style>', 'style of page URLs').choices(urlStyles))
    .option('--audience <group...>', 'export for the members of these groups only')
    .addOption(new Option('--group <name...>', 'the same as --audience').hideHelp())
    .option('--strict', 'fail the job when a page has an error')
    .option('--fail-on <list>', 'fail the job on these findings: error, warning, info or codes')
    .option('--air-gapped', 'omit features that need a network')
    .addOption(customScriptsOption())
    .option('--metadata <name=value...>', 'your own metadata, stored in the record')
    .option('--idempotency-key <key>', 'repeating a start with the same key returns the first job')
    .option('--wait', 'wait until the job ends')
    .option('--download <file>', 'wait, then download the bundle to this file')
    .addHelpText('after', startExamples)
    .action(start);

  withJob(command.command('status').description('Show an export.')).action(status);

  withJob(addWaitOptions(command.command('wait').description('Follow an export until it ends.')))
    .option('--watch', 'print every change as a line of JSON')
    .addHelpText('after', waitExamples)
    .action(wait);

  describeDownload(command.command('download'));

  addServerOptions(command.command('list').description('List exports, newest first.'))
    .option('--domain <host>', 'only exports of this domain')
    .addOption(new Option('--status <status>', 'only exports with this status').choices([...exportStatuses]))
    .option('--since <date>', 'only exports created at or after this time')
    .option('--project <id>', 'only exports of this project')
    .option('--canceled', 'only canceled exports')
    .option('--no-canceled', 'only exports that were not canceled')
    .option('--search <text>', 'only rows that contain these words')
    .addOption(
      new Option('--sort <field>', 'sort order; a leading minus sign makes it descending').choices([
        ...exportOrders,
      ]),
    )
    .option('--limit <number>', 'maximum number of exports', '20')
    .addHelpText('after', listExamples)
    .action(list);

  withJob(command.command('cancel').description('Cancel an export.')).action(cancel);
}

function withJob(command: Command): Command {
  return addServerOptions(command).argument('<job>', 'id of the job, such as se_…');
}

interface StartOptions extends WaitOptions {
  project?: string;
  version?: string;
  ref?: string;
  path?: string[];
  basePath?: string;
  urlStyle?: StartExport['urlStyle'];
  audience?: string[];
  group?: string[];
  strict?: boolean;
  failOn?: string;
  airGapped?: boolean;
  customScripts?: CustomScripts;
  metadata?: string[];
  idempotencyKey?: string;
  wait?: boolean;
  download?: string;
}

async function start(domain: string | undefined, options: StartOptions): Promise<void> {
  if (domain !== undefined && options.project !== undefined) {
    throw new CommandError('Pass either a domain or --project.', 'usage');
  }
  const metadata = metadataOf(options.metadata);
  const client = await connect(options);
  const { idempotencyKey } = options;
  const started = await client.call(
    'startExport',
    { body: { ...(await requestOf(client, domain, options)), ...metadata } },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
  if (!options.wait && options.download === undefined) return show(options, started);
  const job = await follow(client, started.jobId, options, () => {
    if (!options.json && !options.quiet) process.stderr.write(`Started ${started.jobId}.\n`);
  });
  if (options.download === undefined) return show(options, job);
  const downloaded = await downloadTo(client, job.jobId, { ...options, output: options.download });
  if (options.json) process.stdout.write(`${JSON.stringify({ ...job, download: downloaded }, null, 2)}\n`);
  else show(options, job, [['file', downloaded.file]]);
}

async function requestOf(
  client: DocyardClient,
  domain: string | undefined,
  options: StartOptions,
): Promise<StartExport> {
  const given = {
    version: options.version,
    ref: options.ref,
    paths: options.path,
    basePath: options.basePath,
    urlStyle: options.urlStyle,
    audience: options.audience ?? options.group,
    strict: options.strict,
    airGapped: options.airGapped,
    customScripts: options.customScripts,
    failOn: options.failOn?.split(',').map((name) => name.trim()),
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    domain: domain ?? (await domainOf(client, options.project)),
    ...(Object.fromEntries(known) as Partial<StartExport>),
  };
}

async function domainOf(client: DocyardClient, projectId: string | undefined): Promise<string> {
  if (projectId === undefined) return (await onlyProject(client, 'Pass a domain')).domain;
  return (await client.call('readProject', { params: { projectId } })).domain;
}

function metadataOf(pairs: readonly string[] | undefined): { metadata?: Record<string, string> } {
  if (pairs === undefined) return {};
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf('=');
    if (at < 1) throw new CommandError(`--metadata ${pair}: write it as name=value.`, 'usage');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { metadata: Object.fromEntries(entries) };
}

async function status(jobId: string, options: ServerOptions): Promise<void> {
  const client = await connect(options);
  show(options, await client.call('readExport', { params: { jobId } }));
}

async function wait(jobId: string, options: WaitOptions): Promise<void> {
  const client = await connect(options);
  const job = await follow(client, jobId, options);
  if (!options.watch) show(options, job);
}

async function cancel(jobId: string, options: ServerOptions): Promise<void> {
  const client = await connect(options);
  show(options, await client.call('cancelExport', { params: { jobId } }));
}

const exportOrders = ['createdAt', '-createdAt', 'updatedAt', '-updatedAt', 'domain', '-domain'] as const;

interface ListOptions extends ServerOptions {
  domain?: string;
  status?: ExportJob['status'];
  since?: string;
  project?: string;
  canceled?: boolean;
  search?: string;
  sort?: (typeof exportOrders)[number];
  limit: string;
}

async function list(options: ListOptions): Promise<void> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1) {
    throw new CommandError('--limit must be a whole number from 1.', 'usage');
  }
  const since = options.since === undefined ? undefined : dateOf(options.since);
  const client = await connect(options);
  const query = {
    domain: options.domain,
    status: options.status,
    since,
    projectId: options.project,
    ...(options.canceled === undefined ? {} : ({ canceled: options.canceled ? 'true' : 'false' } as const)),
    q: options.search,
    sort: options.sort,
    limit: Math.min(limit, 100),
  };
  const jobs: ExportJob[] = [];
  for await (const job of client.each('listExports', { query })) {
    jobs.push(job);
    if (jobs.length === limit) break;
  }
  print(options, jobs, jobs.map(row));
}

/** Accepts a date or a time and returns an ISO 8601 time. */
function dateOf(text: string): string {
  const milliseconds = Date.parse(text);
  if (!Number.isNaN(milliseconds)) return new Date(milliseconds).toISOString();
  throw new CommandError('--since must be a date such as 2026-03-01 or 2026-03-01T12:00:00Z.', 'usage');
}

function show(options: ServerOptions, job: ExportJob, more: [string, string | null][] = []): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(job, null, 2)}\n`);
    return;
  }
  const { failure, bundle, source } = job;
  const pages = job.totalPages === null ? String(job.pageCount) : `${job.pageCount} of ${job.totalPages}`;
  showFacts([
    ['job', job.jobId],
    ['domain', job.domain],
    ['status', job.status === 'running' ? `running, ${job.phase}, ${job.progress} %` : job.status],
    ['version', job.version],
    ['commit', source.commit],
    ['pages', job.status === 'completed' ? String(job.pageCount) : pages],
    ['warnings', job.warnings === 0 ? null : String(job.warnings)],
    ['error', failure?.message ?? job.error ?? null],
    ['hint', failure?.hint ?? null],
    ['bundle', bundle === null ? null : `${bytesText(bundle.sizeBytes)}, ${bundle.fileCount} files`],
    ['sha256', bundle?.sha256 ?? null],
    ['created', job.createdAt],
    ['finished', job.finishedAt],
    ...more,
  ]);
}

function row(job: ExportJob): Record<string, string> {
  return {
    id: job.jobId,
    domain: job.domain,
    status: job.status === 'running' ? `${job.phase} ${job.progress} %` : job.status,
    pages: String(job.pageCount),
    version: job.version ?? '',
    created: job.createdAt.slice(0, 16).replace('T', ' '),
  };
}
