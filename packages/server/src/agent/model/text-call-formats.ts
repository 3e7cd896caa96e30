/** The formats in which models write tool calls into text, and how each is read. */
import { objectOf, parsedJson, textOf } from './json-fields.ts';
import { closedTag, jsonAt, skipSpace } from './text-scan.ts';

/** Bounds the work for a text of many markers. */
export const maxCalls = 100;

export interface OfferedTool {
  name: string;
  /** Parameters whose values are text even if they look like JSON. */
  textParameters: ReadonlySet<string>;
}

export interface TextCall {
  name: string;
  input: unknown;
}

/** Servers leave parts of a model's own format in the name, such as `functions.read_file<|channel|>json`. */
export function toolNameIn(given: string, tools: readonly Pick<OfferedTool, 'name'>[]): string | undefined {
  const offered = (name: string) => (tools.some((tool) => tool.name === name) ? name : undefined);
  const [withoutChannel = ''] = given.split('<|');
  const [withoutNumber = ''] = withoutChannel.trim().split(':');
  return offered(given) ?? offered(withoutNumber) ?? offered(withoutNumber.split('.').at(-1) ?? '');
}

/** A read call ends at `end`; undefined if the text after the marker is not a call of an offered tool. */
interface Format {
  name: string;
  marker: string;
  /** The marker is a token of the model and does not occur in prose. */
  isToken?: true;
  read(
    text: string,
    at: number,
    tools: readonly OfferedTool[],
  ): { calls: TextCall[]; end: number } | undefined;
}

export const formats: readonly Format[] = [
  { name: 'Hermes', marker: '<tool_call>', read: readHermes },
  { name: 'Qwen', marker: '<function=', read: readFunctionTag },
  { name: 'Anthropic XML', marker: '<invoke name="', read: readInvoke },
  { name: 'Llama', marker: '<|python_tag|>', isToken: true, read: readJsonCalls },
  { name: 'Granite', marker: '<|tool_call|>', isToken: true, read: readJsonCalls },
  { name: 'Mistral', marker: '[TOOL_CALLS]', isToken: true, read: readMistral },
  {
    name: 'Kimi',
    marker: '<|tool_call_begin|>',
    isToken: true,
    read: tokensReader('<|tool_call_argument_begin|>', '<|tool_call_end|>'),
  },
  {
    name: 'DeepSeek',
    marker: '<｜tool▁call▁begin｜>',
    isToken: true,
    read: tokensReader('<｜tool▁sep｜>', '<｜tool▁call▁end｜>'),
  },
  { name: 'Harmony', marker: 'to=functions.', isToken: true, read: readHarmony },
  { name: 'functions', marker: 'functions.', read: readNamed },
];

/** Tokens around calls and channels, which carry no text. */
export const wrappers = [
  '</tool_call>',
  '<function_calls>',
  '</function_calls>',
  '<minimax:tool_call>',
  '</minimax:tool_call>',
  '<|tool_calls_section_begin|>',
  '<|tool_calls_section_end|>',
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁calls▁end｜>',
  '<|start|>assistant',
  '<|channel|>commentary',
  '<|channel|>final',
  '<|channel|>analysis',
  '<|message|>',
  '<|end|>',
  '<|eom_id|>',
];

export function startsLine(text: string, at: number): boolean {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';
}

type Read = ReturnType<Format['read']>;

function readHermes(text: string, at: number, tools: readonly OfferedTool[]): Read {
  const start = skipSpace(text, at);
  if (text.startsWith('<function=', start)) {
    const inner = readFunctionTag(text, start + '<function='.length, tools);
    return inner && { ...inner, end: closedTag(text, inner.end, '</tool_call>') };
  }
  const json = readJsonCalls(text, start, tools);
  if (json) return { ...json, end: closedTag(text, json.end, '</tool_call>') };
  return readArgumentTags(text, start, tools);
}

/** `name<arg_key>key</arg_key><arg_value>value</arg_value>`, the format of GLM. */
function readArgumentTags(text: string, at: number, tools: readonly OfferedTool[]): Read {
  const end = text.indexOf('</tool_call>', at);
  if (end === -1) return undefined;
  const [name = '', ...pairs] = text.slice(at, end).split('<arg_key>');
  const tool = toolNamed(name, tools);
  if (!tool) return undefined;
  const input: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [key = '', value = ''] = pair.split('</arg_key>');
    const [given = ''] = value
      .slice(value.indexOf('<arg_value>') + '<arg_value>'.length)
      .split('</arg_value>');
    input[key.trim()] = valueOf(tool, key.trim(), given);
  }
  return { calls: [{ name: tool.name, input }], end: end + '</tool_call>'.length };
}

function readFunctionTag(text: string, at: number, tools: readonly OfferedTool[]): Read {
  const close = text.indexOf('>', at);
  const tool = toolNamed(text.slice(at, Math.max(at, close)), tools);
  if (!tool) return undefined;
  const json = jsonAt(text, skipSpace(text, close + 1));
  if (json && objectOf(json.value)) {
    return { calls: [{ name: tool.name, input: json.value }], end: closedTag(text, json.end, '</function>') };
  }
  return readParameters(text, close + 1, tool, ['<parameter=', '>', '</function>']);
}

function readInvoke(text: string, at: number, tools: readonly OfferedTool[]): Read {
  const quote = text.indexOf('">', at);
  const tool = toolNamed(text.slice(at, Math.max(at, quote)), tools);
  return tool && readParameters(text, quote + 2, tool, ['<parameter name="', '">', '</invoke>']);
}

