import {
  Domain,
  ExportStatus,
  linkSeconds,
  StartExport,
  waitForExport,
  type DocyardClient,
  type ExportJob,
} from '@docyard/api';
import { z } from 'zod';
import type { OngoingCall } from '../tool-protocol/serve.ts';
import { McpToolError } from './explain.ts';
import { projectFor } from './default-project.ts';
import { nextCursor, pageInputs, tool, type ToolEnvironment } from './tool.ts';
import { waitForJob, waitSeconds } from './wait-for-job.ts';

const jobId = z.string().min(1).max(64).describe('Such as se_3f9a2c1b8e7d4a06.');

/** Strings instead of enums, so that newer services can add values. */
const Export = z.object({
  jobId: z.string(),
  status: z.string().describe('queued, running, completed or failed'),
  phase: z.string(),
  progress: z.number().describe('Percent.'),
  pageCount: z.number(),
  totalPages: z.number().nullable(),
  warnings: z.number(),
  domain: z.string(),
  projectId: z.string(),
  version: z.string().nullable().describe('The label it was started with.'),
  source: z.object({ ref: z.string().nullable(), commit: z.string().nullable() }),
  createdAt: z.string(),
  finishedAt: z.string().nullable(),
  failure: z
    .object({
      code: z.string(),
      message: z.string(),
      file: z.string().nullable(),
      line: z.number().nullable(),
      hint: z.string().nullable(),
      retryable: z.boolean(),
    })
    .nullable(),
  bundle: z.object({ sizeBytes: z.number(), sha256: z.string(), fileCount: z.number() }).nullable(),
  purgedAt: z.string().nullable().describe('When its files were removed.'),
});

const listProjects = tool({
  name: 'list_projects',
  title: 'List projects',
  description: 'Lists the documentation projects with id, name, domain and source.',
  effect: 'reads',
  input: z.strictObject(pageInputs),
  output: z.object({
    projects: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        domain: z.string(),
        source: z.object({
          repository: z.string(),
          ref: z.string().nullable(),
          directory: z.string().nullable(),
        }),
      }),
    ),
    nextCursor,
  }),
  async run(query, { client }, { signal }) {
    const found = await client.call('listProjects', { query }, { signal });
    return { record: { projects: found.data, nextCursor: found.nextCursor } };
  },
});

const listExports = tool({
  name: 'list_exports',
  title: 'List exports',
  description: 'Lists static exports, newest first.',
  effect: 'reads',
  input: z.strictObject({
    domain: Domain.optional(),
    status: ExportStatus.optional(),
    since: z.iso.datetime({ offset: true }).optional().describe('Created at or after this time.'),
    ...pageInputs,
  }),
  output: z.object({ exports: z.array(Export), nextCursor }),
  async run(query, { client }, { signal }) {
    const found = await client.call('listExports', { query }, { signal });
    return { record: { exports: found.data, nextCursor: found.nextCursor } };
  },
});

const startExport = tool({
  name: 'start_export',
  title: 'Start an export',
  description:
    'Starts a static export of a documentation site. The result is a bundle of files that can be hosted anywhere. `domain` defaults to that of the only project.',
  effect: 'creates',
  input: StartExport.pick({
    version: true,
    paths: true,
    ref: true,
    basePath: true,
    urlStyle: true,
    airGapped: true,
    customScripts: true,
    strict: true,
    failOn: true,
    metadata: true,
  }).extend({ domain: Domain.optional(), waitSeconds }),
  output: Export,
  async run({ waitSeconds: seconds, domain, ...options }, environment, ongoing) {
    const { signal } = ongoing;
    const body = { ...options, domain: domain ?? (await projectFor(environment, signal)).domain };
    const job = await environment.client.call('startExport', { body }, { signal });
    return outcomeOf(await follow(job, seconds, environment, ongoing));
  },
});

const getExport = tool({
  name: 'get_export',
  title: 'Get an export',
  description: 'Shows the status of an export, or waits until it ends.',
  effect: 'reads',
  input: z.strictObject({ jobId, waitSeconds }),
  output: Export,
  async run({ jobId: id, waitSeconds: seconds }, environment, ongoing) {
    const job = await environment.client.call(
      'readExport',
      { params: { jobId: id } },
      { signal: ongoing.signal },
    );
    return outcomeOf(await follow(job, seconds, environment, ongoing));
  },
});

const cancelExport = tool({
  name: 'cancel_export',
  title: 'Cancel an export',
  description: 'Cancels a queued or running export. Its status becomes failed.',
  effect: 'cancels',
  input: z.strictObject({ jobId }),
  output: Export,
  async run({ jobId: id }, { client }, { signal }) {
    return outcomeOf(await client.call('cancelExport', { params: { jobId: id } }, { signal }));
  },
});

