/**
 * Records the work of an external agent as journal steps, in order: its calls, changed files, model usage and
 * docs tool calls. Changes are read from its files, never from its own reports.
 */
import type {
  EngineRun,
  FileChange,
  ModelAnswer,
  PathRefusedError,
  ToolCall,
  ToolResult,
} from '../contract.ts';
import { usageOf } from '../replay.ts';
import type { AgentUpdate } from './acp-updates.ts';
import { callTool, type ToolRunner } from './call-tool.ts';
import { offeredTools } from './docs-tools.ts';
import { collectChanges, applyToCopy } from './agent-copy.ts';
import type { StallWatch } from './stall-watch.ts';

export interface RecordedRun extends EngineRun, ToolRunner {
  limits: EngineRun['limits'];
}

export interface AcpRecorder {
  onUpdate(update: AgentUpdate): void;
  onUsage(usage: ModelAnswer['usage']): void;
  callTool(call: ToolCall): Promise<ToolResult>;
  /** Waits for pending steps. Throws errors of the journal. */
  settled(): Promise<void>;
  close(): Promise<{ tree: string; refused?: PathRefusedError }>;
  /** Text since the agent's last call. */
  lastText(): string;
}

export interface RecorderOptions {
  site: string;
  tree: string;
  signal: AbortSignal;
  stall: Pick<StallWatch, 'find' | 'report'>;
  onTooManySteps(): void;
  onFault(): void;
}

const maxTextCharacters = 20_000;
/** Counts calls of the agent's tools and of the docs tools. */
const maxCallsPerStep = 10;
const writingCalls: ReadonlySet<string> = new Set([
  'acp_edit',
  'acp_delete',
  'acp_move',
  'acp_execute',
  'acp_other',
]);
const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };

export function openAcpRecorder(run: RecordedRun, options: RecorderOptions): AcpRecorder {
  const { journal, limits, toolContext } = run;
  const { tree: files } = toolContext;
  let { tree } = options;
  let recentText = '';
  let unwrittenText = '';
  let steps = usageOf(journal.steps).steps;
  let calls = 0;
  let pendingCalls = 0;
  let isModelMetered = false;
  let fault: unknown;
  let queue = Promise.resolve();

  /** Serializes work, so that each step records the matching tree. */
  function enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = queue.then(() => {
      if (fault !== undefined) throw fault;
      return work();
    });
    queue = result.then(
      () => undefined,
      (error: unknown) => {
        fault ??= error;
        options.onFault();
      },
    );
    return result;
  }

  function isOverLimits(): boolean {
    const isOver = steps > limits.steps || calls > limits.steps * maxCallsPerStep;
    if (isOver) options.onTooManySteps();
    return isOver;
  }

  async function collect(): Promise<{ changes: FileChange[]; refused?: PathRefusedError }> {
    const found = await collectChanges(files, options.site);
    if (found.changes.length > 0) tree = await run.checkpoint();
    return found;
  }

  async function writeResult(call: ToolCall, result: ToolResult): Promise<void> {
    await journal.append({ kind: 'result', call, result, tree });
  }

  async function writeChanges(changes: FileChange[]): Promise<void> {
    if (changes.length === 0) return;
    const text = `The agent changed ${changes.length} ${changes.length === 1 ? 'file' : 'files'}.`;
    await writeResult({ id: 'changes', name: 'acp_changes', input: {} }, { text, changes });
  }

  async function writeAnswer(usage: ModelAnswer['usage'], calls: ToolCall[], text: string): Promise<void> {
    const stopReason = calls.length > 0 ? 'tool-calls' : 'other';
    await journal.append({ kind: 'answer', answer: { text, calls, usage, stopReason } });
  }

  /** Changes that the agent did not report are progress. */
  async function watchForStall(): Promise<void> {
    const { stall, signal } = options;
    if (signal.aborted || stall.find() === undefined) return;
    await writeChanges((await collect()).changes);
    const found = stall.find();
    if (found !== undefined) stall.report(found);
  }

  function takeUnwrittenText(): string {
    const text = unwrittenText;
    unwrittenText = '';
    return text;
  }

  return {
    onUpdate(update) {
      if (update.kind === 'text') {
        recentText = (recentText + update.text).slice(-maxTextCharacters);
        unwrittenText = (unwrittenText + update.text).slice(-maxTextCharacters);
        run.onText?.(update.text);
        return;
      }
      recentText = '';
      const { call, isError } = update;
      // Steps are model answers if the model is behind the bridge, otherwise calls.
      const counts = !isModelMetered;
      if (counts) steps += 1;
      calls += 1;
      if (isOverLimits()) return;
      const text = counts ? takeUnwrittenText() : '';
      pendingCalls += 1;
      enqueue(async () => {
        pendingCalls -= 1;
        if (counts) await writeAnswer(noUsage, [call], text);
        // Refused files are judged at the end; the agent may still remove them.
        const mayDiffer = writingCalls.has(call.name) && pendingCalls === 0 && !options.signal.aborted;
        const { changes } = mayDiffer ? await collect() : { changes: [] };
        await writeResult(call, { text: update.text, isError, ...(changes.length > 0 ? { changes } : {}) });
        await watchForStall();
      }).catch(() => undefined);
    },
    onUsage(usage) {
      isModelMetered = true;
      steps += 1;
      const text = takeUnwrittenText();
      enqueue(async () => {
        await writeAnswer(usage, [], text);
        await watchForStall();
      }).catch(() => undefined);
    },
    callTool: (call) =>
      enqueue(async () => {
        calls += 1;
        if (isOverLimits()) return { text: 'The run made too many calls.', isError: true };
        const { changes, refused } = await collect();
        await writeChanges(changes);
        if (refused !== undefined) return { text: refused.message, isError: true };
        const runner = { ...run, tools: offeredTools(run.tools) };
        const result = await callTool(runner, call, options.signal);
        const ownChanges = result.changes ?? [];
        if (ownChanges.length > 0) tree = await run.checkpoint();
        await writeResult(call, result);
        const answer = await applyToCopy(options.site, ownChanges).then(() => result, notInCopy);
        await watchForStall();
        return answer;
      }),
    async settled() {
      await queue;
      if (fault !== undefined) throw fault;
    },
    async close() {
      const { changes, refused } = await collect();
      await writeChanges(changes);
      return { tree, ...(refused === undefined ? {} : { refused }) };
    },
    lastText: () => recentText.trim(),
  };
}

/** A file of the agent is in the way. The next collection undoes the tool's change. */
function notInCopy(error: unknown): ToolResult {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return { text: `Nothing was changed: cannot write to your folder (${code}). Try again.`, isError: true };
}
