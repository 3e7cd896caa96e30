/**
 * What of a foreign agent's request is passed on to a model's endpoint: the conversation and how to answer it. Fields and
 * parts by which an endpoint would fetch an address, run something or cost more than was reserved are left out or
 * refused, because a sandbox without a network must not reach one through the model. Pure.
 */
import { limitFieldOf, type ModelSettings } from './endpoint.ts';
import { charactersPerToken } from './tokens.ts';

export interface ForeignRequest {
  /** Estimated. */
  inputTokens: number;
  /** Undefined when the agent leaves it open. */
  wantedOutputTokens: number | undefined;
  /** The agent streams and did not ask for figures at the end, which we need; it is not shown them. */
  hidesUsage: boolean;
  /** What is sent, with this limit. */
  withLimit(outputTokens: number): string;
}

/** The message is for the agent. */
export class RequestRefused extends Error {
  override name = 'RequestRefused';
}

type Json = Record<string, unknown>;

const common = 'messages stream temperature tool_choice tools top_p';
const passedFields = {
  openai: `${common} frequency_penalty parallel_tool_calls presence_penalty reasoning_effort response_format seed stop`,
  anthropic: `${common} stop_sequences system thinking top_k`,
};
/** Tools that the agent runs itself. Others would be run by the endpoint, some of them on the internet. */
const ownTools = /^(?:function|custom|bash_\d+|text_editor_\d+)$/;
const passedParts = new Set(
  ['text refusal image_url', 'image document thinking redacted_thinking tool_use tool_result'].flatMap(
    (line) => line.split(' '),
  ),
);
const passedSources = new Set(['base64', 'text', 'content']);
const mostNesting = 8;

export function readForeignRequest(text: string, settings: Omit<ModelSettings, 'key'>): ForeignRequest {
  const { provider } = settings;
  const given = objectIn(text);
  const tools = listIn(given['tools']);
  if (tools.some(({ type = 'function' }) => typeof type !== 'string' || !ownTools.test(type))) {
    throw new RequestRefused('Only tools that you run yourself can be offered to the model.');
  }
  if (!Array.isArray(given['messages'])) throw new RequestRefused('The request has no messages.');
  for (const message of listIn(given['messages'])) refuseParts(message['content']);
  const passed = Object.fromEntries(
    passedFields[provider]
      .split(' ')
      .flatMap((field) => (Object.hasOwn(given, field) ? [[field, given[field]]] : [])),
  );
  const isStream = given['stream'] === true;
  const asked = given['stream_options'] as { include_usage?: unknown } | undefined;
  const needsUsage = isStream && provider === 'openai';
  const limit = given['max_completion_tokens'] ?? given['max_tokens'];
  return {
    inputTokens: Math.ceil(text.length / charactersPerToken),
    wantedOutputTokens: typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : undefined,
    hidesUsage: needsUsage && asked?.include_usage !== true,
    withLimit: (outputTokens) =>
      JSON.stringify({
        // Whatever model it names, it gets the one that was configured.
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
    // The same answer for both.
  }
  throw new RequestRefused('The request is no JSON object.');
}

function listIn(value: unknown): Json[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Json => typeof item === 'object' && item !== null);
}

function refuseParts(content: unknown, nesting = 0): void {
  if (nesting > mostNesting) throw new RequestRefused('A message is nested too deeply.');
  for (const part of listIn(content)) {
    const { type, image_url: image, source } = part as { type?: unknown; image_url?: Json; source?: Json };
    const address = typeof image === 'object' && image !== null ? image['url'] : image;
    const isData = address === undefined || (typeof address === 'string' && address.startsWith('data:'));
    const kind = typeof source === 'object' && source !== null ? source['type'] : undefined;
    const isHere = kind === undefined || (typeof kind === 'string' && passedSources.has(kind));
    if (typeof type !== 'string' || !passedParts.has(type) || !isData || !isHere) {
      throw new RequestRefused('A message may hold text, calls, results, and images as data; no addresses.');
    }
    refuseParts(part['content'], nesting + 1);
    refuseParts(source?.['content'], nesting + 1);
  }
}
