/** OpenAI's Responses of the scripted model. */
import type { Message } from '../../packages/server/src/agent/contract.ts';
import type { ScriptedAnswer } from './model-server.ts';
import { argumentsOf, split, textOf, usageOf, type Json, type Wire } from './wire.ts';

export const responses: Wire = {
  path: '/responses',
  events(answer, request) {
    let number = 0;
    const event = (type: string, data: Json) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`;
    const pieces = answer.pieces ?? 3;
    const items = itemsOf(answer);
    const begun = responseOf(request, 'in_progress', []);
    return [
      event('response.created', { response: begun }),
      event('response.in_progress', { response: begun }),
      ...items.flatMap((item, output_index) => [
        event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } }),
        ...deltasOf(item, pieces).map(({ type, ...delta }) =>
          event(type, { item_id: item['id'], output_index, ...delta }),
        ),
        event('response.output_item.done', { output_index, item }),
      ]),
      event('response.completed', { response: completed(answer, request, items) }),
    ];
  },
  whole: (answer, request) =>
    request['stream'] === true ? undefined : completed(answer, request, itemsOf(answer)),
  error: (message) => ({ error: { message, type: 'scripted', param: null, code: null } }),
  errorEvent: (message) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', code: 'server_error', message, param: null })}\n\n`,
  conversation(request) {
    const { input, instructions } = request;
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input as Json[]);
    const calls = items.filter(({ name }) => typeof name === 'string');
    const names = new Map(calls.map((item) => [item['call_id'], String(item['name'])]));
    const system = textOf(instructions);
    return {
      messages: [
        ...(system === '' ? [] : [{ role: 'system' as const, text: system }]),
        ...items.flatMap((item) => messageOf(item, names)),
      ],
      tools: [request, ...items].flatMap(({ tools = [] }) => (tools as Json[]).flatMap(toolNames)),
    };
  },
};

/** A tool in a namespace is called by both names. */
function toolNames({ name, type, tools }: Json): string[] {
  if (type !== 'namespace') return [String(name ?? type)];
  return (tools as Json[]).map((tool) => `${String(name)}/${String(tool['name'])}`);
}

function messageOf(item: Json, names: ReadonlyMap<unknown, string>): Message[] {
  const callId = String(item['call_id']);
  switch (item['type'] ?? 'message') {
    case 'message': {
      const text = textOf(item['content']);
      if (item['role'] === 'assistant') return [{ role: 'assistant', text, calls: [] }];
      return [{ role: item['role'] === 'user' ? 'user' : 'system', text }];
    }
    case 'function_call': {
      const input = JSON.parse(String(item['arguments'])) as unknown;
      return [{ role: 'assistant', text: '', calls: [{ id: callId, name: String(item['name']), input }] }];
    }
    case 'custom_tool_call':
      return [
        {
          role: 'assistant',
          text: '',
          calls: [{ id: callId, name: String(item['name']), input: item['input'] }],
        },
      ];
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const name = names.get(item['call_id']) ?? '';
      return [{ role: 'tool', callId, name, text: textOf(item['output']), isError: false }];
    }
    default:
      return [];
  }
}

function itemsOf({ reasoning, text, calls = [], stop }: ScriptedAnswer): Json[] {
  const said = text ?? '';
  const part = stop === 'refused' ? { type: 'refusal', refusal: said } : outputText(said);
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: reasoning }] }]),
    ...(said === ''
      ? []
      : [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] }]),
    ...calls.map((call) => ({
      type: 'function_call',
      id: `fc_${call.id}`,
      call_id: call.id,
      ...namesOf(call.name),
      arguments: argumentsOf(call),
      status: 'completed',
    })),
  ];
}

function namesOf(called: string): Json {
  const [namespace, name] = called.split('/');
  return name === undefined ? { name: called } : { namespace, name };
}

function outputText(text: string): Json {
  return { type: 'output_text', text, annotations: [] };
}

function deltasOf(item: Json, pieces: number): (Json & { type: string })[] {
  switch (item['type']) {
    case 'message': {
      const text = textOf(item['content']);
      return [
        { type: 'response.content_part.added', content_index: 0, part: outputText('') },
        ...split(text, pieces).map((delta) => ({
          type: 'response.output_text.delta',
          content_index: 0,
          delta,
        })),
        { type: 'response.output_text.done', content_index: 0, text },
        { type: 'response.content_part.done', content_index: 0, part: outputText(text) },
      ];
    }
    case 'function_call':
      return [
        ...split(String(item['arguments']), pieces).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          delta,
        })),
        { type: 'response.function_call_arguments.done', arguments: item['arguments'] },
      ];
    default:
      return [];
  }
}

function completed(answer: ScriptedAnswer, request: Json, items: Json[]): Json {
  const { inputTokens, outputTokens, cacheReadTokens } = usageOf(answer);
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
  return { ...responseOf(request, 'completed', items), usage: answer.usage === null ? null : usage };
}

function responseOf({ model }: Json, status: string, output: Json[]): Json {
  return { id: 'resp_scripted', object: 'response', created_at: 0, status, model, output };
}
