/** Reads the OpenAPI document from a running server and validates responses against it. */
import { operation, type ErrorCode, type OperationId } from '@docyard/api';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer, Call } from './raw-http.ts';

/** A documented status of an operation, with the error code for errors. */
export interface Outcome {
  status: number;
  code: ErrorCode | undefined;
}

export interface DocumentedOperation {
  id: OperationId;
  method: string;
  path: string;
  outcomes: Outcome[];
}

export interface ApiDocument {
  operations: DocumentedOperation[];
  /** Violations of the documented schema. */
  complaints(id: OperationId, answer: Answer): string[];
}

interface DocumentedResponse {
  description: string;
  content?: Record<string, object>;
}

interface Described {
  operationId: OperationId;
  responses: Record<string, DocumentedResponse | { $ref: string }>;
}

interface OpenApi {
  paths: Record<string, Record<string, Described>>;
  components: { responses: Record<string, DocumentedResponse> };
}

export async function fetchDocument(origin: string): Promise<ApiDocument> {
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as OpenApi;
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  // Compiling a schema takes longer than a request.
  const compiled = new Map<string, ValidateFunction>();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method,
      path,
      outcomes: outcomesOf(described, document),
    })),
  );
  return {
    operations,
    complaints(id, { status, headers, body }) {
      const found = operations.find((each) => each.id === id);
      const described = document.paths[found?.path ?? '']?.[found?.method ?? '']?.responses[status];
      if (found === undefined || described === undefined) return [`${status} is not documented`];
      const response = resolved(described, document);
      const type = headers.get('content-type')?.split(';')[0];
      if (response.content === undefined) return body === '' ? [] : ['a body where none is documented'];
      if (type === undefined || !(type in response.content)) return [`${type} is not documented`];
      const ownPlace = ['paths', found.path, found.method, 'responses', status];
      const place = '$ref' in described ? described.$ref : `#/${ownPlace.map(escapePointer).join('/')}`;
      const $ref = `document${place}/content/${escapePointer(type)}/schema`;
      const validate = compiled.get($ref) ?? ajv.compile({ $ref });
      compiled.set($ref, validate);
      validate(type.endsWith('json') ? JSON.parse(body) : body);
      return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
    },
  };
}

/** The description of an error response lists its codes, each before a colon. */
function outcomesOf({ responses }: Described, document: OpenApi): Outcome[] {
  return Object.entries(responses).flatMap(([text, response]) => {
    const status = Number(text);
    const { description } = resolved(response, document);
    const codes = status < 400 ? [] : [...description.matchAll(/`(\w+)`:/g)].map(([, code]) => code);
    return (codes.length === 0 ? [undefined] : codes).map((code) => ({
      status,
      code: code as ErrorCode | undefined,
    }));
  });
}

function resolved(response: DocumentedResponse | { $ref: string }, document: OpenApi): DocumentedResponse {
  if (!('$ref' in response)) return response;
  const name = response.$ref.replace('#/components/responses/', '');
  return document.components.responses[name] as DocumentedResponse;
}

function escapePointer(step: string | number): string {
  return encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1'));
}

export interface Given {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

export function callOf(id: OperationId, given: Given, headers: Record<string, string>): Call {
  const { method, path } = operation(id);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => given.params?.[name] ?? '');
  const query = new URLSearchParams(given.query).toString();
  const call = {
    method: method.toUpperCase(),
    target: query === '' ? filled : `${filled}?${query}`,
    headers,
  };
  if (given.body === undefined) return call;
  return {
    ...call,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(given.body),
  };
}
