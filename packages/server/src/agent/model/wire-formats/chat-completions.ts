/** OpenAI's chat completions, the format of most model servers. */
import { limitFieldOf } from '../endpoint.ts';
import { countOf, objectOf, type Json } from '../json-fields.ts';
import {
  charactersIn,
  isInlineData,
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
  'temperature',
  'tool_choice',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'parallel_tool_calls',
  'reasoning_effort',
  'response_format',
  'seed',
  'stop',
];
const textParts = new Set(['text', 'refusal', 'thinking']);
const ownToolTypes = new Set(['function', 'custom']);
const writtenFields = new Set(['content', 'reasoning', 'reasoning_content', 'refusal', 'arguments', 'text']);

export const chatCompletions: WireFormat = {
  endpointPath: () => 'chat/completions',
  read(body, model) {
    if (!Array.isArray(body['messages'])) refuse('The request has no messages.');
    for (const { content } of listIn(body['messages'], 'messages')) partsOf(content).forEach(checkPart);
    const tools = ownTools(
      listIn(body['tools'], 'tools'),
      ({ type = 'function' }) => typeof type === 'string' && ownToolTypes.has(type),
    );
    const isStream = body['stream'] === true;
    const asksForUsage = objectOf(body['stream_options'])?.['include_usage'] === true;
    return {
      wantedOutputTokens: wantedTokens(body['max_completion_tokens'] ?? body['max_tokens']),
      hidesUsage: isStream && !asksForUsage,
      withLimit: (outputTokens) => ({
        // The configured model replaces the requested one.
        model: model.name,
        ...picked(body, passedFields),
        ...(tools.length === 0 ? {} : { tools }),
        [limitFieldOf(model)]: outputTokens,
        ...(isStream ? { stream_options: { include_usage: true } } : {}),
      }),
    };
  },
  figuresIn: ({ usage }) => objectOf(usage),
  countsOf: (figures) => ({
    inputTokens: countOf(figures['prompt_tokens']),
    outputTokens: countOf(figures['completion_tokens']),
    cacheReadTokens: countOf(objectOf(figures['prompt_tokens_details'])?.['cached_tokens']),
  }),
  writtenIn: (event) => charactersIn(event, writtenFields),
  isUsageOnly: ({ usage, choices }) =>
    objectOf(usage) !== undefined && Array.isArray(choices) && choices.length === 0,
};

function checkPart({ type, image_url: image }: Json): void {
  if (typeof type === 'string' && textParts.has(type)) return;
  if (type !== 'image_url' || !isInlineData(objectOf(image)?.['url'] ?? image)) refusePart();
}
