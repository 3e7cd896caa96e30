/** Dialects of servers that call tools as OpenAI does, with differences in the fields and in the stream. */
import { gzipSync } from 'node:zlib';
import type { WireRequest, WireResponse } from '../wire-server.ts';
import { asText, characters, chatChunks, chatStream, eventResponse, eventTexts } from './chat-stream.ts';
import type { Answering, Dialect, ModelTurn } from './dialect.ts';

const row = (server: string, quirk: string, answer: Answering, more: Partial<Dialect> = {}): Dialect => ({
  server,
  quirk,
  provider: 'openai',
  answer,
  ...more,
});
const two = { firstCalls: 'two reads' } as const;
const bytes = (text: string, length: number): Uint8Array[] => {
  const all = Buffer.from(text);
  return Array.from({ length: Math.ceil(all.length / length) }, (_, index) =>
    all.subarray(index * length, (index + 1) * length),
  );
};

const hosted: Dialect[] = [
  row('OpenAI', 'streams calls in pieces', chatStream()),
  row('OpenAI', 'sends two calls in one answer', chatStream(), two),
  row(
    'OpenAI',
    'pads events and sends null fields',
    chatStream({
      opening: { role: 'assistant', content: null, refusal: null },
      more: { service_tier: 'default', system_fingerprint: 'fp_1', obfuscation: 'aX3' },
      choice: { logprobs: null },
      usage: 'last',
    }),
  ),
  row(
    'Azure OpenAI',
    'begins with a chunk of filter results without choices',
    chatStream({
      before: [
        {
          id: '',
          object: '',
          created: 0,
          model: '',
          choices: [],
          prompt_filter_results: [{ prompt_index: 0 }],
        },
      ],
      choice: { content_filter_results: { hate: { filtered: false, severity: 'safe' } } },
    }),
  ),
  row(
    'Azure OpenAI',
    'ends with a chunk of filter offsets',
    chatStream({
      after: [
        {
          id: '',
          object: '',
          created: 0,
          model: '',
          choices: [
            { index: 0, finish_reason: null, delta: {}, content_filter_offsets: { check_offset: 1 } },
          ],
        },
      ],
    }),
  ),
  row(
    'OpenRouter',
    'sends comments while it waits',
    chatStream({}, { between: ': OPENROUTER PROCESSING\n\n' }),
  ),
  row(
    'OpenRouter',
    'sends reasoning with details and a native finish reason',
    chatStream({
      reasoning: {
        field: 'reasoning',
        more: { reasoning_details: [{ type: 'reasoning.text', text: '', index: 0 }] },
      },
      choice: { native_finish_reason: null },
    }),
  ),
  row(
    'Mistral',
    'sends all calls and the finish reason in one chunk',
    chatStream({
      layout: 'one chunk',
      finishWithCalls: true,
      id: (_, index) => `a1b2c3d4${index}`,
    }),
    two,
  ),
  row(
    'Mistral',
    'sends thoughts as parts of the content',
    chatStream({
      opening: {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }],
      },
    }),
  ),
  row(
    'DeepSeek',
    'sends reasoning_content and null as content',
    chatStream({
      opening: { role: 'assistant', content: null, reasoning_content: '' },
      reasoning: { field: 'reasoning_content', more: { content: null } },
    }),
  ),
  row('DeepSeek', 'sends keep-alive comments', chatStream({}, { between: ': keep-alive\n\n' })),
  row(
    'Groq',
    'sends each call whole and usage in its own field',
    chatStream({
      layout: 'calls',
      usage: 'none',
      more: { x_groq: { id: 'req_1', usage: { prompt_tokens: 1200 } } },
    }),
    two,
  ),
  row(
    'Together',
    'sends the role in every chunk and null as usage',
    chatStream({
      usage: 'null',
      choice: { text: '', seed: null, role: 'assistant' },
    }),
  ),
  row('Fireworks', 'sends usage in every chunk', chatStream({ usage: 'every' })),
  row(
    'Gemini',
    'sends arguments whole, with empty ids and a signature',
    chatStream({
      layout: 'calls',
      id: () => '',
      more: { extra_content: { google: { thought_signature: 'x' } } },
    }),
    two,
  ),
];

