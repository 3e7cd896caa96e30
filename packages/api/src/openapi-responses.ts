/** The responses of an operation in the OpenAPI document. Operations with the same errors share a response. */
import type * as z from 'zod';
import { errorCodes, errorTable, type ErrorCode } from './errors.ts';
import { idOf, reference, type Json } from './json-schema.ts';
import { impliedErrors, operation, operationIds, type Operation } from './routes.ts';
import { ErrorBody, ProblemBody } from './schemas.ts';

export function responsesOf(described: Operation): Json {
  const responses: Json = { [described.success.status]: successResponse(described) };
  if (hasEtag(described)) {
    responses['304'] = { description: 'Nothing changed since the response with this `ETag`.' };
  }
  if (described.alsoStatus !== undefined) {
    responses[described.alsoStatus] = {
      ...successResponse(described),
      description: 'The same record while the process cannot serve requests.',
      headers: retryAfter,
    };
  }
  for (const [status, codes] of errorsByStatus(described)) {
    responses[status] = { $ref: `#/components/responses/${errorResponseName(codes)}` };
  }
  return responses;
}

/** The codes by status, both in the order of the table of errors. */
function errorsByStatus(described: Operation): [number, ErrorCode[]][] {
  const possible = new Set<ErrorCode>([...described.errors, ...impliedErrors(described)]);
  const byStatus = Map.groupBy(
    errorCodes.filter((code) => possible.has(code)),
    (code) => errorTable[code].status,
  );
  return [...byStatus].toSorted(([a], [b]) => a - b);
}

function errorResponseName(codes: readonly ErrorCode[]): string {
  return codes.join('.');
}

/** Operations with the same errors share a response. */
export function errorResponses(): Json {
  const responses = new Map<string, Json>();
  for (const [status, codes] of operationIds.flatMap((id) => errorsByStatus(operation(id))))
    responses.set(errorResponseName(codes), errorResponse(status, codes));
  return Object.fromEntries([...responses].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function successResponse(described: Operation): Json {
  const { success } = described;
  switch (success.kind) {
    case 'empty':
      return { description: 'Done.' };
    case 'redirect':
      return {
        description: 'Redirects to the download link.',
        headers: {
          Location: { description: 'The download link.', schema: { type: 'string', format: 'uri' } },
        },
      };
    case 'events':
      return {
        description: `A stream of events named \`job\`. The data of each is a record of the type \`${idOf(success.schema)}\`.`,
        content: { 'text/event-stream': { schema: { type: 'string' }, example: eventExample } },
      };
    case 'file':
      return {
        description: 'The file.',
        content: Object.fromEntries(
          success.types.map((type) => [
            type,
            {
              schema:
                type === 'application/json'
                  ? { type: 'array', items: reference(success.schema) }
                  : { type: 'string' },
            },
          ]),
        ),
      };
    case 'json':
      return {
        description: successTexts[success.status],
        ...successHeaders(described),
        content: {
          'application/json': {
            schema: reference(success.schema),
            ...(success.example === undefined ? {} : { example: success.example }),
          },
          ...Object.fromEntries((success.alsoTypes ?? []).map((type) => [type, { schema: formOf(type) }])),
        },
      };
  }
}

const successTexts = { 200: 'Success.', 201: 'Created.', 202: 'Accepted.' };
const eventExample = 'id: 42\nevent: job\ndata: { … }\n\n';

function formOf(type: string): Json {
  return { type: type.endsWith('json') ? 'object' : 'string' };
}

function successHeaders(described: Operation): Json {
  const headers: Json = {};
  const add = (name: string, description: string, type: 'string' | 'integer') => {
    headers[name] = { description, schema: { type } };
  };
  if (described.success.status !== 200) add('Location', 'URL of the record.', 'string');
  if (hasEtag(described)) add('ETag', 'For `If-None-Match`.', 'string');
  if (described.waitable)
    add('Retry-After', 'Seconds until the next request. Only while the job is unfinished.', 'integer');
  if (described.waitable) add('Preference-Applied', 'Present if `Prefer: wait` was applied.', 'string');
  if (described.method === 'post' && !described.keepsNoAnswer) {
    add('Idempotency-Replayed', '`true` when this is the stored response to an earlier request.', 'string');
  }
  return Object.keys(headers).length === 0 ? {} : { headers };
}

export function hasEtag(described: Operation): boolean {
  return described.method === 'get' && described.success.kind === 'json';
}

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before the next request.', schema: { type: 'integer' } },
};

function errorResponse(status: number, codes: ErrorCode[]): Json {
  const wait = status === 429 || status === 503;
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].title}.`).join(' '),
    ...(wait ? { headers: retryAfter } : {}),
    content: {
      'application/json': { schema: withCodes(ErrorBody, codes), examples: errorExamples(codes) },
      'application/problem+json': { schema: withCodes(ProblemBody, codes) },
    },
  };
}

/** Only the codes that the response can have. */
function withCodes(schema: z.ZodType, codes: readonly ErrorCode[]): Json {
  return { allOf: [reference(schema)], properties: { code: { enum: codes } } };
}

function errorExamples(codes: readonly ErrorCode[]): Json {
  return Object.fromEntries(
    codes.map((code) => [
      code,
      { value: { error: `${errorTable[code].title}.`, code, requestId: 'req_4f8e2a6c1b907d35' } },
    ]),
  );
}
