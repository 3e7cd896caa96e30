/**
 * What a foreign agent does, as steps of the journal: what it says it did, what its files became, what its model cost, and
 * the calls of our tools. Everything is written in the order in which it happened. The agent's own account is never
 * relied on: what changed is read from its files.
 */
import type { EngineRun, FileChange, ModelAnswer, PathRefused, ToolCall, ToolResult } from '../contract.ts';
import { usageOf } from '../replay.ts';
import type { AgentUpdate } from './acp-session.ts';
import { callTool, type ToolRunner } from './call-tool.ts';
import { offeredTools } from './docs-tools.ts';
import { harvest, putIntoCopy } from './harvest.ts';

export interface AccountedRun extends EngineRun, ToolRunner {
  limits: EngineRun['limits'];
}

export interface Account {
  hear(update: AgentUpdate): void;
  pay(usage: ModelAnswer['usage']): void;
  /** Runs one of our tools on the files as the agent has them. */
  use(call: ToolCall): Promise<ToolResult>;
  /** Waits for what was heard. Throws what the journal threw. */
  settled(): Promise<void>;
  /** The last look at the files, when the agent is gone; says what was refused. */
  close(): Promise<{ tree: string; refused?: PathRefused }>;
  /** What the agent has said since its last call. */
  lastWords(): string;
}

export interface AccountOptions {
  /** The copy that the agent works on. */
  site: string;
  /** Git's name for the tree as it is now. */
  tree: string;
  signal: AbortSignal;
  onTooManySteps(): void;
  onFault(): void;
}

const mostWords = 20_000;
/** Of the agent's own and of ours together; an answer of a model rarely asks for more than a few. */
const mostCallsPerStep = 10;
/** After these kinds of calls the files may be different. */
const writingCalls: ReadonlySet<string> = new Set([
  'acp_edit',
  'acp_delete',
  'acp_move',
  'acp_execute',
  'acp_other',
]);
const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };

export function keepAccount(run: AccountedRun, options: AccountOptions): Account {
  const { journal, limits, toolContext } = run;
  const { tree: files } = toolContext;
  let { tree } = options;
  let words = '';
  let unwritten = '';
  let steps = usageOf(journal.steps).steps;
  let calls = 0;
  let waitingCalls = 0;
  let isModelSeen = false;
  let fault: unknown;
  let working = Promise.resolve();

  /** One thing after another, so that each step has the tree that belongs to it. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = working.then(() => {
      if (fault !== undefined) throw fault;
      return work();
    });
    working = result.then(
      () => undefined,
      (error: unknown) => {
        fault ??= error;
        options.onFault();
      },
    );
    return result;
  }

  function isOverLimits(): boolean {
    const isOver = steps > limits.steps || calls > limits.steps * mostCallsPerStep;
    if (isOver) options.onTooManySteps();
    return isOver;
  }

  async function bringBack(): Promise<{ changes: FileChange[]; refused?: PathRefused }> {
    const found = await harvest(files, options.site);
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

  function takeWords(): string {
    const said = unwritten;
    unwritten = '';
    return said;
  }

  return {
    hear(update) {
      if (update.kind === 'text') {
        words = (words + update.text).slice(-mostWords);
        unwritten = (unwritten + update.text).slice(-mostWords);
        run.onText?.(update.text);
        return;
      }
      words = '';
      const { call, isError } = update;
      // A model that we see is counted by its answers; of another one only the calls are known.
      const counts = !isModelSeen;
      if (counts) steps += 1;
      calls += 1;
      if (isOverLimits()) return;
      const said = counts ? takeWords() : '';
      waitingCalls += 1;
      inTurn(async () => {
        waitingCalls -= 1;
        if (counts) await writeAnswer(noUsage, [call], said);
        // A file in the way is judged at the end; the agent may still remove it.
        const mayDiffer = writingCalls.has(call.name) && waitingCalls === 0 && !options.signal.aborted;
        const { changes } = mayDiffer ? await bringBack() : { changes: [] };
        await writeResult(call, { text: update.text, isError, ...(changes.length > 0 ? { changes } : {}) });
      }).catch(() => undefined);
    },
    pay(usage) {
      isModelSeen = true;
      steps += 1;
      const said = takeWords();
      inTurn(() => writeAnswer(usage, [], said)).catch(() => undefined);
    },
    use: (call) =>
      inTurn(async () => {
        calls += 1;
        if (isOverLimits()) return { text: 'The run has had too many calls.', isError: true };
        const { changes, refused } = await bringBack();
        await writeChanges(changes);
        if (refused !== undefined) return { text: refused.message, isError: true };
        const runner = { ...run, tools: offeredTools(run.tools) };
        const result = await callTool(runner, call, options.signal);
        const ownChanges = result.changes ?? [];
        if (ownChanges.length > 0) tree = await run.checkpoint();
        await writeResult(call, result);
        return putIntoCopy(options.site, ownChanges).then(() => result, notInCopy);
      }),
    async settled() {
      await working;
      if (fault !== undefined) throw fault;
    },
    async close() {
      const { changes, refused } = await bringBack();
      await writeChanges(changes);
      return { tree, ...(refused === undefined ? {} : { refused }) };
    },
    lastWords: () => words.trim(),
  };
}

/** Something of the agent's is in the way. The next look at the files undoes what the tool did, as the agent sees it. */
function notInCopy(error: unknown): ToolResult {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return { text: `Your folder could not be changed (${code}), so nothing was. Try again.`, isError: true };
}