const selfHosted: Dialect[] = [
  row('vLLM', 'repeats id and name in every piece', chatStream({ repeatsHead: true })),
  row('vLLM', 'finishes with stop although there are calls', chatStream({ finish: () => 'stop' })),
  row('vLLM', 'sends arguments one character at a time', chatStream({ split: characters })),
  row(
    'vLLM',
    'sends text before the call and the stop token as stop reason',
    chatStream({
      text: 'I look at the page – first.',
      choice: { stop_reason: 151_645, token_ids: null },
    }),
  ),
  row('vLLM', 'leaves out ids', chatStream({ id: () => undefined }), two),
  row(
    'vLLM',
    'sends reasoning and content in turn',
    chatStream({ reasoning: { field: 'reasoning_content' }, text: '\n\n' }),
  ),
  row('Ollama', 'sends each call whole', chatStream({ layout: 'calls' })),
  row('Ollama', 'numbers every call 0', chatStream({ layout: 'calls', index: () => 0 }), two),
  row('Ollama', 'sends arguments as an object', chatStream({ encode: (input) => input })),
  row('Ollama', 'sends no usage', chatStream({ usage: 'none', layout: 'calls', finish: () => 'stop' })),
  row('llama.cpp', 'sends empty ids', chatStream({ id: () => '' }), two),
  row(
    'llama.cpp',
    'sends timings in the last chunk and null as content',
    chatStream({
      opening: { role: 'assistant', content: null },
      after: [
        {
          id: 'x',
          object: 'chat.completion.chunk',
          created: 0,
          model: 'm',
          choices: [],
          timings: { prompt_n: 1 },
        },
      ],
    }),
  ),
  row('llama.cpp', 'ends without [DONE]', chatStream({}, { hasDone: false })),
  row(
    'llama.cpp',
    'sends reports of prompt progress',
    chatStream({
      before: [
        {
          id: 'x',
          object: 'chat.completion.chunk',
          created: 0,
          model: 'm',
          choices: [],
          prompt_progress: { total: 9, processed: 3 },
        },
      ],
    }),
  ),
  row('LM Studio', 'sends numbers as ids', chatStream({ id: (_, index) => 365_174_485 + index }), two),
  row(
    'LM Studio',
    'repeats the finish reason after the end',
    chatStream({
      after: [
        {
          id: 'x',
          object: 'chat.completion.chunk',
          created: 0,
          model: 'm',
          choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
        },
      ],
    }),
  ),
  row('SGLang', 'leaves out the index', chatStream({ index: () => undefined, layout: 'calls' })),
  row('SGLang', 'leaves out the index of pieces', chatStream({ index: () => undefined })),
  row('SGLang', 'encodes arguments twice', chatStream({ encode: (input) => asText(asText(input)) })),
  row('SGLang', 'sends the finish reason with the last piece', chatStream({ finishWithCalls: true })),
  row(
    'TGI',
    'sends arguments as an object, with 0 as every id',
    chatStream({ encode: (input) => input, id: () => '0' }),
  ),
  row('TGI', 'sends tool_calls as an object', chatStream({ callsAsObject: true, id: () => '' })),
  row('TGI', 'repeats one id for two calls', chatStream({ id: () => '0' }), two),
  row('LiteLLM', 'sends null as id and name of later pieces', chatStream({ nullHead: true })),
  row('LiteLLM', 'numbers both calls 0 with different ids', chatStream({ index: () => 0 }), two),
  row('LiteLLM', 'sends empty text with every call', chatStream({ text: '   ', more: { citations: null } })),
  row('LocalAI', 'finishes with function_call', chatStream({ finish: () => 'function_call' })),
  row('LocalAI', 'sends no tool_calls but the older function_call', functionCalls, {
    ending: 'done or unreadable',
  }),
  row('MLX', 'leaves out created, model and object', (turn, request) =>
    eventResponse(chatChunks(turn, request, {}).map(({ choices }) => ({ choices }))),
  ),
];

function functionCalls({ calls: [call], ...turn }: ModelTurn, request: WireRequest): WireResponse {
  const opening = {
    role: 'assistant',
    content: null,
    function_call: { name: call?.name, arguments: asText(call?.input) },
  };
  const finish = (): string => 'function_call';
  return eventResponse(chatChunks({ ...turn, calls: [] }, request, { opening, finish }));
}

const transport: Dialect[] = [
  row('any gateway', 'leaves out the finish reason', chatStream({ finish: () => null })),
  row('any gateway', 'ends lines with CRLF', chatStream({}, { newline: '\r\n' })),
  row('any gateway', 'writes data: without a space', chatStream({}, { prefix: 'data:' })),
  row(
    'any gateway',
    'adds event, id and retry fields',
    chatStream({}, { between: 'event: message\nid: 7\nretry: 3000\n' }),
  ),
  row(
    'any gateway',
    'splits the stream inside characters',
    chatStream({ text: 'Ein “Blick” – 👀.' }, { packets: (text) => bytes(text, 3) }),
  ),
  row('any gateway', 'sends the stream in one packet', chatStream({}, { packets: (text) => [text] })),
  row(
    'any gateway',
    'ends without the last empty line',
    chatStream({}, { hasDone: false, packets: (text) => [text.trimEnd()] }),
  ),
  row('any gateway', 'begins with a byte order mark', chatStream({}, { start: '\ufeff' })),
  row(
    'any gateway',
    'compresses with gzip',
    chatStream({}, { packets: (text) => [gzipSync(text)], headers: { 'content-encoding': 'gzip' } }),
  ),
  row(
    'any gateway',
    'labels the stream as plain text',
    chatStream({}, { headers: { 'content-type': 'text/plain' } }),
  ),
  row(
    'any gateway',
    'adds a tag after the arguments',
    chatStream({ encode: (input) => `${asText(input)}\n</tool_call>` }),
  ),
  row(
    'any gateway',
    'wraps arguments in a code fence',
    chatStream({ encode: (input) => `\`\`\`json\n${asText(input)}\n\`\`\`` }),
  ),
  row(
    'any gateway',
    'sends empty arguments as an empty text',
    chatStream({
      encode: (input) => (Object.keys(input).length === 0 ? '' : asText(input)),
    }),
    { firstCalls: 'no arguments' },
  ),
  row(
    'any gateway',
    'sends empty arguments as null',
    chatStream({
      encode: (input) => (Object.keys(input).length === 0 ? null : asText(input)),
    }),
    { firstCalls: 'no arguments' },
  ),
  row('any gateway', 'escapes every non-ASCII character', (turn, request) => ({
    headers: { 'content-type': 'text/event-stream' },
    parts: eventTexts(chatChunks(turn, request, {})).map(escaped),
  })),
  row('any gateway', 'puts functions. before names', chatStream({ name: (name) => `functions.${name}` })),
  row('vLLM', 'leaves a channel in the name', chatStream({ name: (name) => `${name}<|channel|>commentary` })),
];

function escaped(text: string): string {
  return text
    .split('')
    .map((letter) => {
      const code = letter.charCodeAt(0);
      return code < 128 ? letter : `\\u${code.toString(16).padStart(4, '0')}`;
    })
    .join('');
}

export const chatDialects: readonly Dialect[] = [...hosted, ...selfHosted, ...transport];
