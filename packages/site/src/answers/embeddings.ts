/** Ranks passages by meaning, with the vectors of an OpenAI-compatible endpoint that the operator configures. */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Passage } from '../search/site-search.ts';
import type { EndpointSettings } from './answer-settings.ts';
import { bearer, checkedData, dataIn, ModelError, postJson, reasonOf, textOf } from './model-endpoint.ts';

/** Some endpoints refuse texts that are longer than the context of their model. */
const maxInputCharacters = 1500;
const maxDimensions = 8192;
const maxCachedVectors = 4000;
const pauseMs = 60_000;
/** The usual constant of reciprocal rank fusion. */
const fusionConstant = 60;

const Numbers = z.array(z.number()).min(1).max(maxDimensions);
const Embeddings = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: Numbers })),
});

interface RerankerParts {
  timeoutSeconds: number;
  offline: boolean;
  log: Logger;
  now?: () => number;
}

export class Reranker {
  readonly #endpoint: EndpointSettings;
  readonly #parts: Required<RerankerParts>;
  /** By the hash of the text, least recently used first. */
  readonly #vectors = new Map<string, Float32Array>();
  #pausedUntilMs = 0;
  #silentUntilMs = 0;

  constructor(endpoint: EndpointSettings, parts: RerankerParts) {
    this.#endpoint = endpoint;
    this.#parts = { now: Date.now, ...parts };
  }

  /** Best first. Keeps the order if the endpoint fails. */
  async rerank(question: string, passages: Passage[], signal: AbortSignal): Promise<Passage[]> {
    const { timeoutSeconds, now, log } = this.#parts;
    if (now() < this.#pausedUntilMs) return passages;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
    try {
      return fused(passages, await this.#similarities(question, passages, limited));
    } catch (error) {
      if (signal.aborted) return passages;
      const endsAtMs = now() + pauseMs;
      // The question of one reader can cause a response with an error, which must not affect others.
      if (!(error instanceof ModelError)) this.#pausedUntilMs = endsAtMs;
      if (now() < this.#silentUntilMs) return passages;
      this.#silentUntilMs = endsAtMs;
      const reason = reasonOf(error, limited);
      log.warn(
        `the embeddings endpoint ${this.#endpoint.url} failed: ${reason}. Passages keep the order of the search.`,
      );
      return passages;
    }
  }

  async #similarities(question: string, passages: Passage[], signal: AbortSignal): Promise<number[]> {
    const texts = passages.map(({ title, heading, text }) => inputOf([title, heading, text].join('\n')));
    const keys = texts.map((text) => createHash('sha256').update(text).digest('base64'));
    const known = keys.map((key) => this.#vectors.get(key));
    const missing = texts.filter((_, at) => known[at] === undefined);
    const [ofQuestion = noVector, ...added] = await this.#embed([inputOf(question), ...missing], signal);
    const vectors = known.map((vector) => vector ?? added.shift() ?? noVector);
    if (vectors.some(({ length }) => length !== ofQuestion.length)) {
      // Another model may serve the endpoint now.
      this.#vectors.clear();
      throw new ModelError('its vectors have different lengths');
    }
    for (const [at, vector] of vectors.entries()) this.#store(keys[at] ?? '', vector);
    return vectors.map((vector) => cosineSimilarity(ofQuestion, vector));
  }

  async #embed(input: string[], signal: AbortSignal): Promise<Float32Array[]> {
    const { url, name, key } = this.#endpoint;
    const response = await postJson(`${url}/embeddings`, {
      headers: bearer(key),
      body: { model: name, input },
      signal,
      offline: this.#parts.offline,
      settings: {
        key: 'assistant.embeddingsKeyFile',
        request: 'assistant.embeddingsUrl and assistant.embeddingsModel',
      },
    });
    const { data } = checkedData(Embeddings, dataIn(await textOf(response)));
    if (data.length !== input.length)
      throw new ModelError(`its response has ${data.length} vectors for ${input.length} texts`);
    const ordered = data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
    return ordered.map(({ embedding }) => unitVector(embedding));
  }

  #store(key: string, vector: Float32Array): void {
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    for (const oldest of this.#vectors.keys()) {
      if (this.#vectors.size <= maxCachedVectors) break;
      this.#vectors.delete(oldest);
    }
  }
}

const noVector = new Float32Array();

function inputOf(text: string): string {
  return text.slice(0, maxInputCharacters).toWellFormed();
}

function unitVector(values: readonly number[]): Float32Array {
  const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Float32Array.from(values, (value) => value / norm);
}

/** Of vectors with the length 1. */
function cosineSimilarity(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

/** Reciprocal rank fusion: a passage that is high in both orders comes first. Scores of different scales are not compared. */
function fused(passages: readonly Passage[], similarities: readonly number[]): Passage[] {
  return passages
    .map((passage, rank) => ({ passage, rank, similarity: similarities[rank] ?? 0 }))
    .toSorted((a, b) => b.similarity - a.similarity)
    .map(({ passage, rank }, bySimilarity) => ({
      passage,
      score: 1 / (fusionConstant + rank) + 1 / (fusionConstant + bySimilarity),
    }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ passage }) => passage);
}
