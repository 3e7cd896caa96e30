/**
 * Filters the requests of an external agent to a model endpoint. Fields and parts that let the endpoint fetch
 * an address, run a tool or exceed the reservation are removed or refused: a sandbox without a network must not
 * gain one through the model.
 */
import { limitFieldOf, type ModelSettings } from './endpoint.ts';
import { charactersPerToken } from './tokens.ts';

export interface ExternalRequest {
  inputTokens: number;
  wantedOutputTokens: number | undefined;
  /** The bridge needs the usage at the end of a stream; an agent that did not ask for it does not see it. */
  hidesUsage: boolean;
  withLimit(outputTokens: number): string;
}

export class RequestRefusedError extends Error {
  override name = 'RequestRefusedError';
}

type Json = Record<string, unknown>;

const common = 'messages stream temperature tool_choice tools top_p';
const passedFields = {
  openai: `${common} frequency_penalty parallel_tool_calls presence_penalty reasoning_effort response_format seed stop`,
  anthropic: `${common} stop_sequences system thinking top_k`,
};
/** Tools that the agent runs. The endpoint would run others, some of them on the internet. */
const clientTools = /^(?:function|custom|bash_\d+|text_editor_\d+)$/;
const passedParts = new Set(
  ['text refusal image_url', 'image document thinking redacted_thinking tool_use tool_result'].flatMap(
    (line) => line.split(' '),
  ),
);
const passedSources = new Set(['base64', 'text', 'content']);
const maxNesting = 8;

export function readExternalRequest(text: string, settings: Omit<ModelSettings, 'key'>): ExternalRequest {
  const { provider } = settings;
  const given = objectIn(text);
  const tools = listIn(given['tools']);
  if (tools.some(({ type = 'function' }) => typeof type !== 'string' || !clientTools.test(type))) {
    throw new RequestRefusedError('Only tools that you run yourself can be offered to the model.');
  }
  if (!Array.isArray(given['messages'])) throw new RequestRefusedError('The request has no messages.');
  for (const message of listIn(given['messages'])) refuseParts(message['content']);
  const passed = Object.fromEntries(
    passedFields[provider]
      .split(' ')
      .flatMap((field) => (Object.hasOwn(given, field) ? [[field, given[field]]] : [])),
  );
  const isStream = given['stream'] === true;
  const requestedOptions = given['stream_options'] as { include_usage?: unknown } | undefined;
  const needsUsage = isStream && provider === 'openai';
  const limit = given['max_completion_tokens'] ?? given['max_tokens'];
  return {
    inputTokens: Math.ceil(text.length / charactersPerToken),
    wantedOutputTokens: typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : undefined,
    hidesUsage: needsUsage && requestedOptions?.include_usage !== true,
    withLimit: (outputTokens) =>
      JSON.stringify({
        // The configured model replaces the requested one.
        model: settings.name,
        ...passed,
        [limitFieldOf(settings)]: outputTokens,
        ...(needsUsage ? { stream_options: { include_usage: true } } : {}),
      }),
  };
}

function objectIn(text: string): Json {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Invalid JSON and other JSON types get the same error.
  }
  throw new RequestRefusedError('The request is not a JSON object.');
}

function listIn(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Json => typeof item === 'object' && item !== null);
}

function refuseParts(content: unknown, nesting = 0): void {
  if (nesting > maxNesting) throw new RequestRefusedError('A message is nested too deeply.');
  for (const part of listIn(content)) {
    const { type, image_url: image, source } = part as { type?: unknown; image_url?: Json; source?: Json };
    const address = typeof image === 'object' && image !== null ? image['url'] : image;
    const isData = address === undefined || (typeof address === 'string' && address.startsWith('data:'));
    const kind = typeof source === 'object' && source !== null ? source['type'] : undefined;
    const isHere = kind === undefined || (typeof kind === 'string' && passedSources.has(kind));
    if (typeof type !== 'string' || !passedParts.has(type) || !isData || !isHere) {
      throw new RequestRefusedError(
        'A message may contain text, calls, results and inline images, but no addresses.',
      );
    }
    refuseParts(part['content'], nesting + 1);
    refuseParts(source?.['content'], nesting + 1);
  }
}
