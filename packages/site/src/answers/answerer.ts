/** Answers a question from the passages of a site: search, then a model that must cite what it says. */
import type { Logger } from 'pino';
import { type Passage, siteSearch } from '../search/site-search.ts';
import { SearchIndexError } from '../search/shards.ts';
import type { ServedSite } from '../serving/served-site.ts';
import type { AnswerSettings, ModelSettings } from './answer-settings.ts';
import { CitationFilter } from './citations.ts';
import type { Reranker } from './embeddings.ts';
import { askModel } from './model-client.ts';
import { isTimeout, reasonOf } from './model-endpoint.ts';
import { type Prompt, promptOf } from './prompt.ts';
import type { AnswerEvent, Question, Source, TokenUsage } from './question.ts';
import type { TokenBudget } from './question-limits.ts';

const maxPassages = 8;
const maxRerankedPassages = 24;
/** Passages with less of the question do not answer it. */
const minCoverage = 0.25;
/** A typical token of English text. */
const charactersPerToken = 4;

export interface AnswererParts {
  settings: AnswerSettings;
  budget: TokenBudget;
  /** Null without an embeddings endpoint. */
  reranker: Reranker | null;
  offline: boolean;
  log: Logger;
}

export async function* answer(
  site: ServedSite,
  question: Question,
  { settings, budget, reranker, offline, log }: AnswererParts,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const query = queryOf(question);
  let found: Passage[];
  try {
    const limit = reranker === null ? maxPassages : maxRerankedPassages;
    found = await siteSearch(site).find(query, { limit, scope: question.scope });
  } catch (error) {
    if (!(error instanceof SearchIndexError)) throw error;
    log.warn(`questions cannot be answered: ${error.message} Export the site again.`);
    yield { type: 'error', code: 'search_unavailable', message: 'This site cannot be searched.' };
    return;
  }
  const { model } = settings;
  const isCovered = found.some(({ coverage }) => coverage >= minCoverage);
  const ranked = reranker !== null && isCovered ? await reranker.rerank(query, found, signal) : found;
  const passages = ranked.slice(0, maxPassages);
  yield { type: 'passages', passages: sourcesOf(passages, { withText: model === null }) };
  if (!isCovered) return yield { type: 'done', reason: 'not_found', citations: [], usage: null };
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

function queryOf({ question, history }: Question): string {
  // A follow-up such as "and on Windows?" needs the words of the question before it.
  return [question, history.at(-1)?.question ?? ''].join(' ').trim();
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
