/** Anthropic's messages. */
import { countOf, objectOf, textOf, type Json } from '../json-fields.ts';
import {
  charactersIn,
  listIn,
  ownTools,
  partsOf,
  picked,
  refuse,
  refusePart,
  wantedTokens,
  type WireFormat,
} from './wire-format.ts';

const passedFields = [
  'messages',
  'stream',
  'stop_sequences',
  'system',
  'temperature',
  'thinking',
  'output_config',
  'tool_choice',
  'top_k',
  'top_p',
];
const ownToolTypes = /^(?:custom|bash_\d+|text_editor_\d+|memory_\d+)$/;
const passedParts = new Set([
  'text',
  'image',
  'document',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
]);
const inlineSources = new Set(['base64', 'text', 'content']);
const writtenFields = new Set(['text', 'thinking', 'partial_json', 'content']);
const maxNesting = 8;
const minThinkingTokens = 1024;

export const messages: WireFormat = {
  endpointPath: () => 'messages',
  read(body, model) {
    if (!Array.isArray(body['messages'])) refuse('The request has no messages.');
    for (const { content } of listIn(body['messages'], 'messages')) checkParts(content, 0);
    checkParts(body['system'], 0);
    const tools = ownTools(
      listIn(body['tools'], 'tools'),
      ({ type = 'custom' }) => typeof type === 'string' && ownToolTypes.test(type),
    );
    return {
      wantedOutputTokens: wantedTokens(body['max_tokens']),
      withLimit: (outputTokens) => ({
        model: model.name,
        ...picked(body, passedFields),
        ...(tools.length === 0 ? {} : { tools }),
        ...thinkingWithin(body['thinking'], outputTokens),
        max_tokens: outputTokens,
      }),
    };
  },
  // The first event has the input figures, the last one the output figures.
  figuresIn: ({ usage, message }) => objectOf(usage) ?? objectOf(objectOf(message)?.['usage']),
  countsOf(figures) {
    const cacheReadTokens = countOf(figures['cache_read_input_tokens']) ?? 0;
    const uncached = countOf(figures['input_tokens']);
    const written = countOf(figures['cache_creation_input_tokens']) ?? 0;
    return {
      inputTokens: uncached === undefined ? undefined : uncached + cacheReadTokens + written,
      outputTokens: countOf(figures['output_tokens']),
      cacheReadTokens,
    };
  },
  writtenIn: (event) => charactersIn(event, writtenFields),
};

function checkParts(content: unknown, nesting: number): void {
  if (nesting > maxNesting) refuse('A message is nested too deeply.');
  for (const part of partsOf(content)) {
    if (typeof part['type'] !== 'string' || !passedParts.has(part['type'])) refusePart();
    const source = sourceOf(part);
    const kind = source?.['type'];
    if (source !== undefined && (typeof kind !== 'string' || !inlineSources.has(kind))) refusePart();
    checkParts(part['content'], nesting + 1);
    checkParts(source?.['content'], nesting + 1);
  }
}

function sourceOf({ source }: Json): Json | undefined {
  return source === undefined ? undefined : (objectOf(source) ?? refusePart());
}

/** The endpoint refuses an answer that is shorter than its reasoning may be. */
function thinkingWithin(thinking: unknown, outputTokens: number): Json {
  const given = objectOf(thinking);
  const budget = countOf(given?.['budget_tokens']);
  if (given === undefined || budget === undefined || budget < outputTokens) return {};
  const budget_tokens = Math.floor(outputTokens / 2);
  if (budget_tokens < minThinkingTokens) return { thinking: { type: 'disabled' } };
  return { thinking: { ...given, budget_tokens } };
}

/** Versions of the format that change how the model answers, but not what the endpoint can reach. */
const passedVersions = new Set([
  'claude-code-20250219',
  'context-1m-2025-08-07',
  'effort-2025-11-24',
  'extended-cache-ttl-2025-04-11',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'output-128k-2025-02-19',
  'prompt-caching-2024-07-31',
  'structured-outputs-2025-11-13',
  'token-efficient-tools-2025-02-19',
]);

/** The part of the header `anthropic-beta` that may pass. */
export function passedVersionsIn(header: unknown): string | undefined {
  const versions = (textOf(header) ?? '').split(',').map((version) => version.trim());
  return versions.filter((version) => passedVersions.has(version)).join(',') || undefined;
}
