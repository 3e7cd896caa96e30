/** `/_docyard/ask`: readers ask questions, and get passages and an answer as JSON or as an event stream. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { SiteEndpoint } from '../serving/endpoint.ts';
import type { Reader } from '../serving/gate.ts';
import { readBody } from '../serving/request-body.ts';
import { clientAddressOf, isSameOrigin } from '../serving/request-origin.ts';
import type { SiteExchange } from '../serving/respond.ts';
import { send } from '../serving/send-file.ts';
import type { AnswerSettings } from './answer-settings.ts';
import { answer } from './answerer.ts';
import { Reranker } from './embeddings.ts';
import { type AnswerEvent, Question, type Source } from './question.ts';
import { QuestionLimit, readerKey, TokenBudget } from './question-limits.ts';

const maxBodyBytes = 64 * 1024;
const maxRunningQuestions = 8;
const busySeconds = 5;
/** For clients that read slowly, beyond the time of an answer. */
const extraSeconds = 30;
/** The rest of the time is for the answer. */
const rerankingShare = 0.25;

export class AskEndpoint implements SiteEndpoint {
  readonly path = '/_docyard/ask';
  readonly #settings: AnswerSettings;
  readonly #parts: { offline: boolean; log: Logger };
  readonly #limit: QuestionLimit;
  readonly #budget: TokenBudget;
  readonly #reranker: Reranker | null;
  #running = 0;

  constructor(settings: AnswerSettings, parts: { offline: boolean; log: Logger }) {
    this.#settings = settings;
    this.#parts = parts;
    this.#limit = new QuestionLimit(settings.maxQuestionsPerHour);
    this.#budget = new TokenBudget(settings.maxTokensPerDay);
    const { embeddings, timeoutSeconds } = settings;
    this.#reranker =
      embeddings && new Reranker(embeddings, { timeoutSeconds: timeoutSeconds * rerankingShare, ...parts });
  }

  async serve(exchange: SiteExchange, reader: Reader | undefined): Promise<void> {
    const { request } = exchange;
    if (request.method === 'GET' || request.method === 'HEAD')
      return sendJson(exchange, 200, {
        enabled: true,
        mode: this.#settings.model === null ? 'passages' : 'answers',
      });
    if (request.method !== 'POST')
      return refuse(exchange, 405, 'method_not_allowed', 'Send a question with POST.', [
        'Allow',
        'GET, HEAD, POST',
      ]);
    if (!isSameOrigin(request, this.#settings.site))
      return refuse(exchange, 403, 'forbidden', 'The question was sent from another site.');
    const question = await readQuestion(request);
    if (typeof question === 'string') return refuse(exchange, 400, 'invalid_request', question);
    const wait = this.#waitSeconds(request, reader);
    if (wait !== undefined)
      return refuse(exchange, 429, wait.code, wait.message, ['Retry-After', String(wait.seconds)]);
    this.#running += 1;
    const hold = exchange.hold?.();
    try {
      await this.#answer(exchange, question);
    } finally {
      this.#running -= 1;
      hold?.();
    }
  }

  #waitSeconds(
    request: IncomingMessage,
    reader: Reader | undefined,
  ): { code: string; message: string; seconds: number } | undefined {
    if (this.#running >= maxRunningQuestions) {
      const message = 'Other questions are being answered. Try again in a few seconds.';
      return { code: 'busy', message, seconds: busySeconds };
    }
    const budget = this.#settings.model === null ? 0 : this.#budget.waitSeconds();
    if (budget > 0) {
      const message = 'No more questions are answered today. Try again tomorrow.';
      return { code: 'budget_exceeded', message, seconds: budget };
    }
    const address = clientAddressOf(request, this.#settings.site.trustedProxies);
    const seconds = this.#limit.count(readerKey(reader?.name, address));
    if (seconds === 0) return undefined;
    return { code: 'rate_limited', message: 'Too many questions. Try again later.', seconds };
  }

  async #answer(exchange: SiteExchange, question: Question): Promise<void> {
    const { response, request, site } = exchange;
    const { timeoutSeconds } = this.#settings;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
    const parts = {
      settings: this.#settings,
      budget: this.#budget,
      reranker: this.#reranker,
      ...this.#parts,
    };
    const events = answer(site, question, parts, signal);
    const wantsEvents = (request.headers.accept ?? '').includes('text/event-stream');
    if (!wantsEvents) return sendAnswer(exchange, await collected(events));
    const deadline = setTimeout(() => response.destroy(), (timeoutSeconds + extraSeconds) * 1000);
    try {
      await sendEvents(exchange, events, gone.signal);
    } finally {
      clearTimeout(deadline);
    }
  }
}

/** A text is a complaint. */
async function readQuestion(request: IncomingMessage): Promise<Question | string> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') return 'Send JSON with Content-Type: application/json.';
  const body = await readBody(request, maxBodyBytes);
  if (body === undefined) return `The body has more than ${maxBodyBytes} bytes.`;
  try {
    const question = Question.safeParse(JSON.parse(body.toString()));
    if (question.success) return question.data;
    const [issue] = question.error.issues;
    return `${issue?.path.join('.') || 'The body'} is invalid: ${issue?.message ?? 'wrong form'}.`;
  } catch {
    return 'The body is not JSON.';
  }
}

