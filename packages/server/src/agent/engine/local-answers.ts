/** Answers to an external agent that need no endpoint, in the format of the endpoint. */
import type { LocalAnswer } from '../../egress/local-http.ts';
import { estimatedTokensOf } from '../model/tokens.ts';
import type { TargetModel } from '../model/wire-formats/wire-format.ts';

type Provider = TargetModel['provider'];

/** An estimate: agents use the figure only to decide when to shorten their conversation. */
export function tokenCount(provider: Provider, text: string): LocalAnswer {
  const count = estimatedTokensOf(text);
  return json(200, provider === 'gemini' ? { totalTokens: count } : { input_tokens: count });
}

/** The configured model is the only one, under any name. */
export function modelList(model: TargetModel, isOne: boolean): LocalAnswer {
  const entry = entries[model.provider](model);
  if (isOne) return json(200, entry);
  if (model.provider === 'gemini') return json(200, { models: [entry] });
  return json(200, {
    object: 'list',
    data: [entry],
    has_more: false,
    first_id: model.name,
    last_id: model.name,
  });
}

const entries: Record<Provider, (model: TargetModel) => object> = {
  openai: ({ name }) => ({ id: name, object: 'model', created: 0, owned_by: 'docyard' }),
  anthropic: ({ name }) => ({
    id: name,
    type: 'model',
    display_name: name,
    created_at: '1970-01-01T00:00:00Z',
  }),
  gemini: ({ name }) => ({
    name: name.includes('/') ? name : `models/${name}`,
    displayName: name,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }),
};

/** Every format has the message at the same place. */
export function refusal(provider: Provider, status: number, message: string): LocalAnswer {
  const error = provider === 'gemini' ? { code: status, status: 'FAILED_PRECONDITION' } : { type: 'docyard' };
  return json(status, { type: 'error', error: { ...error, message } });
}

function json(status: number, value: object): LocalAnswer {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}
