/** Runs the loop of the built-in engine with scripted answers and files in memory. */
import { z } from 'zod';
import {
  defaultLimits,
  PathRefusedError,
  type Limits,
  type Message,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  type Step,
  type Tool,
  type Tree,
} from '../../src/agent/contract.ts';
import { runLoop, type Loop } from '../../src/agent/engine/loop.ts';

export const opening: Message[] = [
  { role: 'system', text: 'You edit documentation.' },
  { role: 'user', text: 'Fix the typo.' },
];

export type Said = Partial<ModelAnswer> | Error | ((request: ModelRequest) => Promise<ModelAnswer>);

export const calls = (...given: [name: string, input?: unknown][]): Partial<ModelAnswer> => ({
  calls: given.map(([name, input], index) => ({ id: `call_${index}`, name, input: input ?? {} })),
  stopReason: 'tool-calls',
});
export const finish = calls(['finish', { summary: 'Fixed it.', title: 'Fix the typo' }]);

export interface Scene {
  said: Said[];
  limits?: Partial<Limits>;
  steps?: Step[];
  loop?: Partial<Loop>;
  model?: Partial<Model>;
}

/** `asked` records the messages of each model call. */
export function scene({ said, limits = {}, steps = [], loop = {}, model = {} }: Scene) {
  const files = new Map<string, string>();
  const asked: Message[][] = [];
  const requests: ModelRequest[] = [];
  const faults: unknown[] = [];
  const kept = [...steps];
  let failures = 0;
  const treeName = () => JSON.stringify([...files].toSorted());
  for (const step of steps) {
    if (step.kind !== 'result') continue;
    for (const { path, content } of step.result.changes ?? []) files.set(path, content ?? '');
  }
  const tree: Tree = {
    folder: '/nowhere',
    list: async () => [],
    read: async () => undefined,
    write: async (path, content) => void files.set(path, content),
    remove: async (path) => void files.delete(path),
  };
  const all: Loop = {
    model: {
      name: 'scripted',
      contextTokens: null,
      maxOutputTokens: null,
      async answer(request) {
        const turn = said[kept.filter(({ kind }) => kind === 'answer').length + failures];
        asked.push([...request.messages]);
        requests.push(request);
        if (turn instanceof Error) {
          failures += 1;
          throw turn;
        }
        if (typeof turn === 'function') return turn(request);
        if (!turn) throw new Error('The script is at its end.');
        return answer(turn);
      },
      ...model,
    },
    tools,
    toolContext: {
      tree,
      site: { validate: async () => [], renderPage: async () => ({ markdown: '', findings: [] }) },
      diff: async () => ({ files: [], patch: '' }),
      scopePaths: [],
      seen: new Map(),
    },
    limits: { ...defaultLimits, ...limits },
    journal: {
      steps: kept,
      append: async (step) => void kept.push(JSON.parse(JSON.stringify(step)) as Step),
    },
    messages: opening,
    signal: new AbortController().signal,
    now: () => 0,
    startedAt: 0,
    checkpoint: async () => treeName(),
    onFault: (error) => faults.push(error),
    ...loop,
  };
  return { run: () => runLoop(all), steps: kept, asked, requests, files, faults };
}

export function answer(given: Partial<ModelAnswer>): ModelAnswer {
  const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0 };
  return { text: '', calls: [], usage, stopReason: 'end', ...given };
}

export const tools: Tool[] = [
  {
    name: 'read_file',
    description: 'Reads.',
    input: z.object({ path: z.string() }),
    run: async (_, input) => ({ text: `content of ${(input as { path: string }).path}` }),
  },
  {
    name: 'write_file',
    description: 'Writes.',
    input: z.object({ path: z.string(), content: z.string() }),
    async run({ tree }, input) {
      const { path, content } = input as { path: string; content: string };
      await tree.write(path, content);
      return { text: 'Written.', changes: [{ path, content }] };
    },
  },
  {
    name: 'long',
    description: 'Answers at length.',
    input: z.object({}),
    run: async () => ({ text: 'x'.repeat(2000) }),
  },
  {
    name: 'refuse',
    description: 'Refuses.',
    input: z.object({}),
    run: () => Promise.reject(new PathRefusedError('Outside of the docs root. Use another path.')),
  },
  {
    name: 'break',
    description: 'Has a fault.',
    input: z.object({}),
    async run({ tree }) {
      await tree.write('half.mdx', 'half');
      throw new Error("ENOENT: '/data/work/secret-place'");
    },
  },
  {
    name: 'hang',
    description: 'Never ends.',
    input: z.object({}),
    async run({ tree, signal }) {
      await tree.write('before.mdx', 'x');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await tree.write('after.mdx', 'x');
      return { text: 'Too late.' };
    },
  },
  {
    name: 'finish',
    description: 'Ends.',
    input: z.object({
      summary: z.string(),
      title: z.string(),
      outcome: z.enum(['done', 'needs_input']).default('done'),
    }),
    run: async (_, input) => ({
      text: 'Finished.',
      finished: input as { summary: string; title: string; outcome: 'done' },
    }),
  },
];

export const results = (steps: readonly Step[]) =>
  steps.flatMap((step) => (step.kind === 'result' ? step.result : []));
export const notes = (steps: readonly Step[]) =>
  steps.flatMap((step) => (step.kind === 'message' ? step.message.text : []));
