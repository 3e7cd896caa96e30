/**
 * What the server and the process that renders an export say to each other. The server checks every message it
 * gets: the other side reads strangers' files.
 */
import type { ExportJob } from '@docyard/api';
import { failureCodes } from '@docyard/api/errors';
import { Report } from '@docyard/api/site-schemas';
import { z } from 'zod';
import type { RenderOptions } from '@docyard/render';
import { mostManifestBytes } from '@docyard/bundle';
import type { IsolationLevel } from '../rendering/isolation.ts';
import { mostRecentFindings } from './record.ts';

export interface ExportOrder {
  type: 'export';
  folder: string;
  origin: string;
  version: string | null;
  commit: string | null;
  committedAt: string | null;
  renderProcesses: number;
  /** Whether pictures of other hosts are left where they are. */
  offline: boolean;
  /** Whether code of the authors may run, or why not. */
  customCode: NonNullable<RenderOptions['customCode']>;
  /** Identifies the program for the build cache, whose files are open after the others. Null without a cache. */
  engine: string | null;
  /** As the manifest tells it. */
  isolationLevel: IsolationLevel;
  /** Whether somebody wants to see the manifest and sign it. */
  isSigned: boolean;
  /** Whether the report beside the bundle lists every page with its bytes; the one in the bundle does. */
  isReportWhole: boolean;
  options: ExportJob['options'];
}

export interface PathsOrder {
  type: 'unknown-paths';
  folder: string;
  paths: string[];
}

/** Loads the site and says what it is. */
export interface DescribeOrder {
  type: 'describe';
  folder: string;
}

export type Order = ExportOrder | PathsOrder | DescribeOrder;

/** The answer to a `fetch`. */
export type Fetched = { type: 'fetched'; id: number } & (
  | { bytes: Uint8Array }
  /** `hasAnswered`: the host can be reached, and asking it for something else may succeed. */
  | { problem: string; hasAnswered: boolean }
);

/** The answer to a `sign`. */
export interface Signed {
  type: 'signed';
  /** Empty when nobody signs. */
  signature: string;
}

export const maxPageReasons = 20;
export const maxReasonLength = 300;

const PageReason = z.object({
  isReused: z.boolean(),
  reason: z.string().max(maxReasonLength),
  pages: z.int().min(1),
});
export type PageReason = z.infer<typeof PageReason>;

const whole = z.int().min(0);

/** What the record tells of a finding; the report has the rest of it. */
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
    /** The last ones so far. */
    recentFindings: z.array(RecentFinding).max(mostRecentFindings),
  }),
  z.object({
    type: z.literal('exported'),
    sizeBytes: whole,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    fileCount: whole,
    pageCount: whole,
    warnings: whole,
    errors: whole,
    /** How much of the build cache is in use. */
    cacheBytes: whole,
    /** Why pages were reused or rendered; empty without a cache. */
    pageReasons: z.array(PageReason).max(maxPageReasons),
  }),
  /** The list of files that is about to be packed. The process has no key: the server looks at it and signs. */
  z.object({
    type: z.literal('sign'),
    manifest: z.custom<Uint8Array>(
      (value) => value instanceof Uint8Array && value.length <= mostManifestBytes,
    ),
  }),
  /** The process has no network of its own: it asks for a document, and the server decides. */
  z.object({
    type: z.literal('fetch'),
    id: whole,
    kind: z.enum(['description', 'picture']),
    address: z.string().max(2000),
  }),
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

/** The report as it is kept: that of the bundle, with how long pages took. */
export const ReportFile = Report.omit({ jobId: true });
export type ReportFile = z.infer<typeof ReportFile>;
