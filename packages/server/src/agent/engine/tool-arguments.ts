/** Corrects the usual deviations of models in the arguments of a tool call, before they are validated. */
import { z } from 'zod';
import type { Tool, ToolCall } from '../contract.ts';
import { repairedJson } from './json-repair.ts';
import { meantTool } from './tool-names.ts';

/** Names that tools of other agents have for the same argument. */
const otherNames: Readonly<Record<string, string>> = {
  path:
    'file_path file_name filename file target_file absolute_path relative_path relative_workspace_path page uri ' +
    'dir_path dir_name directory directory_path target_directory dir folder',
  paths: 'path files file_paths file_path file pages',
  from: 'source source_path old_path from_path src path file_path',
  to: 'destination destination_path new_path to_path dest target target_path',
  old: 'old_string old_str old_text old_content search search_string search_text find original',
  new: 'new_string new_str new_text new_content replace replace_string replacement replace_with',
  edits: 'changes replacements operations',
  content: 'file_text contents file_content new_content text body',
  pattern: 'query search search_term search_text search_string text keyword',
  query: 'pattern search search_query search_term q question text topic keywords',
  glob: 'include file_pattern include_pattern includes pattern',
  mode: 'output_mode',
  ignore_case: 'case_insensitive -i',
  context: '-C context_lines',
  replace_all: 'all all_occurrences global',
  offset: 'start_line start line from_line start_line_one_indexed',
  limit: 'max_lines num_lines line_count lines',
  depth: 'max_depth',
  title: 'subject commit_message headline',
  summary: 'description result message text answer',
};

/** Values of the same option in other agents. */
const otherValues: Readonly<Record<string, string>> = { files_with_matches: 'files', lines: 'content' };

const wrappers = ['arguments', 'parameters', 'input', 'args', 'params'];

/** A call of an unknown tool is returned unchanged. */
export function correctedCall(tools: readonly Tool[], call: ToolCall): ToolCall {
  const tool = meantTool(tools, call);
  if (!tool) return call;
  const input = correctedArguments(tool.input, call.input);
  const isReadable = typeof input === 'object' && input !== null;
  return {
    id: call.id,
    name: tool.name,
    input,
    ...(call.isMalformed && !isReadable ? { isMalformed: true } : {}),
  };
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;
type Given = Map<string, unknown>;

/** Values that no correction applies to are returned unchanged. */
export function correctedArguments(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    const inner = schema.unwrap() as z.ZodType;
    const isMissing = noValues.has(value) || (value === '' && !inner.safeParse(value).success);
    return isMissing ? undefined : correctedArguments(inner, value);
  }
  if (schema instanceof z.ZodObject) return correctedObject(schema.shape, fromJson(value));
  if (schema instanceof z.ZodArray) return correctedList(schema.element as z.ZodType, fromJson(value));
  if (schema instanceof z.ZodNumber) return correctedNumber(schema, value);
  if (schema instanceof z.ZodBoolean && typeof value === 'string')
    return { true: true, false: false }[value.trim().toLowerCase()] ?? value;
  if (schema instanceof z.ZodEnum && typeof value === 'string')
    return otherValues[value.toLowerCase()] ?? value.toLowerCase();
  return value;
}

/** Models that fill in every option write these for an option that they do not use. */
const noValues = new Set<unknown>([null, 'null', 'None', 'undefined']);

function correctedList(element: z.ZodType, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => correctedArguments(element, item));
  const isSingle = typeof value === 'string' || (typeof value === 'object' && value !== null);
  return isSingle ? [correctedArguments(element, value)] : value;
}

/** A number outside of its range means the nearest one inside. */
function correctedNumber({ minValue, maxValue }: z.ZodNumber, value: unknown): unknown {
  const isNumber = typeof value === 'string' && /^-?\d{1,9}$/.test(value.trim());
  const number = isNumber ? Number(value) : value;
  if (typeof number !== 'number') return value;
  return Math.max(minValue ?? -Infinity, Math.min(maxValue ?? Infinity, number));
}

function correctedObject(shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const given = unwrapped(shape, new Map(Object.entries(value)));
  for (const name of Object.keys(shape)) {
    if (given.has(name)) continue;
    const other = otherNameOf(name, shape, given);
    if (other !== undefined) given.set(name, given.get(other));
  }
  readLineRange(shape, given);
  readPatternInRegex(shape, given);
  for (const [name, schema] of Object.entries(shape))
    if (given.has(name)) given.set(name, correctedArguments(schema as z.ZodType, given.get(name)));
  return Object.fromEntries(given);
}

/** In any case and with or without underscores, but never the name of another argument of the tool. */
function otherNameOf(name: string, shape: Shape, given: Given): string | undefined {
  const wanted = [name, ...(otherNames[name] ?? '').split(' ')].map(bare);
  const candidates = [...given.keys()].filter((key) => !(key in shape) && wanted.includes(bare(key)));
  return candidates.toSorted((a, b) => wanted.indexOf(bare(a)) - wanted.indexOf(bare(b)))[0];
}

function bare(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** `{"name": "read_file", "arguments": {…}}` */
function unwrapped(shape: Shape, given: Given): Given {
  const wrapper = wrappers.find((name) => given.has(name) && !(name in shape));
  const rest = [...given.keys()].filter((name) => name !== wrapper && name !== 'name' && name !== 'tool');
  if (wrapper === undefined || rest.length > 0) return given;
  const inner = fromJson(given.get(wrapper));
  return typeof inner === 'object' && inner !== null ? new Map(Object.entries(inner)) : given;
}

/** Other tools name the first and the last line. */
function readLineRange(shape: Shape, given: Given): void {
  if (!('offset' in shape)) return;
  const range = fromJson(given.get('view_range'));
  const [first, last] = Array.isArray(range)
    ? range
    : [given.get('offset'), given.get('end_line') ?? given.get('endLine')];
  const [start, end] = [Number(first ?? 1), Number(last)];
  if (!given.has('offset') && first !== undefined) given.set('offset', first);
  if ('limit' in shape && !given.has('limit') && end >= start) given.set('limit', end - start + 1);
}

/** Other tools pass the expression itself as `regex`. */
function readPatternInRegex(shape: Shape, given: Given): void {
  const expression = given.get('regex');
  if (!('pattern' in shape) || given.has('pattern') || typeof expression !== 'string') return;
  given.set('pattern', expression).set('regex', true);
}

/** Some servers encode arguments twice. */
function fromJson(value: unknown, times = 2): unknown {
  if (typeof value !== 'string' || times === 0) return value;
  const read = /["'{[]/.test(value) ? repairedJson(value) : undefined;
  return read === undefined ? value : fromJson(read, times - 1);
}