function readParameters(
  text: string,
  at: number,
  tool: OfferedTool,
  [opening, afterName, closing]: [string, string, string],
): Read {
  const input: Record<string, unknown> = {};
  let position = skipSpace(text, at);
  while (text.startsWith(opening, position)) {
    const nameEnd = text.indexOf(afterName, position);
    const valueEnd = nameEnd === -1 ? -1 : text.indexOf('</parameter>', nameEnd);
    if (valueEnd === -1) return undefined;
    const name = text.slice(position + opening.length, nameEnd);
    input[name] = valueOf(tool, name, text.slice(nameEnd + afterName.length, valueEnd));
    position = skipSpace(text, valueEnd + '</parameter>'.length);
  }
  if (!text.startsWith(closing, position)) return undefined;
  return { calls: [{ name: tool.name, input }], end: position + closing.length };
}

/** Values between tags have a line break at both ends, and no types. */
function valueOf(tool: OfferedTool, name: string, given: string): unknown {
  const start = given.startsWith('\n') ? 1 : 0;
  const value = given.slice(start, given.length > start && given.endsWith('\n') ? -1 : undefined);
  return tool.textParameters.has(name) ? value : (parsedJson(value) ?? value);
}

/** `[{…}]`, or `name[ARGS]{…}` of newer models. */
function readMistral(text: string, at: number, tools: readonly OfferedTool[]): Read {
  const json = readJsonCalls(text, at, tools);
  if (json) return json;
  const brace = text.indexOf('{', at);
  if (brace === -1) return undefined;
  const [name = ''] = text.slice(at, brace).replace('[ARGS]', '').split('[CALL_ID]');
  return readArguments(text, brace, toolNamed(name, tools));
}

function tokensReader(separator: string, closing: string): Format['read'] {
  return (text, at, tools) => {
    const middle = text.indexOf(separator, at);
    if (middle === -1) return undefined;
    const brace = text.indexOf('{', middle);
    const given = text.slice(at, middle).trim();
    // Older DeepSeek models write the type before the separator and the name after it.
    const [afterSeparator = ''] = text.slice(middle + separator.length).split('\n', 1);
    const tool = toolNamed(given === 'function' ? afterSeparator : given, tools);
    const found = brace === -1 ? undefined : readArguments(text, brace, tool);
    if (!found) return undefined;
    const fenced = closedTag(text, found.end, '```');
    return { ...found, end: closedTag(text, fenced, closing) };
  };
}

function readHarmony(text: string, at: number, tools: readonly OfferedTool[]): Read {
  const message = text.indexOf('<|message|>', at);
  if (message === -1) return undefined;
  const [name = ''] = text.slice(at, message).split(' ');
  const start = skipSpace(text, message + '<|message|>'.length);
  const found = readArguments(text, start, toolNamed(name, tools));
  return found && { ...found, end: closedTag(text, found.end, '<|call|>') };
}

/** `functions.read_file:0 {…}` at the start of a line. */
function readNamed(text: string, at: number, tools: readonly OfferedTool[]): Read {
  const brace = text.indexOf('{', at);
  if (brace === -1 || !startsLine(text, at - 'functions.'.length)) return undefined;
  const given = text.slice(at, brace).trim();
  const isCalled = given.endsWith('(');
  const found = readArguments(text, brace, toolNamed(isCalled ? given.slice(0, -1) : given, tools));
  return found && { ...found, end: isCalled ? closedTag(text, found.end, ')') : found.end };
}

function readArguments(text: string, at: number, tool: OfferedTool | undefined): Read {
  const json = tool && jsonAt(text, at);
  return json && { calls: [{ name: tool.name, input: json.value }], end: json.end };
}

/** One JSON value, or several separated by `;`. */
export function readJsonCalls(text: string, at: number, tools: readonly OfferedTool[]): Read {
  const calls: TextCall[] = [];
  let end = at;
  for (let start = skipSpace(text, at); calls.length < maxCalls; start = skipSpace(text, end + 1)) {
    const json = jsonAt(text, start);
    const found = json && callsIn(json.value, tools);
    if (!json || !found) break;
    calls.push(...found);
    end = json.end;
    if (text[skipSpace(text, end)] !== ';') break;
    end = skipSpace(text, end);
  }
  return calls.length === 0 ? undefined : { calls, end };
}

function callsIn(value: unknown, tools: readonly OfferedTool[]): TextCall[] | undefined {
  const wrapped = objectOf(value)?.['tool_calls'];
  const items: unknown[] = Array.isArray(wrapped) ? wrapped : Array.isArray(value) ? value : [value];
  const calls = items.flatMap((item) => callOf(item, tools) ?? []);
  return calls.length > 0 && calls.length === items.length ? calls : undefined;
}

function callOf(item: unknown, tools: readonly OfferedTool[]): TextCall | undefined {
  const outer = objectOf(item);
  const call = objectOf(outer?.['function']) ?? outer;
  const name = textOf(call?.['name']) ?? textOf(call?.['tool']) ?? textOf(call?.['tool_name']);
  const tool = name === undefined ? undefined : toolNamed(name, tools);
  if (!call || !tool) return undefined;
  const given = call['arguments'] ?? call['parameters'] ?? call['input'] ?? call['args'] ?? {};
  return { name: tool.name, input: typeof given === 'string' ? (parsedJson(given) ?? given) : given };
}

function toolNamed(given: string, tools: readonly OfferedTool[]): OfferedTool | undefined {
  const name = toolNameIn(given.trim(), tools);
  return tools.find((tool) => tool.name === name);
}
