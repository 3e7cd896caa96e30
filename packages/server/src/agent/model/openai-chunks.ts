/** Chunks of OpenAI chat completions as servers send them, rewritten into those that OpenAI specifies. */
import { argumentsText, countOf, objectOf, objectsOf, parsedJson, textOf, type Json } from './json-fields.ts';
import type { EventNormalizer } from './normal-events.ts';

export function createChunkNormalizer(): EventNormalizer {
  const calls = createCallIndex();
  let hasText = false;
  let isFinished = false;

  function read(event: Json): Json[] {
    const error = errorIn(event);
    if (error !== undefined) {
      isFinished = true;
      return [{ error: { message: error } }];
    }
    const [choice] = objectsOf(event['choices']);
    const usage = usageOf(event['usage']);
    const given = objectOf(choice?.['delta']) ?? objectOf(choice?.['message']);
    if (!choice && !usage) return [];
    const finish = finishOf(choice?.['finish_reason']);
    const delta = deltaOf(given ?? {}, calls);
    hasText ||= delta.content !== undefined && delta.content !== '';
    isFinished ||= finish !== undefined;
    const choices = choice ? [{ delta, finish_reason: finish ?? null }] : [];
    return [{ choices, ...(usage ? { usage } : {}) }];
  }

  return {
    read,
    readWhole: read,
    end() {
      if (isFinished || !(hasText || calls.count() > 0) || !calls.areComplete()) return [];
      const reason = calls.count() > 0 ? 'tool_calls' : 'stop';
      return [{ choices: [{ delta: {}, finish_reason: reason }] }];
    },
  };
}

/** Older vLLM marks its errors by `object`. */
function errorIn(event: Json): string | undefined {
  const error = event['error'] ?? (event['object'] === 'error' ? event : undefined);
  if (error === undefined || error === null) return undefined;
  const message = objectOf(error)?.['message'];
  return textOf(message) ?? textOf(error) ?? JSON.stringify(error);
}

/** OpenAI's names for the reasons that other servers and gateways pass on. */
const finishReasons: Record<string, string> = {
  end: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  stop_sequence: 'stop',
  max_length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_call: 'tool_calls',
  tool_use: 'tool_calls',
  safety: 'content_filter',
};

function finishOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const reason = value.toLowerCase();
  return finishReasons[reason] ?? reason;
}

function usageOf(value: unknown): Json | undefined {
  const usage = objectOf(value);
  if (!usage) return undefined;
  const cached = countOf(objectOf(usage['prompt_tokens_details'])?.['cached_tokens']);
  return {
    prompt_tokens: countOf(usage['prompt_tokens']) ?? 0,
    completion_tokens: countOf(usage['completion_tokens']) ?? 0,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  };
}

interface Delta extends Json {
  content?: string;
}

function deltaOf(given: Json, calls: CallIndex): Delta {
  const { content, thinking } = contentOf(given['content']);
  const reasoning = textOf(given['reasoning_content']) ?? textOf(given['reasoning']) ?? thinking;
  const refusal = textOf(given['refusal']);
  const legacy = objectOf(given['function_call']);
  const pieces = [...objectsOf(given['tool_calls']), ...(legacy ? [{ index: 0, function: legacy }] : [])].map(
    (call) => calls.read(call),
  );
  return {
    ...(content === undefined ? {} : { content }),
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(pieces.length === 0 ? {} : { tool_calls: pieces }),
  };
}

function contentOf(value: unknown): { content?: string; thinking?: string } {
  if (!Array.isArray(value)) return typeof value === 'string' ? { content: value } : {};
  let content = '';
  let thinking = '';
  for (const part of value as unknown[]) {
    const { text, thinking: thoughts } = objectOf(part) ?? { text: part };
    content += textOf(text) ?? '';
    thinking +=
      textOf(thoughts) ??
      objectsOf(thoughts)
        .map((thought) => textOf(thought['text']) ?? '')
        .join('');
  }
  return { content, ...(thinking === '' ? {} : { thinking }) };
}

interface CallIndex {
  read(call: Json): Json;
  count(): number;
  areComplete(): boolean;
}

/** Assigns pieces without an index to their call. */
function createCallIndex(): CallIndex {
  const texts = new Map<number, string>();
  const indexes = new Map<string, number>();
  let last = 0;

  function indexOf(call: Json, id: string | undefined, name: string | undefined): number {
    const given = countOf(call['index']);
    if (given !== undefined) return given;
    const known = id === undefined ? undefined : indexes.get(id);
    if (known !== undefined) return known;
    return name !== undefined || texts.size === 0 ? texts.size : last;
  }

  return {
    read(call) {
      const called = objectOf(call['function']) ?? call;
      const id = typeof call['id'] === 'number' ? String(call['id']) : textOf(call['id']);
      const name = textOf(called['name']);
      const text = argumentsText(called['arguments']);
      last = indexOf(call, id, name);
      if (id !== undefined && id !== '') indexes.set(id, last);
      // Servers that give every call the same index send each in one piece.
      const isNext = text !== undefined && text.startsWith('{') && name !== undefined;
      texts.set(last, isNext ? text : (texts.get(last) ?? '') + (text ?? ''));
      return {
        index: last,
        ...(id === undefined ? {} : { id }),
        function: {
          ...(name === undefined ? {} : { name }),
          ...(text === undefined ? {} : { arguments: text }),
        },
      };
    },
    count: () => texts.size,
    areComplete: () => [...texts.values()].every((text) => text === '' || parsedJson(text) !== undefined),
  };
}
