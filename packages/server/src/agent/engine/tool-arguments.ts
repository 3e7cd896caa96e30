/** Corrects the usual deviations of models in the arguments of a tool call, before they are validated. */
import { z } from 'zod';

/** Names that tools of other agents have for the same argument. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filePath', 'filename', 'file'],
  old: ['old_string', 'oldString', 'old_str', 'old_text'],
  new: ['new_string', 'newString', 'new_str', 'new_text'],
  content: ['file_text', 'contents'],
  pattern: ['query'],
  ignore_case: ['ignoreCase', 'case_insensitive'],
  replace_all: ['replaceAll'],
};

/** Values that no correction applies to are returned unchanged. */
export function correctedArguments(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return value === null ? undefined : correctedArguments(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodObject) return correctedObject(schema.shape, fromJson(value));
  if (schema instanceof z.ZodArray) {
    const items = fromJson(value);
    return Array.isArray(items)
      ? items.map((item) => correctedArguments(schema.element as z.ZodType, item))
      : value;
  }
  if (schema instanceof z.ZodNumber && typeof value === 'string' && /^\d{1,9}$/.test(value))
    return Number(value);
  if (schema instanceof z.ZodBoolean && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function correctedObject(shape: Readonly<Record<string, z.core.$ZodType>>, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const given = new Map(Object.entries(value));
  for (const [name, schema] of Object.entries(shape)) {
    const other = otherNames[name]?.find((each) => given.has(each) && !(each in shape));
    if (!given.has(name) && other !== undefined) given.set(name, given.get(other));
    if (given.has(name)) given.set(name, correctedArguments(schema as z.ZodType, given.get(name)));
  }
  return Object.fromEntries(given);
}

/** Some servers encode arguments twice. */
function fromJson(value: unknown, times = 2): unknown {
  if (typeof value !== 'string' || times === 0) return value;
  try {
    return fromJson(JSON.parse(value), times - 1);
  } catch {
    return value;
  }
}
