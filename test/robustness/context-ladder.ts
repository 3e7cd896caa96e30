/** The task on long pages, on servers that enforce contexts of several sizes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseResult, RobustnessCase } from './case.ts';
import {
  contextServers,
  isTooLong,
  lastResults,
  sizeOf,
  tokensOf,
  truncated,
  type ContextServer,
} from './context-servers.ts';
import { chatStream } from './dialects/chat-stream.ts';
import { writeSite } from './dialects/dialect-case.ts';
import { longPagesInstruction, LongPagesModel, longPagesProblems, longPagesSite } from './long-pages.ts';
import { runTask, type TaskRun } from './run-task.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

interface Step {
  server: ContextServer;
  thousands: number;
  /** The operator has set the size; otherwise a refusal is the first the run learns of it. */
  isSet: boolean;
}

const sizes = [8, 16, 32, 64, 128];
const tooSmall = 8;

const steps: Step[] = contextServers.flatMap((server) =>
  sizes.flatMap((thousands) =>
    // A server that truncates silently cannot be learned from.
    (server.refuse === undefined ? [true] : [true, false]).map((isSet) => ({ server, thousands, isSet })),
  ),
);
const silent: Step[] = contextServers
  .filter(({ refuse }) => refuse === undefined)
  .map((server) => ({ server, thousands: 16, isSet: false }));

export const contextCases: readonly RobustnessCase[] = [
  ...steps.map((step) => ({
    group: 'context' as const,
    server: step.server.name,
    name: `${step.thousands}k, contextTokens ${step.isSet ? 'set' : 'not set'}`,
    run: () => runStep(step, step.thousands === tooSmall ? tooSmallProblems : doneProblems),
  })),
  ...silent.map((step) => ({
    group: 'context' as const,
    server: step.server.name,
    name: `${step.thousands}k truncated silently, contextTokens not set`,
    run: () => runStep(step, doneOrNamedProblems),
  })),
];

export function startContextServer(server: ContextServer, contextTokens: number): Promise<WireServer> {
  const model = new LongPagesModel();
  return startWireServer((request) => {
    const size = sizeOf(request, contextTokens);
    if (server.refuse !== undefined && isTooLong(server, size)) return server.refuse(size);
    const seen = server.refuse === undefined ? truncated(request, contextTokens) : undefined;
    const promptTokens = seen === undefined ? size.promptTokens : tokensOf([seen, request.body['tools']]);
    const more = {
      usage: { prompt_tokens: promptTokens, completion_tokens: 60, total_tokens: promptTokens + 60 },
    };
    if (seen !== undefined && !JSON.stringify(seen).includes(longPagesInstruction)) {
      // The task was among the dropped messages.
      return chatStream({ usage: 'none', more, text: 'Hello! How can I help you?' })(
        { calls: [], number: 0 },
        request,
      );
    }
    const results = lastResults(request, seen ?? (request.body['messages'] as Record<string, unknown>[]));
    return chatStream({ usage: 'none', more })(model.next(results), request);
  });
}

type Check = (run: TaskRun, folder: string, requests: number) => string[];

async function runStep({ server, thousands, isSet }: Step, check: Check): Promise<CaseResult> {
  const contextTokens = thousands * 1024;
  const folder = mkdtempSync(join(tmpdir(), 'docyard-context-'));
  const wire = await startContextServer(server, contextTokens);
  try {
    writeSite(folder, longPagesSite);
    const run = await runTask({
      folder,
      instruction: longPagesInstruction,
      provider: 'openai',
      url: wire.url,
      settings: isSet ? { contextTokens } : {},
      minutes: 5,
    });
    const { steps: turns, inputTokens, outputTokens } = run.usage;
    return { problems: check(run, folder, wire.requests.length), turns, inputTokens, outputTokens };
  } finally {
    await wire.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function doneProblems({ end, changed }: TaskRun, folder: string): string[] {
  return [
    ...(end.reason === 'done' ? [] : [`ended as ${end.reason}: ${end.problem ?? end.summary}`]),
    ...longPagesProblems((path) => readFileSync(join(folder, path), 'utf8'), [...changed.keys()]),
  ];
}

const maxRequestsBeforeEnd = 3;

function tooSmallProblems({ end, changed }: TaskRun, _folder: string, requests: number): string[] {
  const text = end.problem ?? '';
  const figures = text.split(/[^0-9.,_k]+/).map((figure) => Number(figure.replaceAll(/[.,_k]/g, '')));
  const namesMinimum = figures.some(
    (figure) => figure > tooSmall * 1024 || (figure > tooSmall && figure < 128),
  );
  return [
    ...(end.reason === 'context_overflow' ? [] : [`ended as ${end.reason}: ${text || end.summary}`]),
    ...(namesMinimum ? [] : [`the failure names no minimum: ${text || '(no text)'}`]),
    ...(requests <= maxRequestsBeforeEnd ? [] : [`ended only after ${requests} requests`]),
    ...[...changed.keys()].map((path) => `changed ${path}`),
  ];
}

const contextSettings = ['contextTokens', 'MODEL_CONTEXT_TOKENS', 'num_ctx', 'OLLAMA_CONTEXT_LENGTH'];

function doneOrNamedProblems(run: TaskRun, folder: string): string[] {
  if (run.end.reason === 'done') return doneProblems(run, folder);
  const text = run.end.problem ?? '';
  return contextSettings.some((setting) => text.includes(setting))
    ? []
    : [`ended as ${run.end.reason} and names no setting of the context: ${text || '(no text)'}`];
}
