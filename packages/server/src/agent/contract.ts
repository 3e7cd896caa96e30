/** Types that the parts of an agent run share. Nothing here depends on HTTP, a database or a model. */
import type { AgentEnding, GitIdentity } from '@docyard/api';
import type { z } from 'zod';
import type { CheckedEvidence, Evidence } from './evidence/evidence.ts';
import type { SampleRuns } from './samples/sample.ts';

/**
 * Content is UTF-8 text, null for a removed file. Paths are relative to the docs root, with forward slashes.
 */
export interface FileChange {
  path: string;
  content: string | null;
}

export interface Tree {
  /** Absolute path of the docs root; never shown to a model. */
  readonly folder: string;
  /** Every write changes the time of a file. */
  list(): Promise<{ path: string; sizeBytes: number; modifiedMs?: number }[]>;
  /** Undefined if the file does not exist. Links are never followed. */
  read(path: string): Promise<Uint8Array | undefined>;
  write(path: string, content: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The message is for the model and says what to do instead. */
export class PathRefusedError extends Error {
  override name = 'PathRefusedError';
}

/**
 * The renderer's findings on the current tree. A site that does not load is a finding; SiteCheckError is thrown
 * only if the renderer itself fails.
 */
export interface SiteChecks {
  validate(signal: AbortSignal): Promise<SiteFinding[]>;
  renderPage(path: string, signal: AbortSignal): Promise<{ markdown: string; findings: SiteFinding[] }>;
}

export class SiteCheckError extends Error {
  override name = 'SiteCheckError';
}

export interface SiteFinding {
  severity: 'error' | 'warning' | 'info';
  code: string;
  message: string;
  file: string;
  line: number | null;
  hint: string | null;
  isNew: boolean;
}

export interface ToolContext {
  tree: Tree;
  site: SiteChecks;
  diff(): Promise<{ files: DiffFile[]; patch: string }>;
  signal: AbortSignal;
  /** The job may write only below these paths; empty for the whole docs root. */
  scopePaths: readonly string[];
  /** Content hashes of files that this run has read, so that no unread file is overwritten. */
  seen: Map<string, string>;
  /** A share of the context of the model; undefined for the usual limit. */
  maxResultBytes?: number | undefined;
  /** Kept between the calls of a run. */
  sections?: SectionIndex;
  /** Undefined if the project has no context repositories. */
  code?: Code | undefined;
  /** Undefined if the project asks for no evidence. */
  evidence?: { isRequired: boolean } | undefined;
}

/** Ranked search over the headings and texts of the pages as they are now. */
export interface SectionIndex {
  find(context: ToolContext, query: string, maxPages: number): Promise<FoundSections>;
}

export interface FoundSections {
  /** Best first. */
  sections: FoundSection[];
  /** The query with its typos corrected; null if it has none. */
  corrected: string | null;
}

export interface FoundSection {
  path: string;
  /** Of the page. */
  title: string;
  /** Of the heading; empty at the start of the page. */
  heading: string;
  line: number;
  /** The line that has the most words of the query. */
  excerpt: { line: number; text: string } | undefined;
}

/** The context repositories of a run, which nothing can change. */
export interface Code {
  readonly repositories: readonly PinnedRepository[];
  /** Paths begin with the name of the repository. */
  readonly tree: Tree;
  /** Chooses how git finds the functions of a language. */
  readonly attributesFile: string;
  readonly change: CodeChange | undefined;
}

export interface PinnedRepository {
  name: string;
  repository: string;
  /** Empty for the whole repository. */
  paths: string[];
  commit: string;
}

/** The change of code that triggered the job. Paths are relative to its repository. */
export interface CodeChange {
  readonly repository: string;
  readonly base: string;
  readonly head: string;
  readonly paths: readonly { path: string; status: DiffFile['status'] }[];
  log(): Promise<string>;
  /** The patch of one file, or of all with null. */
  patch(path: string | null): Promise<string>;
}

export interface Tool<Input = unknown> {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  /** For tools that render the site and may exceed the usual limit of a call. */
  maxSeconds?: number;
  run(context: ToolContext, input: Input): Promise<ToolResult>;
}

export interface ToolResult {
  text: string;
  isError?: boolean;
  /** Files that this call changed. The journal stores them, so a run can be replayed. */
  changes?: FileChange[];
  finished?: { summary: string; title: string; outcome: 'done' | 'needs_input' };
  /** What supports the changes. The checks after the run decide about it. */
  evidence?: Evidence[];
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  steps: number;
}

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  /** The arguments were not JSON: `input` is their text, and the call is answered but not run. */
  isMalformed?: boolean;
}

/** The provider-independent form of the conversation, as stored in the journal. */
export type Message =
  | { role: 'system'; text: string }
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; reasoning?: string; calls: ToolCall[] }
  | { role: 'tool'; callId: string; name: string; text: string; isError: boolean };

export interface ModelAnswer {
  text: string;
  reasoning?: string;
  calls: ToolCall[];
  /** `inputTokens` includes the cached ones. */
  usage: { inputTokens: number; outputTokens: number; cacheReadTokens: number };
  stopReason: 'end' | 'tool-calls' | 'length' | 'refused' | 'other';
  /** The format of a tool call in `text` that could not be read. */
  unreadCall?: string;
}

export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly Pick<Tool, 'name' | 'description' | 'input'>[];
  maxOutputTokens: number;
  signal: AbortSignal;
  onText?: (text: string) => void;
}

/** Throws only ModelError. */
export interface Model {
  readonly name: string;
  /** Null if the settings do not say. */
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  answer(request: ModelRequest): Promise<ModelAnswer>;
}

