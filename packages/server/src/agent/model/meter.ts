/**
 * Reads the token usage of a passing answer, whole or streamed. Missing figures are estimated, so that budgets
 * stay effective.
 */
import type { ModelAnswer } from '../contract.ts';
import { objectOf, parsedJson, type Json } from './json-fields.ts';
import { charactersPerToken } from './tokens.ts';
import type { WireFormat } from './wire-formats/wire-format.ts';

export interface Meter {
  /** Reads one JSON text: the whole answer or the data of one event. */
  read(text: string): 'usage only' | 'other';
  usage(): ModelAnswer['usage'];
}

export function createMeter(format: WireFormat, estimatedInputTokens: number): Meter {
  let reported: Json = {};
  let characters = 0;
  return {
    read(text) {
      const event = objectOf(parsedJson(text));
      if (event === undefined) return 'other';
      const figures = Object.entries(format.figuresIn(event) ?? {}).filter(([, value]) => value !== null);
      reported = { ...reported, ...Object.fromEntries(figures) };
      characters += format.writtenIn(event);
      return format.isUsageOnly?.(event) === true ? 'usage only' : 'other';
    },
    usage() {
      const { inputTokens, outputTokens = 0, cacheReadTokens = 0 } = format.countsOf(reported);
      const estimatedOutput = Math.ceil(characters / charactersPerToken);
      return {
        inputTokens: inputTokens ?? estimatedInputTokens,
        // An interrupted answer reports less than it wrote.
        outputTokens: outputTokens > 1 ? outputTokens : Math.max(outputTokens, estimatedOutput),
        cacheReadTokens,
      };
    },
  };
}
