/**
 * Runs one call of a model: finds the tool, checks the arguments, limits the time. Whatever goes wrong becomes a text
 * that says what to do next; a call never throws, and what it wrote before it failed is known.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import {
  PathRefused,
  SiteCheckFailed,
  type FileChange,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
  type Tree,
} from '../contract.ts';

export interface ToolRunner {
  tools: readonly Tool[];
  toolContext: Omit<ToolContext, 'signal'>;
  limits: { toolSeconds: number };
  onFault?: (error: unknown) => void;
}

const mostIssues = 10;

export async function callTool(runner: ToolRunner, call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  const tool = runner.tools.find(({ name }) => name === call.name);
  if (!tool) {
    const names = runner.tools.map(({ name }) => name).join(', ');
    return failed(`There is no tool ${call.name.slice(0, 100)}. The tools are: ${names}.`);
  }
  if (call.isMalformed) {
    return failed(
      'The arguments are not valid JSON. Send the call again, with one JSON object as arguments.',
    );
  }
  const input = tool.input.safeParse(call.input);
  if (!input.success) return failed(issuesOf(input.error));
  return runWithin(runner, tool, input.data, signal);
}

async function runWithin(
  { toolContext, limits, onFault }: ToolRunner,
  tool: Tool,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolResult> {
  const mostSeconds = Math.max(limits.toolSeconds, tool.mostSeconds ?? 0);
  const over = new AbortController();
  const recorder = recordingTree(toolContext.tree);
  const stop = AbortSignal.any([signal, over.signal]);
  const done = new AbortController();
  // Not every tool can be stopped, so a call that is over time is left behind, without a tree to write to.
  const tooLate = delay(mostSeconds * 1000, 'late' as const, {
    signal: AbortSignal.any([signal, done.signal]),
  }).catch(() => (done.signal.aborted ? new Promise<never>(() => {}) : ('stopped' as const)));
  try {
    const work = tool.run({ ...toolContext, tree: recorder.tree, signal: stop }, input);
    // It may fail long after it was left behind.
    work.catch(() => {});
    const result = await Promise.race([work, tooLate]);
    if (typeof result === 'object')
      return { ...result, ...known(result.changes ?? (await recorder.close())) };
    over.abort();
    const why = signal.aborted
      ? 'the time of the run is over.'
      : `it took longer than ${mostSeconds} seconds. Ask for less at a time.`;
    return failed(`The call was stopped: ${why}`, await recorder.close());
  } catch (error) {
    const isForModel = error instanceof PathRefused || error instanceof SiteCheckFailed;
    if (!isForModel) onFault?.(error);
    const text = isForModel ? error.message : 'The tool failed for a reason of its own. Try another way.';
    return failed(text, await recorder.close());
  } finally {
    done.abort();
  }
}

function failed(text: string, changes: FileChange[] = []): ToolResult {
  return { text, isError: true, ...known(changes) };
}

function known(changes: FileChange[]): Pick<ToolResult, 'changes'> {
  return changes.length > 0 ? { changes } : {};
}

function issuesOf({ issues }: z.ZodError): string {
  const lines = issues.slice(0, mostIssues).map(({ path, message }) => {
    const where = path.length === 0 ? 'arguments' : path.join('.');
    return `- ${where}: ${message}`;
  });
  return `The arguments do not fit the tool:\n${lines.join('\n')}\nCorrect them and send the call again.`;
}

/** The tree of one call. After it is closed nothing more can be written through it. */
function recordingTree(tree: Tree): { tree: Tree; close: () => Promise<FileChange[]> } {
  const changes = new Map<string, string | null>();
  const writing = new Set<Promise<void>>();
  let isClosed = false;
  const record = async (path: string, content: string | null, write: () => Promise<void>) => {
    if (isClosed) throw new Error('The call is over.');
    const work = write().then(() => void changes.set(path, content));
    writing.add(work);
    await work.finally(() => writing.delete(work));
  };
  return {
    tree: {
      folder: tree.folder,
      list: () => tree.list(),
      read: (path) => tree.read(path),
      write: (path, content) => record(path, content, () => tree.write(path, content)),
      remove: (path) => record(path, null, () => tree.remove(path)),
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(writing);
      return [...changes].map(([path, content]) => ({ path, content }));
    },
  };
}
