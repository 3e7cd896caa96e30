/** Runs one task with the real model layer, loop and tools on a folder. Only the site check is left out. */
import { createHash } from 'node:crypto';
import {
  defaultLimits,
  type DiffFile,
  type Journal,
  type LoopEnd,
  type Step,
  type Tree,
  type Usage,
} from '../../packages/server/src/agent/contract.ts';
import { runLoop } from '../../packages/server/src/agent/engine/loop.ts';
import { openingMessages, type Opening } from '../../packages/server/src/agent/engine/prompt.ts';
import type { ModelSettings } from '../../packages/server/src/agent/model/endpoint.ts';
import { createModel } from '../../packages/server/src/agent/model/gateway.ts';
import { usageOf } from '../../packages/server/src/agent/replay.ts';
import { tools } from '../../packages/server/src/agent/tools/all-tools.ts';
import { readOutlineExcerpt } from '../../packages/server/src/agent/tools/outline-excerpt.ts';
import { openTree } from '../../packages/server/src/agent/workspace/tree.ts';

/** Settings of an endpoint that only some servers need. */
export interface EndpointSettings {
  contextTokens?: number;
  maxOutputTokens?: number;
  temperature?: number;
  headers?: Record<string, string>;
  body?: Record<string, unknown>;
  firstByteSeconds?: number;
  idleSeconds?: number;
}

export interface Task {
  folder: string;
  instruction: string;
  provider: ModelSettings['provider'];
  url: string;
  settings?: EndpointSettings | undefined;
  minutes?: number | undefined;
}

export interface TaskRun {
  end: LoopEnd;
  steps: Step[];
  usage: Usage;
  /** The new content of changed files by path; null for a removed file. */
  changed: ReadonlyMap<string, string | null>;
}

/** Short pauses: retries are under test, not their intervals. */
const limits = { attempts: 5, pauseSeconds: 0.01, maxPauseSeconds: 0.05 };

export async function runTask(task: Task): Promise<TaskRun> {
  const { folder, instruction, provider, url } = task;
  const { tree, changed, diff } = observedTree(folder);
  const site = { validate: async () => [], renderPage: async () => ({ markdown: '', findings: [] }) };
  const toolContext = { tree, site, diff, scopePaths: [], seen: new Map<string, string>() };
  const { signal } = new AbortController();
  const facts: Opening = {
    task: instruction,
    outline: await outlineOf(folder, instruction),
    scopePaths: [],
    instructions: null,
    earlier: [],
  };
  const steps: Step[] = [];
  const journal: Journal = { steps, append: async (step) => void steps.push(step) };
  const settings = {
    provider,
    url,
    key: 'sk-robustness',
    name: 'scripted',
    ...task.settings,
  };
  const end = await runLoop({
    model: createModel(settings, { egress: { allowedHosts: [new URL(url).host] }, limits }),
    tools,
    toolContext,
    limits: { ...defaultLimits, minutes: task.minutes ?? 2 },
    journal,
    messages: openingMessages(facts),
    messagesWithin: (maxTokens) => openingMessages(facts, maxTokens),
    signal,
    now: () => Date.now(),
    startedAt: Date.now(),
    checkpoint: async () => hashOf(changed),
  });
  return { end, steps, usage: usageOf(steps), changed };
}

async function outlineOf(folder: string, instruction: string): Promise<Opening['outline']> {
  const { tree, diff } = observedTree(folder);
  const site = { validate: async () => [], renderPage: async () => ({ markdown: '', findings: [] }) };
  const { signal } = new AbortController();
  const context = { tree, site, diff, scopePaths: [], seen: new Map<string, string>(), signal };
  return readOutlineExcerpt(context, instruction);
}

interface ObservedTree {
  tree: Tree;
  changed: Map<string, string | null>;
  diff(): Promise<{ files: DiffFile[]; patch: string }>;
}

/** A repository for every task would take longer than the task. */
function observedTree(folder: string): ObservedTree {
  const plain = openTree({ folder, submodules: new Set(), links: new Set(), isPointer: async () => false });
  const before = new Map<string, string | null>();
  const changed = new Map<string, string | null>();
  const note = async (path: string, content: string | null): Promise<void> => {
    if (!before.has(path)) before.set(path, textOf(await plain.read(path)));
    if (before.get(path) === content) changed.delete(path);
    else changed.set(path, content);
  };
  return {
    changed,
    tree: {
      folder,
      list: () => plain.list(),
      read: (path) => plain.read(path),
      async write(path, content) {
        await note(path, content);
        await plain.write(path, content);
      },
      async remove(path) {
        await note(path, null);
        await plain.remove(path);
      },
    },
    diff: async () => ({
      files: [...changed].map(([path, after]) => diffFile(path, before.get(path) ?? null, after)),
      patch: [...changed.keys()].map((path) => `changed ${path}`).join('\n'),
    }),
  };
}

function diffFile(path: string, before: string | null, after: string | null): DiffFile {
  return {
    path,
    from: null,
    status: before === null ? 'added' : after === null ? 'removed' : 'modified',
    oldMode: '100644',
    newMode: '100644',
    isBinary: false,
    addedLines: 1,
    removedLines: 1,
    before,
    after,
  };
}

function textOf(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : new TextDecoder().decode(bytes);
}

function hashOf(changed: ReadonlyMap<string, string | null>): string {
  return createHash('sha1')
    .update(JSON.stringify([...changed].toSorted()))
    .digest('hex');
}
