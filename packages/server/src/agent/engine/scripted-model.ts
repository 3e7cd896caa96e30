/** A model that answers every request with one sentence, to try an agent without a real model. */
import type { Forward } from '../model/gateway.ts';

type Format = 'chat' | 'messages' | 'responses' | 'gemini';

export function scriptedForward(text: string, onCall: () => void): Forward {
  return async ({ path, body }) => {
    onCall();
    const format = formatOf(path);
    const { stream, model } = JSON.parse(body) as { stream?: unknown; model?: unknown };
    const answer = { model: String(model), text };
    const isStream = stream === true || path.includes(':streamGenerateContent');
    if (!isStream) return Response.json(wholeAnswer[format](answer));
    const events = streamedAnswer[format](answer).join('');
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
  };
}

function formatOf(path: string): Format {
  if (path === 'chat/completions') return 'chat';
  return path === 'messages' || path === 'responses' ? path : 'gemini';
}

interface Answer {
  model: string;
  text: string;
}

const openaiUsage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const anthropicUsage = { input_tokens: 1, output_tokens: 1 };

const wholeAnswer: Record<Format, (answer: Answer) => object> = {
  chat: ({ model, text }) => ({
    id: 'chatcmpl-trial',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: openaiUsage,
  }),
  messages: ({ model, text }) => ({
    ...anthropicMessage(model),
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
  }),
  responses: (answer) => response(answer, 'completed', [outputMessage(answer)]),
  gemini: ({ text }) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }),
};

const streamedAnswer: Record<Format, (answer: Answer) => string[]> = {
  chat({ model, text }) {
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
  messages({ model, text }) {
    return [
      event('message_start', { message: anthropicMessage(model) }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: anthropicUsage,
      }),
      event('message_stop'),
    ];
  },
  responses(answer) {
    const item = outputMessage(answer);
    const place = { item_id: item.id, output_index: 0, content_index: 0 };
    return [
      event('response.created', { response: response(answer, 'in_progress', []) }),
      event('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
      event('response.output_text.delta', { ...place, delta: answer.text }),
      event('response.output_text.done', { ...place, text: answer.text }),
      event('response.output_item.done', { output_index: 0, item }),
      event('response.completed', { response: response(answer, 'completed', [item]) }),
    ];
  },
  gemini: (answer) => [`data: ${JSON.stringify(wholeAnswer.gemini(answer))}\r\n\r\n`],
};

function event(type: string, more: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

function outputMessage({ text }: Answer) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: 'msg_trial', role: 'assistant', status: 'completed', content };
}

function response({ model }: Answer, status: string, output: object[]): object {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return { id: 'resp_trial', object: 'response', created_at: 0, status, model, output, usage };
}

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
