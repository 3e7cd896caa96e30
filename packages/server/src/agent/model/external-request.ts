/**
 * Decides what a request of an external agent to the model is: one to forward, in a format that the endpoint
 * speaks, or a question about tokens or models that needs no endpoint.
 */
import type { ModelSettings } from './endpoint.ts';
import { isDeeper, objectOf, parsedJson, type Json } from './json-fields.ts';
import { estimatedTokensOf } from './tokens.ts';
import { chatCompletions } from './wire-formats/chat-completions.ts';
import { gemini } from './wire-formats/gemini.ts';
import { messages, passedVersionsIn } from './wire-formats/messages.ts';
import { responses } from './wire-formats/responses.ts';
import { refuse, type TargetModel, type WireFormat } from './wire-formats/wire-format.ts';

export { RequestRefusedError } from './wire-formats/wire-format.ts';

type Provider = ModelSettings['provider'];

export interface AskedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  text: string;
  header(name: string): string | undefined;
}

export type Route =
  | { kind: 'answer'; format: WireFormat; isStream?: boolean }
  | { kind: 'count' }
  | { kind: 'models'; isOne: boolean };

/** A request to the endpoint, whose URL ends with `path`. */
export interface EndpointRequest {
  path: string;
  headers?: Record<string, string> | undefined;
  body: string;
}

export interface ExternalRequest {
  format: WireFormat;
  inputTokens: number;
  wantedOutputTokens: number | undefined;
  hidesUsage: boolean;
  withLimit(outputTokens: number): EndpointRequest;
}

const answeringPaths: Record<Provider, ReadonlyMap<string, WireFormat>> = {
  openai: new Map([
    ['/v1/chat/completions', chatCompletions],
    ['/v1/responses', responses],
  ]),
  anthropic: new Map([['/v1/messages', messages]]),
  gemini: new Map(),
};
const geminiPath = /^\/v1(?:beta|alpha)?\/models\/[^/:]+:(?<method>[A-Za-z]+)$/;
const modelsPath = /^\/v1(?:beta|alpha)?\/models(?<one>\/[^/:]+)?$/;

export const offeredPaths: Record<Provider, string> = {
  openai: 'POST /v1/chat/completions, POST /v1/responses and GET /v1/models',
  anthropic: 'POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models',
  gemini:
    'generateContent, streamGenerateContent and countTokens below /v1beta/models and GET /v1beta/models',
};

export function routeOf(provider: Provider, { method, path, query }: AskedRequest): Route | undefined {
  const models = modelsPath.exec(path);
  if (models)
    return method === 'GET' ? { kind: 'models', isOne: models.groups?.['one'] !== undefined } : undefined;
  if (method !== 'POST') return undefined;
  const format = answeringPaths[provider].get(path);
  if (format) return { kind: 'answer', format };
  if (provider === 'anthropic' && path === '/v1/messages/count_tokens') return { kind: 'count' };
  if (provider !== 'gemini') return undefined;
  switch (geminiPath.exec(path)?.groups?.['method']) {
    case 'generateContent':
      return { kind: 'answer', format: gemini, isStream: false };
    case 'streamGenerateContent':
      if (query.get('alt') !== 'sse') refuse('Streams are sent as events only. Add ?alt=sse to the address.');
      return { kind: 'answer', format: gemini, isStream: true };
    case 'countTokens':
      return { kind: 'count' };
    default:
      return undefined;
  }
}

/** Throws RequestRefusedError. */
export function readExternalRequest(
  asked: Pick<AskedRequest, 'text' | 'header'>,
  model: TargetModel,
  { format, isStream }: Extract<Route, { kind: 'answer' }>,
): ExternalRequest {
  const body = objectIn(asked.text);
  const accepted = format.read(body, model);
  const path = format.endpointPath(model, isStream === true);
  const versions = format === messages ? passedVersionsIn(asked.header('anthropic-beta')) : undefined;
  const headers = versions === undefined ? {} : { headers: { 'anthropic-beta': versions } };
  return {
    format,
    inputTokens: estimatedTokensOf(asked.text),
    wantedOutputTokens: accepted.wantedOutputTokens,
    hidesUsage: accepted.hidesUsage === true,
    withLimit: (outputTokens) => ({
      path,
      ...headers,
      body: JSON.stringify(accepted.withLimit(outputTokens)),
    }),
  };
}

const maxDepth = 100;

function objectIn(text: string): Json {
  const body = objectOf(parsedJson(text)) ?? refuse('The request is not a JSON object.');
  return isDeeper(body, maxDepth) ? refuse('The request is nested too deeply.') : body;
}