export class ModelError extends Error {
  override name = 'ModelError';
  readonly reason: Extract<
    EndReason,
    'model_auth' | 'model_unavailable' | 'context_overflow' | 'refused' | 'cancelled'
  >;
  /** For `context_overflow`, if the endpoint names its limit. */
  readonly maxContextTokens: number | undefined;

  constructor(
    reason: ModelError['reason'],
    message: string,
    options?: ErrorOptions & { maxContextTokens?: number | undefined },
  ) {
    super(message, options);
    this.reason = reason;
    this.maxContextTokens = options?.maxContextTokens;
  }
}

/** Every step is written to the journal before the next begins and replayed after a crash. */
export type Step =
  | {
      kind: 'prepared';
      /** The commit the work starts from, and the parent of the run's commit. */
      baseCommit: string;
      baseBranch: string;
      branch: string;
      /** The commit of `branch`, the lease of the push; null if the branch did not exist. */
      branchHead: string | null;
      /** The fork point of `branch` and `baseBranch`. Reviewers, checks, rules and texts compare with it. */
      reviewCommit: string;
      /** Earlier runs whose unpublished changes this run continues. */
      carriedRuns: number[];
      /** Every earlier run whose work is on the branch; the pull request describes all of them. */
      earlierWork: number[];
      instructions: string | null;
      /** Recorded, so that a repeated commit is identical after a change of the settings. */
      identity?: CommitIdentity;
      /** The URL of the fork that has `branch`; undefined for the repository itself. */
      fork?: string;
      /** Undefined if the base branch has not moved. */
      baseUpdate?: BaseUpdate;
      /** The code that the agent reads. Undefined without context repositories. */
      code?: PinnedRepository[];
      /** Whether each changed page needs evidence. */
      requiresEvidence?: boolean;
    }
  | {
      kind: 'message';
      /** System messages are notes for users; the built-in engine does not send them. */
      message: Extract<Message, { role: 'system' | 'user' }>;
      compaction?: Compaction;
      /** Learned from a refusal. */
      maxContextTokens?: number;
    }
  /** `estimatedTokens` is the size of the request before calibration. */
  | { kind: 'answer'; answer: ModelAnswer; estimatedTokens?: number }
  | { kind: 'result'; call: ToolCall; result: ToolResult; tree: string }
  | ({ kind: 'loop-ended' } & LoopEnd)
  | { kind: 'validated'; findings: SiteFinding[]; findingsBefore: number; samples?: SampleRuns }
  | { kind: 'judged'; verdict: Verdict; evidence?: CheckedEvidence[] }
  /** `signature` is repeated like `date`: no two signatures need to be equal. */
  | { kind: 'committed'; commit: string; branch: string; date: string; signature?: string }
  | { kind: 'pushed'; commit: string }
  | { kind: 'previewed'; exportId: string | null }
  | { kind: 'proposed'; pullRequest: PullRequest; notes?: string[] }
  | { kind: 'ended'; reason: EndReason };

export interface CommitIdentity {
  author: GitIdentity;
  committer: GitIdentity;
  coAuthors: readonly GitIdentity[];
}

/** What became of the merge of the base branch, whose tip is `base`, into the branch of the job. */
export type BaseUpdate =
  /** `baseCommit` is the merge commit, and `reviewCommit` is `base`. */
  | {
      outcome: 'merged';
      base: string;
      forkPoint: string;
      date: string;
      identity: CommitIdentity;
      signature?: string;
    }
  | { outcome: 'conflicts'; base: string; files: string[] }
  /** The base branch lost the commit where the job began, or the branches have no recent common commit. */
  | { outcome: 'rewritten' | 'unrelated'; base: string };

/** Results and answers before these indexes of the journal are shortened. */
export interface Compaction {
  results: number;
  answers: number;
}

/** An appended step is durable when the promise resolves. */
export interface Journal {
  /** Oldest first; `append` adds to it. */
  readonly steps: readonly Step[];
  append(step: Step): Promise<void>;
}

/** How an engine ended; the run turns `done` without a change into `no_change`. */
export interface LoopEnd {
  reason: EndReason;
  summary: string;
  title: string;
  /** The hash of the final git tree. */
  tree: string;
  problem?: string;
}

export type EndReason = AgentEnding;

export interface DiffFile {
  path: string;
  from: string | null;
  status: 'added' | 'modified' | 'removed' | 'moved';
  oldMode: string;
  newMode: string;
  isBinary: boolean;
  addedLines: number;
  removedLines: number;
  before: string | null;
  after: string | null;
}

export interface Verdict {
  outcome: 'pass' | 'draft' | 'block';
  notes: { rule: string; path: string | null; message: string; outcome: 'draft' | 'block' }[];
}

export interface PullRequest {
  url: string | null;
  number: number | null;
  state: 'open' | 'closed' | 'merged' | 'none';
  /**
   * As the forge reports it. Docyard creates a draft if the job requests one, the verdict is not `pass` or the agent did
   * not end as `done`.
   */
  draft: boolean;
  branch: string;
}

export interface Limits {
  steps: number;
  inputTokens: number;
  outputTokens: number;
  minutes: number;
  toolSeconds: number;
  files: number;
  lines: number;
}

export const defaultLimits: Limits = {
  steps: 60,
  inputTokens: 1_500_000,
  outputTokens: 60_000,
  minutes: 30,
  toolSeconds: 30,
  files: 50,
  lines: 5000,
};

export interface EngineRun {
  limits: Limits;
  journal: Journal;
  /** The start of the conversation, the same on every attempt. */
  messages: readonly Message[];
  signal: AbortSignal;
  /** In milliseconds, like `startedAt`. Time before a crash counts. */
  now: () => number;
  startedAt: number;
  checkpoint: () => Promise<string>;
  /** Messages to the job that are not in the journal yet, oldest first. */
  incoming?: () => Promise<string[]>;
  onText?: (text: string) => void;
}
