/** OpenAI's Responses, used without the state that the endpoint can keep. */
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
  'instructions',
  'stream',
  'temperature',
  'tool_choice',
  'top_p',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'truncation',
  'prompt_cache_key',
];
/** They name a conversation, a prompt or an answer that the endpoint keeps. */
const statefulFields = ['background', 'conversation', 'previous_response_id', 'prompt'];
const ownToolTypes = new Set(['function', 'custom', 'local_shell']);
const passedItems = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'tool_search_call',
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
]);
const toolItems = new Set(['additional_tools', 'tool_search_output']);
const textParts = new Set(['input_text', 'output_text', 'refusal', 'summary_text', 'reasoning_text', 'text']);
const encryptedReasoning = 'reasoning.encrypted_content';
const writtenFields = new Set(['text', 'refusal', 'arguments', 'input']);

export const responses: WireFormat = {
  endpointPath: () => 'responses',
  read(body, model) {
    refuseState(body);
    const input = inputOf(body['input']);
    if (typeof (body['instructions'] ?? '') !== 'string') refuse('The instructions are not text.');
    const tools = ownTools(listIn(body['tools'], 'tools').flatMap(unpacked), isOffered);
    const { include } = body;
    const asksForReasoning = Array.isArray(include) && include.includes(encryptedReasoning);
    return {
      wantedOutputTokens: wantedTokens(body['max_output_tokens']),
      withLimit: (outputTokens) => ({
        model: model.name,
        ...picked(body, passedFields),
        input,
        ...(tools.length === 0 ? {} : { tools }),
        ...(asksForReasoning ? { include: [encryptedReasoning] } : {}),
        store: false,
        max_output_tokens: outputTokens,
      }),
    };
  },
  figuresIn: ({ usage, response }) => objectOf(usage) ?? objectOf(objectOf(response)?.['usage']),
  countsOf: (figures) => ({
    inputTokens: countOf(figures['input_tokens']),
    outputTokens: countOf(figures['output_tokens']),
    cacheReadTokens: countOf(objectOf(figures['input_tokens_details'])?.['cached_tokens']),
  }),
  // Events that end a part repeat what its deltas have said.
  writtenIn: (event) =>
    typeof event['delta'] === 'string' ? event['delta'].length : charactersIn(event['output'], writtenFields),
};

function refuseState(body: Json): void {
  const field = statefulFields.find((name) => (body[name] ?? false) !== false);
  if (field === undefined) return;
  refuse(`The field ${field} is not supported: no conversation is kept. Send all its items in each request.`);
}

function inputOf(input: unknown): unknown {
  if (typeof input === 'string') return input;
  if (!Array.isArray(input)) refuse('The request has no input.');
  return listIn(input, 'items').map(acceptedItem);
}

function acceptedItem(item: Json): Json {
  const { type = 'message' } = item;
  if (typeof type === 'string' && toolItems.has(type)) {
    return { ...item, tools: listIn(item['tools'], 'tools').flatMap(unpacked).filter(isOffered) };
  }
  if (typeof type !== 'string' || !passedItems.has(type)) {
    refuse('The input may contain messages, reasoning, and calls of your own tools with their results.');
  }
  for (const field of ['content', 'output', 'summary']) partsOf(item[field]).forEach(checkPart);
  return item;
}

function checkPart({ type, image_url: image }: Json): void {
  if (typeof type === 'string' && textParts.has(type)) return;
  if (type !== 'input_image' || !isInlineData(image)) refusePart();
}

/** Some agents group their tools in namespaces. */
function unpacked(tool: Json): Json[] {
  if (tool['type'] !== 'namespace') return [tool];
  const tools = listIn(tool['tools'], 'tools').filter(isOwnTool);
  return tools.length === 0 ? [] : [{ ...tool, tools }];
}

function isOffered(tool: Json): boolean {
  return tool['type'] === 'namespace' || isOwnTool(tool);
}

function isOwnTool({ type, execution }: Json): boolean {
  if (type === 'tool_search') return execution === 'client';
  return typeof type === 'string' && ownToolTypes.has(type);
}
