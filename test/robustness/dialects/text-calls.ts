/** Dialects of servers without a working tool parser: the call arrives as text, in the format the model was trained on. */
import type { Json } from '../wire-server.ts';
import { asText, chatStream, chatWhole } from './chat-stream.ts';
import type { Answering, Dialect, ModelCall } from './dialect.ts';

type Calls = readonly ModelCall[];
type Input = ModelCall['input'];

/** The server knows of no call, so it reports a plain end. */
function written(format: (calls: Calls) => string): Answering {
  return (turn, request) => {
    const text = format(turn.calls);
    return chatStream({ text, finish: () => 'stop' })({ ...turn, calls: [] }, request);
  };
}

function row(
  server: string,
  quirk: string,
  format: (calls: Calls) => string,
  more: Partial<Dialect> = {},
): Dialect {
  return { server, quirk, provider: 'openai', answer: written(format), ...more };
}

const each =
  (format: (call: ModelCall) => string, between = '\n') =>
  (calls: Calls) =>
    calls.map(format).join(between);
const named = ({ name, input }: ModelCall, key = 'arguments'): Json => ({ name, [key]: input });
const hermes = (call: ModelCall): string => `<tool_call>\n${asText(named(call))}\n</tool_call>`;
const parameters = (input: Input, format: (key: string, value: string) => string): string =>
  Object.entries(input)
    .map(([key, value]) => format(key, typeof value === 'string' ? value : asText(value)))
    .join('\n');
const qwenCoder = ({ name, input }: ModelCall): string =>
  `<function=${name}>\n${parameters(input, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>`;
const invoke = ({ name, input }: ModelCall): string =>
  `<invoke name="${name}">\n${parameters(input, (key, value) => `<parameter name="${key}">${value}</parameter>`)}\n</invoke>`;
const fence = '```';
const two = { firstCalls: 'two reads' } as const;

