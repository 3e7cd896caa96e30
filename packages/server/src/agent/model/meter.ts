/**
 * Reads the token usage of a passing answer in both wire formats, whole or streamed. Missing figures are
 * estimated, so that budgets stay effective.
 */
import type { ModelAnswer } from '../contract.ts';
import { charactersPerToken } from './tokens.ts';

export interface Meter {
  /** Reads one JSON text: the whole answer or the data of one event. */
  read(text: string): 'usage only' | 'other';
  usage(): ModelAnswer['usage'];
}

type Json = Record<string, unknown>;

export function createMeter(estimatedInputTokens: number): Meter {
  let reported: Json = {};
  let characters = 0;
  return {
    read(text) {
      const data = objectIn(text);
      if (data === undefined) return 'other';
      const message = objectOf(data['message']);
      const usage = objectOf(data['usage']) ?? objectOf(message?.['usage']);
      // Anthropic sends the input figures first and the output figures last.
      const figures = Object.entries(usage ?? {}).filter(([, value]) => value !== null);
      reported = { ...reported, ...Object.fromEntries(figures) };
      characters += writtenCharacters(data);
      const choices = data['choices'];
      return usage !== undefined && Array.isArray(choices) && choices.length === 0 ? 'usage only' : 'other';
    },
    usage() {
      const cached = countIn(objectOf(reported['prompt_tokens_details']), 'cached_tokens');
      const cacheRead = cached ?? countIn(reported, 'cache_read_input_tokens') ?? 0;
      const uncached = countIn(reported, 'input_tokens');
      const anthropicInput =
        uncached === undefined
          ? undefined
          : uncached + cacheRead + (countIn(reported, 'cache_creation_input_tokens') ?? 0);
      const estimatedOutput = Math.ceil(characters / charactersPerToken);
      const output = countIn(reported, 'completion_tokens') ?? countIn(reported, 'output_tokens') ?? 0;
      return {
        inputTokens: countIn(reported, 'prompt_tokens') ?? anthropicInput ?? estimatedInputTokens,
        // An interrupted answer reports less than it wrote.
        outputTokens: output > 1 ? output : Math.max(output, estimatedOutput),
        cacheReadTokens: cacheRead,
      };
    },
  };
}

const writtenFields = new Set(
  'content reasoning reasoning_content refusal arguments text thinking partial_json'.split(' '),
);
const maxNesting = 8;

function writtenCharacters(value: unknown, nesting = 0): number {
  if (typeof value !== 'object' || value === null || nesting > maxNesting) return 0;
  let sum = 0;
  for (const [name, inner] of Object.entries(value)) {
    sum +=
      typeof inner === 'string'
        ? writtenFields.has(name)
          ? inner.length
          : 0
        : writtenCharacters(inner, nesting + 1);
  }
  return sum;
}

function countIn(object: Json | undefined, name: string): number | undefined {
  const value = object?.[name];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;
}

function objectOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function objectIn(text: string): Json | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