interface WholeAnswer {
  reason?: string;
  answer: string;
  citations: Source[];
  passages: Source[];
  usage?: unknown;
  error?: { code: string; message: string };
}

async function collected(events: AsyncIterable<AnswerEvent>): Promise<WholeAnswer> {
  const whole: WholeAnswer = { answer: '', citations: [], passages: [] };
  for await (const event of events) {
    if (event.type === 'passages') whole.passages = event.passages;
    else if (event.type === 'text') whole.answer += event.text;
    else if (event.type === 'error')
      Object.assign(whole, { answer: '', error: { code: event.code, message: event.message } });
    else {
      whole.reason = event.reason;
      whole.usage = event.usage;
      whole.citations = whole.passages.filter(({ number }) => event.citations.includes(number));
    }
  }
  return whole;
}

function sendAnswer(exchange: SiteExchange, whole: WholeAnswer): void {
  if (!exchange.response.destroyed) sendJson(exchange, whole.error === undefined ? 200 : 503, whole);
}

async function sendEvents(
  exchange: SiteExchange,
  events: AsyncIterable<AnswerEvent>,
  gone: AbortSignal,
): Promise<void> {
  const { response, site } = exchange;
  exchange.began?.(200, 0);
  response.writeHead(200, [
    'Content-Type',
    'text/event-stream',
    'Cache-Control',
    'no-store',
    // Some proxies collect a response before they pass it on.
    'X-Accel-Buffering',
    'no',
    ...withoutCaching(site.headers),
  ]);
  for await (const { type, ...data } of events) {
    if (gone.aborted) return;
    const isRoom = response.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    if (!isRoom) await roomIn(response, gone);
  }
  response.end();
}

function roomIn(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    response.once('drain', done);
    gone.addEventListener('abort', done);
    if (gone.aborted) done();
  });
}

function refuse(
  exchange: SiteExchange,
  status: number,
  code: string,
  message: string,
  headers: readonly string[] = [],
): void {
  // The rest of the body is not read, so the connection cannot be reused.
  exchange.response.shouldKeepAlive = false;
  sendJson(exchange, status, { error: { code, message } }, headers);
}

function sendJson(
  exchange: SiteExchange,
  status: number,
  value: unknown,
  headers: readonly string[] = [],
): void {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  send(
    exchange,
    status,
    [
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      String(bytes.length),
      'Cache-Control',
      'no-store',
      ...headers,
      ...withoutCaching(exchange.site.headers),
    ],
    bytes,
  );
}

/** The author's rules may set Cache-Control; names and values alternate. */
function withoutCaching(headers: readonly string[]): string[] {
  return headers.filter((_, at) => headers[at - (at % 2)]?.toLowerCase() !== 'cache-control');
}
