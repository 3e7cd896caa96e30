/** The wire formats of the scripted model as event streams. Each also parses requests. */
import type { Message, ToolCall } from '../../packages/server/src/agent/contract.ts';
import { gemini } from './gemini-wire.ts';
import { responses } from './responses-wire.ts';
import { argumentsOf, split, textOf, usageOf, type Json, type Wire } from './wire.ts';

const openai: Wire = {
  path: '/chat/completions',
  events(answer, request) {
    const chunk = (delta: Json, finish: string | null = null, more: Json = {}) =>
      `data: ${JSON.stringify({
        id: 'chatcmpl-scripted',
        object: 'chat.completion.chunk',
        created: 0,
        model: request['model'],
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...more,
      })}\n\n`;
    const pieces = answer.pieces ?? 3;
    const calls = (answer.calls ?? []).flatMap((call, index) => [
      chunk({
        tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
      }),
      ...split(argumentsOf(call), pieces).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]);
    const { inputTokens, outputTokens, cacheReadTokens } = usageOf(answer);
    const usage = {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      prompt_tokens_details: { cached_tokens: cacheReadTokens },
    };
    const wantsUsage = (request['stream_options'] as Json | undefined)?.['include_usage'] === true;
    return [
      chunk({ role: 'assistant', content: '' }),
      ...split(answer.reasoning ?? '', pieces).map((piece) => chunk({ reasoning_content: piece })),
      ...split(answer.text ?? '', pieces).map((piece) =>
        chunk(answer.stop === 'refused' ? { refusal: piece } : { content: piece }),
      ),
      ': keep-alive\n\n',
      ...calls,
      chunk({}, answer.stop === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'),
      ...(wantsUsage && answer.usage !== null ? [chunk({}, null, { choices: [], usage })] : []),
      'data: [DONE]\n\n',
    ];
  },
  error: (message) => ({ error: { message, type: 'scripted', param: null, code: null } }),
  errorEvent: (message) => `data: ${JSON.stringify({ error: { message, type: 'server_error' } })}\n\n`,
  conversation(request) {
    const names = new Map<string, string>();
    const messages = (request['messages'] as Json[]).map((message): Message => {
      const text = textOf(message['content']);
      switch (message['role']) {
        case 'assistant': {
          const calls = ((message['tool_calls'] ?? []) as Json[]).map((call): ToolCall => {
            const { name, arguments: sent } = call['function'] as { name: string; arguments: string };
            return { id: String(call['id']), name, input: JSON.parse(sent) as unknown };
          });
          for (const { id, name } of calls) names.set(id, name);
          return { role: 'assistant', text, calls };
        }
        case 'tool': {
          const callId = String(message['tool_call_id']);
          return { role: 'tool', callId, name: names.get(callId) ?? '', text, isError: false };
        }
        case 'system':
          return { role: 'system', text };
        default:
          return { role: 'user', text };
      }
    });
    const tools = ((request['tools'] ?? []) as { function: { name: string } }[]).map(
      (tool) => tool.function.name,
    );
    return { messages, tools };
  },
};

const anthropic: Wire = {
  path: '/messages',
  events(answer, request) {
    const event = (type: string, data: Json) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const pieces = answer.pieces ?? 3;
    const { inputTokens, outputTokens, cacheReadTokens } = usageOf(answer);
    let index = -1;
    const block = (opening: Json, deltas: Json[]) => {
      index += 1;
      return [
        event('content_block_start', { index, content_block: opening }),
        ...deltas.map((delta) => event('content_block_delta', { index, delta })),
        event('content_block_stop', { index }),
      ];
    };
    const calls = answer.calls ?? [];
    const usual = calls.length > 0 ? 'tool_use' : 'end_turn';
    const reason = { refused: 'refusal', length: 'max_tokens', usual }[answer.stop ?? 'usual'];
    return [
      event('message_start', {
        message: {
          id: 'msg_scripted',
          type: 'message',
          role: 'assistant',
          model: request['model'],
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: inputTokens - cacheReadTokens,
            cache_read_input_tokens: cacheReadTokens,
            cache_creation_input_tokens: 0,
            output_tokens: 1,
          },
        },
      }),
      event('ping', {}),
      ...(answer.reasoning
        ? block(
            { type: 'thinking', thinking: '', signature: '' },
            split(answer.reasoning, pieces).map((thinking) => ({ type: 'thinking_delta', thinking })),
          )
        : []),
      ...(answer.text
        ? block(
            { type: 'text', text: '' },
            split(answer.text, pieces).map((text) => ({ type: 'text_delta', text })),
          )
        : []),
      ...calls.flatMap((call) =>
        block(
          { type: 'tool_use', id: call.id, name: call.name, input: {} },
          split(argumentsOf(call), pieces).map((partial_json) => ({
            type: 'input_json_delta',
            partial_json,
          })),
        ),
      ),
      event('message_delta', {
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: outputTokens },
      }),
      event('message_stop', {}),
    ];
  },
  error: (message) => ({ type: 'error', error: { type: 'scripted', message } }),
  errorEvent: (message) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message } })}\n\n`,
  conversation(request) {
    const names = new Map<string, string>();
    const messages = (request['messages'] as Json[]).flatMap(({ role, content }): Message[] => {
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Json[]);
      const text = textOf(parts);
      if (role === 'assistant') {
        const calls = parts
          .filter(({ type }) => type === 'tool_use')
          .map((part): ToolCall => ({
            id: String(part['id']),
            name: String(part['name']),
            input: part['input'],
          }));
        for (const { id, name } of calls) names.set(id, name);
        return [{ role: 'assistant', text, calls }];
      }
      const results = parts
        .filter(({ type }) => type === 'tool_result')
        .map((part): Message => {
          const callId = String(part['tool_use_id']);
          const isError = part['is_error'] === true;
          return {
            role: 'tool',
            callId,
            name: names.get(callId) ?? '',
            text: textOf(part['content']),
            isError,
          };
        });
      return [...results, ...(text === '' ? [] : [{ role: 'user' as const, text }])];
    });
    const system = textOf(request['system'] ?? '');
    return {
      messages: system === '' ? messages : [{ role: 'system', text: system }, ...messages],
      tools: ((request['tools'] ?? []) as { name: string }[]).map(({ name }) => name),
    };
  },
};

export const wires: readonly Wire[] = [openai, anthropic, responses, gemini];
