/**
 * A `fetch` for servers that support only a part of the format: leaves out what a server refuses, also in later
 * requests, and normalizes the answer.
 */
import { bodyOf, type ModelSettings } from './endpoint.ts';
import { normalResponse } from './normal-events.ts';
import { objectsOf, type Json } from './json-fields.ts';

/** Other statuses do not judge the request. */
const refusalStatuses = new Set([400, 404, 405, 415, 422, 500, 501]);
const maxErrorCharacters = 100_000;

interface Feature {
  isUsed(body: Json): boolean;
  /** Whether the error message, in lower case, is about this feature. */
  isMeant(errorText: string): boolean;
  without(body: Json): Json;
}

const refusalPhrases = [
  'unsupported',
  'not supported',
  'not permitted',
  'unrecognized',
  'unknown',
  'unexpected',
];

const features: readonly Feature[] = [
  {
    isUsed: (body) =>
      objectsOf(body['messages']).some((message) => message['reasoning_content'] !== undefined),
    isMeant: (text) =>
      text.includes('reasoning_content') && refusalPhrases.some((phrase) => text.includes(phrase)),
    without: (body) => ({
      ...body,
      messages: objectsOf(body['messages']).map((message) => ({ ...message, reasoning_content: undefined })),
    }),
  },
  {
    isUsed: (body) => body['stream_options'] !== undefined,
    isMeant: (text) => text.includes('stream_options') || text.includes('include_usage'),
    without: (body) => ({ ...body, stream_options: undefined }),
  },
  {
    // Some servers refuse it only together with tools, which every request has.
    isUsed: (body) => body['stream'] === true,
    isMeant: (text) => text.replaceAll('upstream', '').includes('stream'),
    without: (body) => ({ ...body, stream: false, stream_options: undefined }),
  },
  {
    isUsed: (body) => body['max_tokens'] !== undefined,
    isMeant: (text) => text.includes('max_completion_tokens') && text.includes('unsupported'),
    without: (body) => ({
      ...body,
      max_tokens: undefined,
      max_completion_tokens: body['max_tokens'],
    }),
  },
];

export function tolerantFetch(
  provider: ModelSettings['provider'],
  fetch: typeof globalThis.fetch,
): typeof globalThis.fetch {
  const refused = new Set<Feature>();
  return async (input, init) => {
    const tried = new Set(refused);
    for (;;) {
      const body = [...tried].reduce((sent, feature) => feature.without(sent), bodyOf(init));
      const response = await fetch(input, { ...init, body: JSON.stringify(body) });
      if (response.ok) {
        for (const feature of tried) refused.add(feature);
        return provider === 'gemini' ? response : normalResponse(provider, response);
      }
      const errorText = (await response.text()).slice(0, maxErrorCharacters);
      const feature = refusalStatuses.has(response.status) ? refusedFeature(errorText, body) : undefined;
      if (!feature) return withText(response, errorText);
      tried.add(feature);
    }
  };
}

function refusedFeature(errorText: string, body: Json): Feature | undefined {
  const text = errorText.toLowerCase();
  return features.find((feature) => feature.isUsed(body) && feature.isMeant(text));
}

function withText({ status, headers }: Response, text: string): Response {
  return new Response(text, { status, headers });
}
