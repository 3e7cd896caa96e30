/**
 * The words that the parts of an agent run share: files, steps, verdicts, endings. Types only; who makes and who uses
 * each is written beside it. Nothing here knows HTTP, a database or a model.
 */
import type { AgentEnding } from '@docyard/api';
import type { z } from 'zod';

/** A file as a run changed it; null when it was removed. Paths are relative to the docs root, with forward slashes. */
export interface FileChange {
  path: string;
  /** UTF-8 text; a run never writes anything else. */
  content: string | null;
}

/** The files the agent sees. Made by `workspace/`, used by `tools/`; every path has passed the guard. */
export interface Tree {
  /** Absolute folder of the docs root. Only code of ours may be given it, never a model. */
  readonly folder: string;
  list(): Promise<{ path: string; sizeBytes: number }[]>;
  /** Undefined when there is no such file. Links are never followed. */
  read(path: string): Promise<Uint8Array | undefined>;
  write(path: string, content: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** A path the guard refused; the message is for the model and says what to do instead. */
export class PathRefused extends Error {
  override name = 'PathRefused';
}

/**
 * What the real renderer says of the tree as it is now. Made by `site-check.ts`, used by tools and by the run. A site that
 * cannot be loaded is a finding; SiteCheckFailed is thrown only when the renderer itself did not come to an end.
 */
export interface SiteChecks {
  /** All findings; `isNew` compares with the site before the run. */
  validate(signal: AbortSignal): Promise<SiteFinding[]>;
  renderPage(path: string, signal: AbortSignal): Promise<{ markdown: string; findings: SiteFinding[] }>;
}

/** Nobody knows whether the site builds; the message is for the model. */
export class SiteCheckFailed extends Error {
  override name = 'SiteCheckFailed';
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
  /** What the run has changed so far, against the commit it began with. */
  diff(): Promise<{ files: DiffFile[]; patch: string }>;
  signal: AbortSignal;
  /** Only below these paths may be written; empty for the whole docs root. */
  scopePaths: readonly string[];
  /** Content hashes of files this run has read, so that nothing is overwritten unread. */
  seen: Map<string, string>;
}

export interface Tool<Input = unknown> {
  name: string;
  /** What the model reads. */
  description: string;
  input: z.ZodType<Input>;
  /** For tools that render the site, which may take longer than the limit of a call. */
  mostSeconds?: number;
  run(context: ToolContext, input: Input): Promise<ToolResult>;
}

export interface ToolResult {
  /** What the model gets back; already truncated. */
  text: string;
  isError?: boolean;
  /** Files this call changed, as they are now; the journal keeps them, so that a run can be replayed without the tree. */
  changes?: FileChange[];
  /** Set by `finish`. */
  finished?: { summary: string; title: string; outcome: 'done' | 'needs_input' };
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
  /** As the model sent it; not yet validated. */
  input: unknown;
  /** Set when the arguments were no JSON: `input` is then their text, and the call is answered but never run. */
  isMalformed?: boolean;
}

/** The conversation, in a form that is ours: stored in the journal, turned into a provider's form by the gateway. */
export type Message =
  | { role: 'system'; text: string }
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; reasoning?: string; calls: ToolCall[] }
  | { role: 'tool'; callId: string; name: string; text: string; isError: boolean };

/** One answer of a model. Made by `model/gateway.ts`, used by `engine/loop.ts`. */
export interface ModelAnswer {
  text: string;
  reasoning?: string;
  calls: ToolCall[];
  /** `inputTokens` holds the cached ones too. */
  usage: { inputTokens: number; outputTokens: number; cacheReadTokens: number };
  stopReason: 'end' | 'tool-calls' | 'length' | 'refused' | 'other';
}

export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly Pick<Tool, 'name' | 'description' | 'input'>[];
  maxOutputTokens: number;
  signal: AbortSignal;
  /** Text as it arrives, for events. */
  onText?: (text: string) => void;
}

/** Throws ModelFailure only. */
export interface Model {
  readonly name: string;
  answer(request: ModelRequest): Promise<ModelAnswer>;
}

export class ModelFailure extends Error {
  override name = 'ModelFailure';
  readonly reason: Extract<
    EndReason,
    'model_auth' | 'model_unavailable' | 'context_overflow' | 'refused' | 'cancelled'
  >;

  constructor(reason: ModelFailure['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Every step is in the journal before the next begins; after a crash the steps are replayed. */
export type Step =
  | {
      kind: 'prepared';
      /** What the work begins with, and the parent of its commit. */
      baseCommit: string;
      /** Where a pull request wants to go. */
      baseBranch: string;
      branch: string;
      /** What `branch` pointed to, so that nobody else's push is overwritten; null when there was no such branch. */
      branchHead: string | null;
      /** Where `branch` left `baseBranch`: what reviewers compare with, and so do checks, rules and texts. */
      reviewCommit: string;
      /** Earlier runs of the job whose changes were never published; the work goes on from them. */
      carriedRuns: number[];
      /** These and earlier runs whose work is on the branch: the pull request is about all of them. */
      earlierWork: number[];
      instructions: string | null;
    }
  | { kind: 'message'; message: Extract<Message, { role: 'system' | 'user' }> }
  | { kind: 'answer'; answer: ModelAnswer }
  | { kind: 'result'; call: ToolCall; result: ToolResult; tree: string }
  | ({ kind: 'loop-ended' } & LoopEnd)
  | { kind: 'validated'; findings: SiteFinding[]; findingsBefore: number }
  | { kind: 'judged'; verdict: Verdict }
  | { kind: 'committed'; commit: string; branch: string; date: string }
  | { kind: 'pushed'; commit: string }
  | { kind: 'previewed'; exportId: string | null }
  | { kind: 'proposed'; pullRequest: PullRequest }
  | { kind: 'ended'; reason: EndReason };

/** Where steps are kept. Made by `journal.ts`, used by `engine/`; an appended step is durable when the promise resolves. */
export interface Journal {
  /** All steps of this run so far, oldest first; `append` adds to it. */
  readonly steps: readonly Step[];
  append(step: Step): Promise<void>;
}

/** How an engine's part of a run ended; the run makes `done` without a change `no_change`. */
export interface LoopEnd {
  reason: EndReason;
  /** What the model says of its work; may be empty. */
  summary: string;
  title: string;
  /** The git tree that the work ended with. */
  tree: string;
  /** A sentence for people, when something else than the model ended the work. */
  problem?: string;
}

/** Why a run ends; the closed list is part of what callers see. */
export type EndReason = AgentEnding;

export interface DiffFile {
  path: string;
  /** Where it was before, when it was moved. */
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

/** The judgement of `policy/` over the diff; it fails closed. */
export interface Verdict {
  outcome: 'pass' | 'draft' | 'block';
  notes: { rule: string; path: string | null; message: string; outcome: 'draft' | 'block' }[];
}

export interface PullRequest {
  url: string | null;
  number: number | null;
  state: 'open' | 'closed' | 'merged' | 'none';
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

/** What every engine is given, besides what it works with. */
export interface EngineRun {
  limits: Limits;
  journal: Journal;
  /** How the conversation begins; the same whenever the run is taken up again. */
  messages: readonly Message[];
  signal: AbortSignal;
  /** In milliseconds, as is `startedAt`. Time before a crash counts. */
  now: () => number;
  startedAt: number;
  /** Git's name for the tree as it is now. */
  checkpoint: () => Promise<string>;
  /** What people have written to the job and the journal does not hold yet, oldest first. */
  incoming?: () => Promise<string[]>;
  onText?: (text: string) => void;
}
