/** A model that answers every request with one sentence, to try an agent without a real model. */
import type { Forward } from '../model/gateway.ts';

type Provider = 'openai' | 'anthropic';

export function scriptedForward(provider: Provider, text: string, onCall: () => void): Forward {
  return async (body) => {
    onCall();
    const { stream, model } = JSON.parse(body) as { stream?: unknown; model?: unknown };
    const answer = { model: String(model), text };
    if (stream !== true) return Response.json(wholeAnswer[provider](answer));
    const events = streamedAnswer[provider](answer).join('');
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
  };
}

interface Answer {
  model: string;
  text: string;
}

const openaiUsage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const anthropicUsage = { input_tokens: 1, output_tokens: 1 };

const wholeAnswer: Record<Provider, (answer: Answer) => object> = {
  openai: ({ model, text }) => ({
    id: 'chatcmpl-trial',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: openaiUsage,
  }),
  anthropic: ({ model, text }) => ({
    ...anthropicMessage(model),
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
  }),
};

const streamedAnswer: Record<Provider, (answer: Answer) => string[]> = {
  openai({ model, text }) {
    const chunk = (more: object) => {
      const shared = { id: 'chatcmpl-trial', object: 'chat.completion.chunk', created: 0, model };
      return `data: ${JSON.stringify({ ...shared, ...more })}\n\n`;
    };
    const choice = (delta: object, finish: string | null = null) =>
      chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
    return [
      choice({ role: 'assistant', content: text }),
      choice({}, 'stop'),
      chunk({ choices: [], usage: openaiUsage }),
      'data: [DONE]\n\n',
    ];
  },
  anthropic({ model, text }) {
    const event = (type: string, more: object = {}) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
    return [
      event('message_start', { message: anthropicMessage(model) }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: anthropicUsage }),
      event('message_stop'),
    ];
  },
};

function anthropicMessage(model: string): object {
  return {
    id: 'msg_trial',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: anthropicUsage,
  };
}
