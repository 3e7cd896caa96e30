/** Gemini's `generateContent` of the scripted model. */
import type { Message } from '../../packages/server/src/agent/contract.ts';
import type { ScriptedAnswer, ScriptedCall } from './model-server.ts';
import { argumentsOf, split, textOf, usageOf, type Json, type Wire } from './wire.ts';

export const gemini: Wire = {
  /** Of `:generateContent` and `:streamGenerateContent`. */
  path: 'enerateContent',
  events(answer) {
    const texts = split(answer.text ?? '', answer.pieces ?? 3).map((text) => ({ text }));
    const parts = [...thoughtsOf(answer), ...texts, ...callsOf(answer)];
    return [
      ...parts.map((part) => event(chunk([part]))),
      event({ ...chunk([{ text: '' }], finishOf(answer)), ...usageMetadataOf(answer) }),
    ];
  },
  whole(answer, _, url) {
    if (url.includes('stream')) return undefined;
    const parts = [...thoughtsOf(answer), { text: answer.text ?? '' }, ...callsOf(answer)];
    return { ...chunk(parts, finishOf(answer)), ...usageMetadataOf(answer) };
  },
  error: (message) => ({ error: { code: 500, status: 'INTERNAL', message } }),
  errorEvent: (message) => event({ error: { code: 503, status: 'UNAVAILABLE', message } }),
  conversation(request) {
    const system = textOf((request['systemInstruction'] as Json | undefined)?.['parts']);
    const messages = (request['contents'] as Json[]).flatMap(messagesOf);
    const declared = ((request['tools'] ?? []) as { functionDeclarations?: { name: string }[] }[]).flatMap(
      ({ functionDeclarations = [] }) => functionDeclarations,
    );
    return {
      messages: system === '' ? messages : [{ role: 'system', text: system }, ...messages],
      tools: declared.map(({ name }) => name),
    };
  },
};

function messagesOf(content: Json): Message[] {
  const parts = content['parts'] as Json[];
  const text = textOf(parts.filter(({ thought }) => thought !== true));
  if (content['role'] === 'model') {
    const calls = parts.flatMap(({ functionCall }) => {
      const { id = '', name, args } = (functionCall ?? {}) as { id?: string; name?: string; args?: unknown };
      return name === undefined ? [] : [{ id, name, input: args }];
    });
    return [{ role: 'assistant', text, calls }];
  }
  const results = parts.flatMap(({ functionResponse }): Message[] => {
    if (functionResponse === undefined) return [];
    const {
      id = '',
      name = '',
      response,
    } = functionResponse as { id?: string; name?: string; response: Json };
    const { content, output, error } = response;
    const said = content ?? output ?? error;
    const text = typeof said === 'string' ? said : JSON.stringify(response);
    return [{ role: 'tool', callId: id, name, text, isError: error !== undefined }];
  });
  return [...results, ...(text === '' ? [] : [{ role: 'user' as const, text }])];
}

function thoughtsOf({ reasoning }: ScriptedAnswer): Json[] {
  return reasoning === undefined ? [] : [{ text: reasoning, thought: true }];
}

function callsOf({ calls = [] }: ScriptedAnswer): Json[] {
  return calls.map((call) => ({ functionCall: { id: call.id, name: call.name, args: argsOf(call) } }));
}

/** Arguments that are not JSON stay text, although the format has an object here. */
function argsOf(call: ScriptedCall): unknown {
  const text = argumentsOf(call);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function finishOf({ stop }: ScriptedAnswer): string {
  return { refused: 'SAFETY', length: 'MAX_TOKENS', usual: 'STOP' }[stop ?? 'usual'];
}

function chunk(parts: Json[], finishReason?: string): Json {
  const candidate = { index: 0, content: { role: 'model', parts } };
  return { candidates: [finishReason === undefined ? candidate : { ...candidate, finishReason }] };
}

/** A fifth of the output are thoughts. */
function usageMetadataOf(answer: ScriptedAnswer): Json {
  if (answer.usage === null) return {};
  const { inputTokens, outputTokens, cacheReadTokens } = usageOf(answer);
  const thoughtsTokenCount = Math.floor(outputTokens / 5);
  const usageMetadata = {
    promptTokenCount: inputTokens,
    cachedContentTokenCount: cacheReadTokens,
    candidatesTokenCount: outputTokens - thoughtsTokenCount,
    thoughtsTokenCount,
    totalTokenCount: inputTokens + outputTokens,
  };
  return { usageMetadata };
}

function event(data: Json): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}
