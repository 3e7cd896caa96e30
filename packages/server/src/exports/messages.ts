/**
 * Messages between the server and a sandboxed export process. The server validates every message, because the
 * process reads untrusted files.
 */
import type { ExportJob } from '@docyard/api';
import { failureCodes } from '@docyard/api/errors';
import { Report } from '@docyard/api/site-schemas';
import { z } from 'zod';
import type { ForgeLinks, RenderOptions } from '@docyard/render';
import { maxManifestBytes } from '@docyard/bundle';
import type { IsolationLevel } from '../sandbox/isolation.ts';
import { maxPageReasons, maxReasonLength, maxRecentFindings } from './record.ts';

export interface ExportOrder {
  type: 'export';
  folder: string;
  origin: string;
  version: string | null;
  commit: string | null;
  committedAt: string | null;
  renderProcesses: number;
  /** Downloads no images and fonts of other hosts. */
  offline: boolean;
  /** Whether custom code may run, or why not. */
  customCode: NonNullable<RenderOptions['customCode']>;
  /** The engine identity of the build cache; null without a cache. */
  engine: string | null;
  isolationLevel: IsolationLevel;
  /** Seals the files that only some readers may see. Without it, the bundle has only those of readers without a group. */
  contentKey: string | null;
  /** Whether the server signs the manifest. */
  isSigned: boolean;
  /** Whether the report beside the bundle lists the size of every page; the one in the bundle does. */
  hasPageSizes: boolean;
  options: ExportJob['options'];
}

export interface PathsOrder {
  type: 'unknown-paths';
  folder: string;
  paths: string[];
}

export interface DescribeOrder {
  type: 'describe';
  folder: string;
}

export type Order = ExportOrder | PathsOrder | DescribeOrder;

export type Fetched = { type: 'fetched'; id: number } & (
  | { bytes: Uint8Array }
  /** `hasAnswered`: the host is reachable, so other requests to it may succeed. */
  | { problem: string; hasAnswered: boolean }
);

export interface Signed {
  type: 'signed';
  /** Empty without a signature. */
  signature: string;
}

/** What the repository records about the files of the site. */
export interface History {
  type: 'history';
  changedOn: [file: string, day: string][];
  links?: ForgeLinks | undefined;
}

const PageReason = z.object({
  isReused: z.boolean(),
  reason: z.string().max(maxReasonLength),
  pages: z.int().min(1),
});
export type PageReason = z.infer<typeof PageReason>;

const whole = z.int().min(0);

/** The fields of a finding in the job record. */
export const RecentFinding = z.object({
  severity: z.enum(['error', 'warning', 'info']),
  code: z.string().max(64),
  message: z.string().max(500),
  file: z.string().max(500),
  line: z.int().nullable(),
});
export type RecentFinding = z.infer<typeof RecentFinding>;

export const Message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('progress'),
    phase: z.enum(['loading', 'rendering', 'packing']),
    share: z.number().min(0).max(1),
    pageCount: whole,
    totalPages: whole.nullable(),
    /** The most recent ones. */
    recentFindings: z.array(RecentFinding).max(maxRecentFindings),
  }),
  z.object({
    type: z.literal('exported'),
    sizeBytes: whole,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    fileCount: whole,
    pageCount: whole,
    warnings: whole,
    errors: whole,
    /** Kinds of readers for whom the bundle has sealed files. */
    sealedAudiences: whole,
    /** Kinds of readers whose files are missing, because the order has no content key. */
    omittedAudiences: whole,
    /** Used size of the build cache. */
    cacheBytes: whole,
    /** Why pages were reused or rendered; empty without a cache. */
    pageReasons: z.array(PageReason).max(maxPageReasons),
  }),
  /** The process has no key. The server checks the manifest and signs it. */
  z.object({
    type: z.literal('sign'),
    manifest: z.custom<Uint8Array>(
      (value) => value instanceof Uint8Array && value.length <= maxManifestBytes,
    ),
  }),
  /** The process has no network; the server decides what to fetch. */
  z.object({
    type: z.literal('fetch'),
    id: whole,
    kind: z.enum(['description', 'picture', 'font']),
    address: z.string().max(2000),
  }),
  /** The site shows dates or links to its repository. The server answers with `History`. */
  z.object({ type: z.literal('history') }),
  z.object({ type: z.literal('unknown-paths'), paths: z.array(z.string().max(2000)).max(10_000) }),
  z.object({
    type: z.literal('described'),
    configFile: z.string().max(2000).nullable(),
    name: z.string().max(2000),
    pages: whole,
  }),
  z.object({
    type: z.literal('failed'),
    code: z.enum(failureCodes),
    message: z.string().max(4000),
    file: z.string().max(2000).optional(),
    line: z.int().optional(),
    hint: z.string().max(2000).optional(),
  }),
]);
export type Message = z.infer<typeof Message>;
export type FetchedKind = (Message & { type: 'fetch' })['kind'];

/** The report of the bundle with the render times of pages. */
export const ReportFile = Report.omit({ jobId: true });
export type ReportFile = z.infer<typeof ReportFile>;
