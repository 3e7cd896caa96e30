/** Servers that are slow, silent for a while, or never answer. Limits are scaled down by settings of the endpoint. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseResult, RobustnessCase } from './case.ts';
import { chatChunks, chatStream, chatWhole, eventTexts } from './dialects/chat-stream.ts';
import { resultsIn, writeSite } from './dialects/dialect-case.ts';
import {
  correctedPage,
  instruction,
  nextTurn,
  page,
  siteFiles,
  type Answering,
  type Dialect,
  type ModelTurn,
} from './dialects/dialect.ts';
import { messageEvents, messageTexts } from './dialects/messages-stream.ts';
import { runTask, type EndpointSettings } from './run-task.ts';
import { startWireServer, type WireRequest, type WireServer } from './wire-server.ts';

export interface SlowServer {
  name: string;
  provider: Dialect['provider'];
  answer: Answering;
  settings: EndpointSettings;
  /** The run must fail and name this setting. */
  fails?: 'firstByteSeconds' | 'idleSeconds';
  /** A request that is given up and sent again. */
  minRequests?: number;
}

const headers = { 'content-type': 'text/event-stream' };
const short = { firstByteSeconds: 3, idleSeconds: 1 };
/** Longer than the allowed silence within a stream, shorter than the time for the first byte. */
const promptMilliseconds = 1800;

const texts = (turn: ModelTurn, request: WireRequest): string[] => eventTexts(chatChunks(turn, request, {}));
const silentFirst: Answering = (turn, request) => ({
  ...chatStream()(turn, request),
  silentMilliseconds: promptMilliseconds,
});
const pausing =
  (milliseconds: number): Answering =>
  (turn, request) => ({
    headers,
    parts: texts(turn, request).flatMap((text, index) => (index === 2 ? [milliseconds, text] : [text])),
  });
const hanging =
  (parts: number): Answering =>
  (turn, request) => ({
    headers,
    parts: texts(turn, request).slice(0, parts),
    end: 'open',
  });
const once =
  (failure: Answering): Answering =>
  (turn, request) =>
    (request.number === 1 ? failure : chatStream())(turn, request);

const openai = (name: string, answer: Answering, more: Partial<SlowServer> = {}): SlowServer => ({
  name,
  provider: 'openai',
  answer,
  settings: short,
  ...more,
});

export const slowServers: readonly SlowServer[] = [
  openai('processes the prompt before the headers', silentFirst),
  openai('sends headers, then processes the prompt', (turn, request) => ({
    headers,
    parts: [promptMilliseconds, ...texts(turn, request)],
  })),
  openai('sends comments while it processes the prompt', (turn, request) => ({
    headers,
    parts: [...Array.from({ length: 6 }, () => [300, ': keep-alive\n\n']).flat(), ...texts(turn, request)],
  })),
  openai('answers whole after processing the prompt', (turn, request) => ({
    ...chatWhole()(turn, request),
    silentMilliseconds: promptMilliseconds,
  })),
  openai('pauses within the stream', pausing(400)),
  openai('drips for longer than any limit', (turn, request) => ({
    headers,
    parts: texts(turn, request).flatMap((text) => [500, text]),
  })),
  openai('sends single characters slowly', (turn, request) => {
    const text = texts(turn, request).join('');
    const head = Array.from(text.slice(0, 20)).flatMap((letter) => [60, letter]);
    return { headers, parts: [...head, text.slice(20)] };
  }),
  openai('is silent within the stream once', once(hanging(3)), { minRequests: 4 }),
  openai('never answers once', once(hanging(0)), { minRequests: 4 }),
  openai('never answers', hanging(0), {
    fails: 'firstByteSeconds',
    settings: { firstByteSeconds: 0.5, idleSeconds: 5 },
  }),
  openai('is always silent within the stream', hanging(3), {
    fails: 'idleSeconds',
    settings: { firstByteSeconds: 5, idleSeconds: 0.5 },
  }),
  {
    name: 'sends pings while it processes the prompt',
    provider: 'anthropic',
    settings: short,
    answer: (turn, request) => ({
      headers,
      parts: [
        ...Array.from({ length: 6 }, () => [300, ...messageTexts([{ type: 'ping' }])]).flat(),
        ...messageTexts(messageEvents(turn, request, {})),
      ],
    }),
  },
  {
    name: 'sends message_start, then processes the prompt',
    provider: 'anthropic',
    settings: { firstByteSeconds: 3, idleSeconds: 3 },
    answer: (turn, request) => {
      const [start = '', ...rest] = messageTexts(messageEvents(turn, request, {}));
      return { headers, parts: [start, promptMilliseconds, ...rest] };
    },
  },
];

export const timeoutCases: readonly RobustnessCase[] = slowServers.map((slow) => ({
  group: 'timeouts',
  server: slow.provider === 'anthropic' ? 'Anthropic' : 'any server',
  name: slow.name,
  run: () => runSlow(slow),
}));

export function startSlowServer({ answer }: Pick<SlowServer, 'answer'>): Promise<WireServer> {
  return startWireServer((request) => answer(nextTurn(resultsIn(request), undefined), request));
}

async function runSlow(slow: SlowServer): Promise<CaseResult> {
  const folder = mkdtempSync(join(tmpdir(), 'docyard-timeout-'));
  const server = await startSlowServer(slow);
  try {
    writeSite(folder, siteFiles);
    const { provider, settings } = slow;
    const { end, usage } = await runTask({
      folder,
      instruction,
      provider,
      url: server.url,
      settings,
      minutes: 2,
    });
    const isCorrected = readFileSync(join(folder, page), 'utf8') === correctedPage;
    const { steps: turns, inputTokens, outputTokens } = usage;
    const text = end.problem ?? end.summary;
    const problems =
      slow.fails === undefined
        ? [
            ...(end.reason === 'done' && isCorrected ? [] : [`ended as ${end.reason}: ${text}`]),
            ...(server.requests.length >= (slow.minRequests ?? 3) ? [] : ['the request was not repeated']),
          ]
        : [
            ...(end.reason === 'model_unavailable' ? [] : [`ended as ${end.reason}: ${text}`]),
            ...(namesSetting(text, slow.fails) ? [] : [`the failure does not name ${slow.fails}: ${text}`]),
          ];
    return { problems, turns, inputTokens, outputTokens };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A project has the setting in camel case, the installation as an environment variable. */
function namesSetting(text: string, setting: 'firstByteSeconds' | 'idleSeconds'): boolean {
  const variable = { firstByteSeconds: 'MODEL_FIRST_BYTE_SECONDS', idleSeconds: 'MODEL_IDLE_SECONDS' }[
    setting
  ];
  return text.includes(setting) || text.includes(variable);
}