const getBundleLink = tool({
  name: 'get_bundle_link',
  title: 'Get a download link',
  description:
    'Creates a link to the bundle (tar.gz) of an export, or of the newest export of a domain. Anyone with the link can download the site, so show it only to the user.',
  effect: 'reads',
  input: z.strictObject({ jobId: jobId.optional(), domain: Domain.optional() }),
  output: z.object({
    jobId: z.string(),
    bundleUrl: z.string(),
    sizeBytes: z.number(),
    sha256: z.string(),
    validSeconds: z.number(),
  }),
  async run(wanted, { client }, { signal }) {
    const job = await completedExport(client, wanted, signal);
    // GET needs only the read scope; POST would need write.
    const { headers } = await client.answer('openBundle', { params: { jobId: job.jobId } }, { signal });
    const bundleUrl = headers.get('location');
    if (bundleUrl === null || job.bundle === null) throw new McpToolError('The service returned no link.');
    const { sizeBytes, sha256 } = job.bundle;
    const link = { jobId: job.jobId, bundleUrl, sizeBytes, sha256, validSeconds: linkSeconds.default };
    return { record: link, next: 'Compare the SHA-256 of the file after the download.' };
  },
});

async function completedExport(
  client: DocyardClient,
  { jobId: id, domain }: { jobId?: string | undefined; domain?: string | undefined },
  signal: AbortSignal,
): Promise<ExportJob> {
  if ((id === undefined) === (domain === undefined)) throw new McpToolError('Give either jobId or domain.');
  if (id !== undefined) return client.call('readExport', { params: { jobId: id } }, { signal });
  const query = { status: 'completed', limit: 1, ...(domain === undefined ? {} : { domain }) } as const;
  const { data } = await client.call('listExports', { query }, { signal });
  const [newest] = data;
  if (newest === undefined) {
    throw new McpToolError(`No export of ${domain ?? ''} has completed yet. Start one with start_export.`);
  }
  return newest;
}

const severities = ['error', 'warning', 'info'] as const;

const getReport = tool({
  name: 'get_report',
  title: 'Get the quality report',
  description:
    'Lists the problems of an export: broken links, missing files, mistakes in the source, each with file, line and hint. Filter by severity, code or file.',
  effect: 'reads',
  input: z.strictObject({
    jobId,
    severity: z.enum(severities).optional().describe('Minimum severity.'),
    codes: z
      .array(z.string().min(1).max(64))
      .max(50)
      .optional()
      .describe('Only these codes, such as broken_link.'),
    file: z.string().min(1).max(1024).optional().describe('Only files whose path starts with this.'),
    limit: z.int().min(1).max(200).default(50).describe('Number of findings, 1 to 200. Default 50.'),
  }),
  output: z.object({
    jobId: z.string(),
    pages: z.number(),
    errors: z.number(),
    warnings: z.number(),
    infos: z.number(),
    byCode: z.record(z.string(), z.number()),
    findings: z.array(
      z.object({
        severity: z.string(),
        code: z.string(),
        message: z.string(),
        file: z.string(),
        line: z.number().optional(),
        hint: z.string().optional(),
        target: z.string().optional(),
      }),
    ),
    notShown: z.number().describe('Number of further matching findings.'),
  }),
  async run({ jobId: id, severity = 'info', codes, file = '', limit }, { client }, { signal }) {
    const report = await client.call('readReport', { params: { jobId: id } }, { signal });
    const shownSeverities: readonly string[] = severities.slice(0, severities.indexOf(severity) + 1);
    const matching = report.diagnostics.filter(
      (finding) =>
        shownSeverities.includes(finding.severity) &&
        (codes === undefined || codes.includes(finding.code)) &&
        finding.file.startsWith(file),
    );
    const findings = matching.slice(0, limit);
    return { record: { ...report, findings, notShown: matching.length - findings.length } };
  },
});

function follow(
  job: ExportJob,
  seconds: number,
  { client }: ToolEnvironment,
  ongoing: OngoingCall,
): Promise<ExportJob> {
  return waitForJob(
    {
      job,
      seconds,
      isFinished,
      wait: (options) => waitForExport(client, job.jobId, options),
      progressOf: ({ progress, phase, pageCount, totalPages }) => ({
        done: progress,
        total: 100,
        message: totalPages === null ? phase : `${phase}, ${pageCount} of ${totalPages} pages`,
      }),
    },
    ongoing,
  );
}

function isFinished({ status }: ExportJob): boolean {
  return status === 'completed' || status === 'failed';
}

function outcomeOf(job: ExportJob) {
  return { record: job, next: nextFor(job) };
}

function nextFor({ status, failure }: ExportJob): string | undefined {
  if (status === 'completed') {
    return 'get_bundle_link returns the download, get_report lists the problems of the pages.';
  }
  if (status === 'failed') {
    return failure?.retryable === true ? 'The same request may succeed later.' : undefined;
  }
  return 'The export is still running. Call get_export with waitSeconds.';
}

export const exportTools = [
  listProjects,
  listExports,
  startExport,
  getExport,
  cancelExport,
  getBundleLink,
  getReport,
];
