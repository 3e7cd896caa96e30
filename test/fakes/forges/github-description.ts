/** GitHub's OpenAPI description (github-openapi.json): the schemas of operations, and sample values of schemas. */
import { readFileSync } from 'node:fs';
import type { Operation, Schema } from './server.ts';

interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, Parameter>;
    responses: object;
  };
}
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  schema: JsonSchema;
}
interface DescribedOperation {
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: JsonSchema }> }>;
}
interface JsonSchema {
  $ref?: string;
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

const file = new URL('github-openapi.json', import.meta.url);
export const description = JSON.parse(readFileSync(file, 'utf8'), withNull) as Description;
allowDeletedForks();
export const documentId = 'github';
type Schemas = Pick<Operation, 'query' | 'body' | 'answers'>;
const knownSchemas = new Map<string, Schemas>();

/** The operation with the schemas that GitHub publishes. */
export function described(method: string, path: string, handle: Operation['handle']): Operation {
  const id = `${method} ${path}`;
  const schemas = knownSchemas.get(id) ?? schemasOf(description.paths[path]?.[method.toLowerCase()]);
  knownSchemas.set(id, schemas);
  return { method, path, ...schemas, handle };
}

/** Stricter than the description: unknown fields and parameters are errors. */
function schemasOf(operation: DescribedOperation | undefined): Schemas {
  if (operation === undefined) throw new Error('The operation is not described.');
  const parameters = operation.parameters.map((one) => follow(one));
  const query = parameters.filter((one) => one.in === 'query').map((one) => [one.name, one.schema] as const);
  const body = operation.requestBody?.content['application/json']?.schema;
  const answers = Object.entries(operation.responses).flatMap(([status, response]) => {
    const schema = follow(response).content?.['application/json']?.schema;
    return schema === undefined ? [] : [[Number(status), absolute(schema)] as const];
  });
  return {
    query: Object.fromEntries(query),
    ...(body === undefined ? {} : { body: { ...absolute(body), additionalProperties: false } }),
    answers: Object.fromEntries(answers),
  };
}

/** OpenAPI 3.0 allows `nullable` beside a choice; JSON Schema needs null among the choices. */
function withNull(_: string, value: unknown): unknown {
  const schema = value as JsonSchema | null;
  if (schema?.nullable === true && schema.enum !== undefined)
    return { ...schema, enum: [...schema.enum, null] };
  if (schema?.nullable !== true || schema.type !== undefined || schema.anyOf === undefined) return value;
  const { nullable: _nullable, ...rest } = schema;
  return { ...rest, anyOf: [...schema.anyOf, { type: 'null' }] };
}

/** References within the document become references to it. */
export function absolute(schema: JsonSchema): Schema {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${documentId}#/`);
  return JSON.parse(text) as Schema;
}

export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function follow<Value extends { $ref?: string }>(value: Value): Value {
  if (value.$ref === undefined) return value;
  const [, ...keys] = value.$ref.split('/');
  return keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], description) as Value;
}

/** The minimal value of a schema, so that responses are complete. */
export function sample(given: JsonSchema): unknown {
  const schema = follow(given);
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (schema.nullable === true) return null;
  if (schema.enum !== undefined) return schema.enum[0];
  if (choice !== undefined) return sample(choice);
  if (schema.type === 'array') return [];
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  if (schema.type === 'string') return stringOf(schema.format);
  const required = (schema.required ?? []).map(
    (name) => [name, sample(schema.properties?.[name] ?? {})] as const,
  );
  return Object.fromEntries(required);
}

function stringOf(format: string | undefined): string {
  if (format === 'uri') return 'https://github.test/';
  return format === 'date-time' ? '2026-03-01T12:00:00Z' : 'text';
}

/** A value of a schema of an object, also where the schema allows null. */
export function sampleObject(name: string): Record<string, unknown> {
  const { required = [], properties = {} } = follow(ref(name));
  return Object.fromEntries(required.map((field) => [field, sample(properties[field] ?? {})]));
}

/** GitHub sends null for the repository of a deleted fork, which its description omits. */
function allowDeletedForks(): void {
  const head = description.components.schemas['pull-request']?.properties?.['head']?.properties;
  if (head?.['repo'] === undefined) throw new Error('The description has no head repository.');
  head['repo'] = { anyOf: [head['repo'], { type: 'null' }] };
}
