/** Answers a question from the passages of a site: search, then a model that must cite what it says. */
import type { Logger } from 'pino';
import { type Passage, siteSearch } from '../search/site-search.ts';
import { SearchIndexError } from '../search/shards.ts';
import type { ServedSite } from '../serving/served-site.ts';
import type { AnswerSettings, ModelSettings } from './answer-settings.ts';
import { CitationFilter } from './citations.ts';
import { askModel } from './model-client.ts';
import { type Prompt, promptOf } from './prompt.ts';
import type { AnswerEvent, Question, Source, TokenUsage } from './question.ts';
import type { TokenBudget } from './question-limits.ts';

const maxPassages = 8;
/** Passages with less of the question do not answer it. */
const minCoverage = 0.25;
/** A typical token of English text. */
const charactersPerToken = 4;

export interface AnswererParts {
  settings: AnswerSettings;
  budget: TokenBudget;
  offline: boolean;
  log: Logger;
}

export async function* answer(
  site: ServedSite,
  question: Question,
  { settings, budget, offline, log }: AnswererParts,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  let passages: Passage[];
  try {
    passages = await passagesFor(site, question);
  } catch (error) {
    if (!(error instanceof SearchIndexError)) throw error;
    log.warn(`questions cannot be answered: ${error.message} Export the site again.`);
    yield { type: 'error', code: 'search_unavailable', message: 'This site cannot be searched.' };
    return;
  }
  const { model } = settings;
  yield { type: 'passages', passages: sourcesOf(passages, { withText: model === null }) };
  if (!passages.some(({ coverage }) => coverage >= minCoverage))
    return yield { type: 'done', reason: 'not_found', citations: [], usage: null };
  if (model === null) return yield { type: 'done', reason: 'passages', citations: [], usage: null };
  const prompt = promptOf(question, passages, settings.instructions);
  const reserved = estimatedTokens(prompt) + settings.maxAnswerTokens;
  budget.add(reserved);
  const usage = { inputTokens: 0, outputTokens: 0 };
  try {
    const asking = { maxAnswerTokens: settings.maxAnswerTokens, signal, offline };
    yield* citedAnswer(model, { prompt, passageCount: passages.length, usage }, asking);
  } catch (error) {
    if (signal.aborted && !isTimeout(signal)) return;
    log.warn(`the model endpoint ${model.url} failed: ${reasonOf(error, signal)}.`);
    yield {
      type: 'error',
      code: 'model_unavailable',
      message: 'Answers are not available now. Read the pages below, or try again later.',
    };
  } finally {
    const used = usage.inputTokens + usage.outputTokens;
    // An endpoint without usage, or a canceled answer, costs what was reserved.
    if (used > 0) budget.add(used - reserved);
  }
}

async function passagesFor(site: ServedSite, { question, history, scope }: Question): Promise<Passage[]> {
  // A follow-up such as "and on Windows?" needs the words of the question before it.
  const query = [question, history.at(-1)?.question ?? ''].join(' ').trim();
  return siteSearch(site).find(query, { limit: maxPassages, scope });
}

function sourcesOf(passages: readonly Passage[], { withText }: { withText: boolean }): Source[] {
  return passages.map(({ title, heading, url, text }, at) => ({
    number: at + 1,
    title,
    heading,
    url,
    ...(withText ? { text } : {}),
  }));
}

interface Answering {
  prompt: Prompt;
  passageCount: number;
  /** Filled while the answer arrives. */
  usage: TokenUsage;
}

async function* citedAnswer(
  model: ModelSettings,
  { prompt, passageCount, usage }: Answering,
  asking: Parameters<typeof askModel>[2],
): AsyncGenerator<AnswerEvent> {
  const filter = new CitationFilter(passageCount);
  for await (const event of askModel(model, prompt, asking)) {
    if ('usage' in event) Object.assign(usage, event.usage);
    const text = 'text' in event ? filter.push(event.text) : '';
    if (text !== '') yield { type: 'text', text };
  }
  const rest = filter.end();
  if (rest !== '') yield { type: 'text', text: rest };
  const citations = filter.cited;
  yield { type: 'done', reason: citations.length > 0 ? 'answered' : 'not_found', citations, usage };
}

function estimatedTokens({ system, messages }: Prompt): number {
  const characters = messages.reduce((sum, { content }) => sum + content.length, system.length);
  return Math.ceil(characters / charactersPerToken);
}

function isTimeout(signal: AbortSignal): boolean {
  return signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
}

/** For operators. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (isTimeout(signal)) return 'it took too long. Raise assistant.timeoutSeconds or use a faster model';
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
