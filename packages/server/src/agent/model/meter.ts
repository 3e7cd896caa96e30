/**
 * Reads what an answer cost while it passes, in both wire formats, whole or as a stream. What an endpoint does not tell
 * is estimated, so that no budget is endless. It changes nothing.
 */
import type { ModelAnswer } from '../contract.ts';
import { charactersPerToken } from './tokens.ts';

export interface Meter {
  /** One JSON text of the answer: all of it, or the data of one event. Says whether it held figures and nothing else. */
  read(text: string): 'figures only' | 'other';
  usage(): ModelAnswer['usage'];
}

type Json = Record<string, unknown>;

export function createMeter(estimatedInputTokens: number): Meter {
  let told: Json = {};
  let characters = 0;
  return {
    read(text) {
      const data = objectIn(text);
      if (data === undefined) return 'other';
      const message = objectOf(data['message']);
      const usage = objectOf(data['usage']) ?? objectOf(message?.['usage']);
      // Anthropic tells the input at the beginning and the output at the end.
      const figures = Object.entries(usage ?? {}).filter(([, value]) => value !== null);
      told = { ...told, ...Object.fromEntries(figures) };
      characters += writtenIn(data);
      const choices = data['choices'];
      return usage !== undefined && Array.isArray(choices) && choices.length === 0 ? 'figures only' : 'other';
    },
    usage() {
      const cached = countIn(objectOf(told['prompt_tokens_details']), 'cached_tokens');
      const cacheRead = cached ?? countIn(told, 'cache_read_input_tokens') ?? 0;
      const uncached = countIn(told, 'input_tokens');
      const anthropicInput =
        uncached === undefined
          ? undefined
          : uncached + cacheRead + (countIn(told, 'cache_creation_input_tokens') ?? 0);
      const estimatedOutput = Math.ceil(characters / charactersPerToken);
      const output = countIn(told, 'completion_tokens') ?? countIn(told, 'output_tokens') ?? 0;
      return {
        inputTokens: countIn(told, 'prompt_tokens') ?? anthropicInput ?? estimatedInputTokens,
        // An answer that broke off has told less than it wrote.
        outputTokens: output > 1 ? output : Math.max(output, estimatedOutput),
        cacheReadTokens: cacheRead,
      };
    },
  };
}

const writtenFields = new Set(
  'content reasoning reasoning_content refusal arguments text thinking partial_json'.split(' '),
);
const mostNesting = 8;

/** How many characters of the model's own are in it. */
function writtenIn(value: unknown, nesting = 0): number {
  if (typeof value !== 'object' || value === null || nesting > mostNesting) return 0;
  let sum = 0;
  for (const [name, inner] of Object.entries(value)) {
    sum +=
      typeof inner === 'string'
        ? writtenFields.has(name)
          ? inner.length
          : 0
        : writtenIn(inner, nesting + 1);
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