export const textCallDialects: readonly Dialect[] = [
  row('vLLM', 'Hermes: <tool_call> with JSON', each(hermes)),
  row('vLLM', 'Hermes: two calls', each(hermes), two),
  row(
    'vLLM',
    'Hermes: text before the call',
    (calls) => `I look at the page first.\n\n${each(hermes)(calls)}`,
  ),
  row('vLLM', 'Hermes: without the closing tag', (calls) =>
    each(hermes)(calls).replace('\n</tool_call>', ''),
  ),
  row(
    'SGLang',
    'Qwen3-Coder: <function=…> with parameters',
    each((call) => `<tool_call>\n${qwenCoder(call)}\n</tool_call>`),
  ),
  row('llama.cpp', 'Qwen3-Coder: without <tool_call> around it', each(qwenCoder)),
  row(
    'vLLM',
    'Llama: <function=…> with JSON',
    each(({ name, input }) => `<function=${name}>${asText(input)}</function>`),
  ),
  row(
    'vLLM',
    'Llama: <|python_tag|>',
    each((call) => `<|python_tag|>${asText(named(call, 'parameters'))}`),
  ),
  row(
    'Ollama',
    'Llama: bare JSON with parameters',
    each((call) => asText(named(call, 'parameters'))),
  ),
  row(
    'vLLM',
    'Mistral: [TOOL_CALLS] with a list',
    (calls) => `[TOOL_CALLS]${asText(calls.map((call) => named(call)))}`,
    two,
  ),
  row(
    'vLLM',
    'Mistral: [TOOL_CALLS] with [ARGS]',
    each(({ name, input }) => `[TOOL_CALLS]${name}[ARGS]${asText(input)}`, ''),
  ),
  row(
    'LM Studio',
    'JSON in a code fence',
    each((call) => `${fence}json\n${asText(named(call))}\n${fence}`),
  ),
  row(
    'LM Studio',
    'JSON in a tool_code fence',
    each((call) => `${fence}tool_code\n${asText(named(call))}\n${fence}`),
  ),
  row(
    'vLLM',
    'gpt-oss: commentary channel',
    each(
      ({ name, input }) =>
        `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${asText(input)}<|call|>`,
    ),
  ),
  row(
    'llama.cpp',
    'gpt-oss: analysis channel before the call',
    each(
      ({ name, input }) =>
        `<|channel|>analysis<|message|>I need the page.<|end|><|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${asText(input)}<|call|>`,
    ),
  ),
  row(
    'SGLang',
    'DeepSeek: tool call tokens',
    (calls) =>
      `<｜tool▁calls▁begin｜>${each(({ name, input }) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${asText(input)}<｜tool▁call▁end｜>`, '')(calls)}<｜tool▁calls▁end｜>`,
  ),
  row(
    'vLLM',
    'Kimi: section tokens with functions.NAME:0',
    (calls) =>
      `<|tool_calls_section_begin|>${calls
        .map(
          ({ name, input }, index) =>
            `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${asText(input)}<|tool_call_end|>`,
        )
        .join('')}<|tool_calls_section_end|>`,
    two,
  ),
  row(
    'vLLM',
    'MiniMax: <invoke> with parameters',
    (calls) => `<minimax:tool_call>\n${each(invoke)(calls)}\n</minimax:tool_call>`,
  ),
  row(
    'LiteLLM',
    'Claude: <function_calls> with <invoke>',
    (calls) => `<function_calls>\n${each(invoke)(calls)}\n</function_calls>`,
  ),
  row(
    'SGLang',
    'GLM: <arg_key> and <arg_value>',
    each(
      ({ name, input }) =>
        `<tool_call>${name}\n${parameters(input, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`)}\n</tool_call>`,
    ),
  ),
  row(
    'Ollama',
    'Qwen: <think> before the call',
    (calls) => `<think>\nI need the page.\n</think>\n\n${each(hermes)(calls)}`,
  ),
  row(
    'Ollama',
    'Qwen: only the end of the thoughts is marked',
    (calls) => `I need the page.\n</think>\n\n${each(hermes)(calls)}`,
  ),
  row(
    'vLLM',
    'Granite: <|tool_call|> with a list',
    (calls) => `<|tool_call|>${asText(calls.map((call) => named(call)))}`,
  ),
  row(
    'vLLM',
    'functions.NAME with JSON',
    each(({ name, input }) => `functions.${name}(${asText(input)})`),
    { ending: 'done or unreadable' },
  ),
  row(
    'Ollama',
    'Gemma: a Python call in a tool_code fence',
    each(({ name, input }) => `${fence}tool_code\n${name}(${pythonArguments(input)})\n${fence}`),
    { ending: 'done or unreadable' },
  ),
  row(
    'vLLM',
    'Llama: a list of Python calls',
    (calls) => `[${calls.map(({ name, input }) => `${name}(${pythonArguments(input)})`).join(', ')}]`,
    { ending: 'done or unreadable' },
  ),
  row(
    'Ollama',
    'ReAct: Action and Action Input',
    each(({ name, input }) => `Thought: I need the page.\nAction: ${name}\nAction Input: ${asText(input)}`),
    { ending: 'done or unreadable' },
  ),
  {
    server: 'Ollama',
    quirk: '<think> in the text beside a proper call',
    provider: 'openai',
    answer: chatStream({ text: '<think>\nI need the page.\n</think>\n\n' }),
  },
  {
    server: 'llama.cpp',
    quirk: 'Hermes: answered whole',
    provider: 'openai',
    answer: (turn, request) =>
      chatWhole({ text: each(hermes)(turn.calls), finish: () => 'stop' })({ ...turn, calls: [] }, request),
  },
];

function pythonArguments(input: Input): string {
  return Object.entries(input)
    .map(([key, value]) => `${key}=${asText(value)}`)
    .join(', ');
}

export const unreadableTextDialects: readonly Dialect[] = [
  row(
    'vLLM',
    'Hermes: always cut off inside the call',
    () => '<tool_call>\n{"name": "read_file", "arguments": {"path": ',
    { ending: 'unreadable' },
  ),
  row(
    'TGI',
    'drops the tools, so the model only talks',
    () => 'Sure! First I would open the page about limits and look for the figure.',
    { ending: 'unreadable' },
  ),
  row(
    'LM Studio',
    'tool calls in an unknown markup',
    each(({ name }) => `«werkzeug ${name}»`),
    { ending: 'unreadable' },
  ),
];
