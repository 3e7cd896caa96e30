/**
 * Runs one tool call: finds the tool, validates the arguments, limits the time. Failures become a text for the
 * model; the changes of a failed call are still recorded.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  PathRefusedError,
  SiteCheckError,
  type FileChange,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
  type Tree,
} from '../contract.ts';
import { correctedCall } from './tool-arguments.ts';

export interface ToolRunner {
  tools: readonly Tool[];
  toolContext: Omit<ToolContext, 'signal'>;
  limits: { toolSeconds: number };
  onFault?: (error: unknown) => void;
}

const maxIssues = 10;

export async function callTool(
  runner: ToolRunner,
  given: ToolCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const call = correctedCall(runner.tools, given);
  const tool = runner.tools.find(({ name }) => name === call.name);
  if (!tool) {
    const names = runner.tools.map(({ name }) => name).join(', ');
    return failed(`There is no tool ${call.name.slice(0, 100)}. The tools are: ${names}.`);
  }
  if (call.isMalformed) {
    const text = 'The arguments are not valid JSON. Send the call again with one JSON object as arguments.';
    return failed(`${text} ${expectedArguments(tool)}`);
  }
  const input = tool.input.safeParse(call.input);
  if (!input.success) return failed(`${issuesOf(input.error)}\n${expectedArguments(tool)}`);
  return runWithin(runner, tool, input.data, signal);
}

async function runWithin(
  { toolContext, limits, onFault }: ToolRunner,
  tool: Tool,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolResult> {
  const maxSeconds = Math.max(limits.toolSeconds, tool.maxSeconds ?? 0);
  const timedOut = new AbortController();
  const recorder = recordingTree(toolContext.tree);
  const stop = AbortSignal.any([signal, timedOut.signal]);
  const done = new AbortController();
  // Not every tool can be stopped. A late call is abandoned without access to the tree.
  const timeout = delay(maxSeconds * 1000, 'late' as const, {
    signal: AbortSignal.any([signal, done.signal]),
  }).catch(() => (done.signal.aborted ? new Promise<never>(() => {}) : ('stopped' as const)));
  try {
    const work = tool.run({ ...toolContext, tree: recorder.tree, signal: stop }, input);
    work.catch(() => {});
    const result = await Promise.race([work, timeout]);
    if (typeof result === 'object') {
      const text = withinBytes(result.text, toolContext.maxResultBytes);
      return { ...result, text, ...changesField(result.changes ?? (await recorder.close())) };
    }
    timedOut.abort();
    const why = signal.aborted
      ? 'the time limit of the run was reached.'
      : `it took longer than ${maxSeconds} seconds. Ask for less at a time.`;
    return failed(`The call was stopped: ${why}`, await recorder.close());
  } catch (error) {
    const isForModel = error instanceof PathRefusedError || error instanceof SiteCheckError;
    if (!isForModel) onFault?.(error);
    const text = isForModel ? error.message : 'The tool failed with an internal error. Try another approach.';
    return failed(text, await recorder.close());
  } finally {
    done.abort();
  }
}

/** Room for the first and last lines of tools that keep to the limit themselves. */
const extraBytes = 1000;

function withinBytes(text: string, maxBytes = Infinity): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes + extraBytes) return text;
  // A cut inside a character leaves U+FFFD at the end.
  const start = bytes
    .subarray(0, maxBytes)
    .toString()
    .replace(/\uFFFD$/, '');
  return `${start}\n[Truncated at ${maxBytes} bytes. Ask for less at a time.]`;
}

function failed(text: string, changes: FileChange[] = []): ToolResult {
  return { text, isError: true, ...changesField(changes) };
}

function changesField(changes: FileChange[]): Pick<ToolResult, 'changes'> {
  return changes.length > 0 ? { changes } : {};
}

function issuesOf({ issues }: z.ZodError): string {
  const lines = issues.slice(0, maxIssues).map(({ path, message, ...issue }) => {
    const where = path.length === 0 ? 'arguments' : path.join('.');
    const isMissing = issue.code === 'invalid_type' && message.endsWith('received undefined');
    return isMissing ? `- ${where} is missing` : `- ${where}: ${message}`;
  });
  return `The arguments are invalid:\n${lines.join('\n')}\nCorrect them and send the call again.`;
}

function expectedArguments({ name, input }: Tool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  const names = Object.keys(properties).map((each) =>
    required.includes(each) ? each : `${each} (optional)`,
  );
  return `The arguments of ${name} are: ${names.join(', ')}.`;
}

/** After it is closed, nothing more can be written through it. */
function recordingTree(tree: Tree): { tree: Tree; close: () => Promise<FileChange[]> } {
  const changes = new Map<string, string | null>();
  const pendingWrites = new Set<Promise<void>>();
  let isClosed = false;
  const record = async (path: string, content: string | null, write: () => Promise<void>) => {
    if (isClosed) throw new Error('The call is over.');
    const work = write().then(() => void changes.set(path, content));
    pendingWrites.add(work);
    await work.finally(() => pendingWrites.delete(work));
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
      await Promise.allSettled(pendingWrites);
      return [...changes].map(([path, content]) => ({ path, content }));
    },
  };
}
