/** Reads and validates the body and query of a request. */
import type { Operation } from '@docyard/api';
import { z } from 'zod';
import { Problem, type ProblemDetail } from '../problem.ts';
import type { Web } from './request.ts';

export async function readBody(web: Web, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new Problem('payload_too_large', `The body is larger than ${maxBytes} bytes.`, {
      headers: { connection: 'close' },
    });
  if (Number(web.req.header('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of web.req.raw.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function parseBody(web: Web, operation: Operation, bytes: Uint8Array): unknown {
  if (operation.body === undefined) return undefined;
  if (bytes.length === 0 && operation.bodyOptional) return undefined;
  if (bytes.length > 0) requirePlainEncoding(web);
  const [type, ...parameters] = (web.req.header('content-type')?.split(';') ?? []).map((part) =>
    part.trim().toLowerCase(),
  );
  if (bytes.length > 0 && type !== undefined && type !== 'application/json' && !type.endsWith('+json')) {
    throw new Problem(
      'unsupported_media_type',
      `The body is ${type}. Send JSON with the header \`Content-Type: application/json\`.`,
    );
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (bytes.length > 0 && charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
    throw new Problem('unsupported_media_type', `The body is in ${charset}. Send JSON in UTF-8.`);
  }
  return check(operation.body, parseJson(bytes), 'body');
}

/** RFC 9110, section 15.5.16: the response lists the accepted encodings. */
export function requirePlainEncoding(web: Web): void {
  const encoding = web.req.header('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return;
  throw new Problem(
    'unsupported_media_type',
    `The body has the encoding ${encoding}. Send it without \`Content-Encoding\`.`,
    { headers: { 'accept-encoding': 'identity' } },
  );
}

export function parseQuery(web: Web, operation: Operation): unknown {
  if (operation.query === undefined) return undefined;
  const given: Record<string, string> = {};
  for (const [name, values] of Object.entries(web.req.queries())) {
    if (values.length > 1) {
      const message = `\`${name}\` is given ${values.length} times. Give it once.`;
      throw new Problem('invalid_request', message, { details: [{ path: name, message }] });
    }
    given[name] = values[0] ?? '';
  }
  return check(operation.query, given, 'query');
}

export function defaultQuery(operation: Operation): unknown {
  return operation.query === undefined ? undefined : check(operation.query, {}, 'query');
}

export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Problem('malformed_json', 'The body is not valid UTF-8.');
  }
  if (text.trim() === '') throw new Problem('malformed_json', 'The body is empty. Send a JSON object.');
  try {
    return JSON.parse(text);
  } catch (error) {
    const where = errorPosition(text, (error as Error).message);
    throw new Problem('malformed_json', `The body is not valid JSON: error ${where}.`);
  }
}

/** The parser reports a position, a character, or neither when the text ends early. */
function errorPosition(text: string, complaint: string): string {
  const [, position] = /at position (\d+)/.exec(complaint) ?? [];
  const [, character] = /^Unexpected token '(.)'/su.exec(complaint) ?? [];
  if (position === undefined)
    return character === undefined ? 'at the end' : `at the unexpected ${character}`;
  const before = text.slice(0, Number(position)).split('\n');
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function check(schema: z.ZodType, value: unknown, place: 'body' | 'query'): unknown {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.slice(0, 50).flatMap((issue) => describe(issue, schema));
  const [first] = details;
  const more = details.length > 1 ? ` ${details.length - 1} more in \`details\`.` : '';
  const subject = first === undefined || first.path === '' ? `The ${place}` : `\`${first.path}\``;
  throw new Problem('invalid_request', `${subject}: ${first?.message ?? 'invalid.'}${more}`, { details });
}

function describe(issue: z.core.$ZodIssue, schema: z.ZodType): ProblemDetail[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    return issue.keys.map((key) => ({
      path: [...path, key].join('.'),
      message: `Unknown field.${path.length === 0 ? suggestion(key, known) : ''}`,
    }));
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [{ path: path.join('.'), message: `This field is required (${issue.expected}).` }];
  }
  const message = issue.message.endsWith('.') ? issue.message : `${issue.message}.`;
  return [{ path: path.join('.'), message }];
}

function suggestion(key: string, known: readonly string[]): string {
  const similar = known.find((name) => distance(name.toLowerCase(), key.toLowerCase()) <= 2);
  return similar === undefined ? ` Known fields: ${known.join(', ')}.` : ` Did you mean \`${similar}\`?`;
}

function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 3;
}
